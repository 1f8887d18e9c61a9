import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installedVersion, median, printTable, spread } from "../lib/table.ts";

// The time to load a document, compared with a bare read and parse of the same file, in fresh
// processes (README.md):
//
// node bench/openapi/documents.ts [--runs 7] [--save] [part of a row…]
//
// Measures the built packages, as they are installed. Documents are read from ../shared/specs; the
// one of 22,000 operations is made of them (documents/make-huge.ts).
const { values, positionals } = parseArgs({
  options: { runs: { type: "string" }, save: { type: "boolean" } },
  allowPositionals: true,
});
const runs = Number(values.runs ?? 7);

interface Row {
  readonly document: string;
  readonly what: string;
  /** A script of the folder `documents`. */
  readonly script: string;
}

const github = "github-api-3.0.json";
const stripe = "stripe-2023-09.yaml";
const huge = "22,000 operations";
const candidates: readonly Row[] = [
  { document: github, what: "names and summaries", script: "names" },
  { document: github, what: "schemas that a model is shown", script: "schemas" },
  { document: github, what: "the same, @ivotoby/openapi-mcp-server", script: "ivotoby" },
  { document: stripe, what: "names and summaries", script: "names" },
  { document: stripe, what: "schemas that a model is shown", script: "schemas" },
  { document: huge, what: "names and summaries", script: "names" },
  { document: huge, what: "a run with tool search, one search", script: "search" },
];
const chosen = candidates.filter(
  ({ document, what }) =>
    positionals.length === 0 || positionals.some((part) => `${document}, ${what}`.includes(part)),
);

interface Sample {
  /** From the end of Node.js's own start to the end of the work, in ms. */
  readonly work: number;
  /** User and system, of the whole process with all threads, in ms. */
  readonly cpu: number;
  /** MB. */
  readonly peak: number;
}

const rows: string[][] = [];
for (const { document, what, script } of chosen) {
  const path = toPath(document);
  // Read as bytes that become text, and as text: the cheaper one is the floor, for each figure.
  const floors: readonly [Sample[], Sample[]] = [[], []];
  const ours: Sample[] = [];
  for (let run = 0; run < runs; run++) {
    floors[0].push(measure("parse", path, "buffer"));
    ours.push(measure(script, path));
    floors[1].push(measure("parse", path, "text"));
  }
  const ratios = (figure: keyof Sample): readonly number[] => {
    const [buffer, text] = floors.map((floor) =>
      ours.map((one, index) => one[figure] / (floor[index] as Sample)[figure]),
    ) as [number[], number[]];
    return median(buffer) > median(text) ? buffer : text;
  };
  rows.push([
    document,
    what,
    median(ours.map(({ work }) => work)).toFixed(0),
    spread(ratios("work")),
    median(ratios("cpu")).toFixed(2),
    median(ratios("peak")).toFixed(2),
  ]);
}
printTable("documents", {
  title: "Loading a document",
  page: "bench/openapi/README.md",
  meaning: `From a fresh process's first import to the list, without the start of Node.js itself, and how many times a bare read and parse of the same file (\`JSON.parse\`, js-yaml) that is. Each ratio compares neighbouring processes. The median of ${runs}, with the lowest and highest. CPU and memory are those of the whole process.`,
  versions: {
    "@ivotoby/openapi-mcp-server": installedVersion("openapi", "@ivotoby/openapi-mcp-server"),
  },
  columns: ["document", "what", "ms", "× read and parse", "× CPU", "× peak memory"],
  rows,
});

function toPath(document: string): string {
  const specs = new URL("../../../shared/specs/", import.meta.url);
  if (document !== huge) return fileURLToPath(new URL(document, specs));
  return execFileSync(process.execPath, [scriptPath("make-huge.ts")], {
    encoding: "utf8",
    stdio: "pipe",
  }).trim();
}

function scriptPath(name: string): string {
  return fileURLToPath(new URL(`documents/${name}`, import.meta.url));
}

function measure(script: string, path: string, form = ""): Sample {
  const report = `
    const start = performance.now();
    process.on("exit", () => {
      const figures = [performance.now() - start, process.cpuUsage(), process.resourceUsage().maxRSS / 1024];
      process.stdout.write("\\n" + JSON.stringify(figures));
    });`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      "--import",
      `data:text/javascript,${encodeURIComponent(report)}`,
      scriptPath(`${script}.mjs`),
      path,
      form,
    ],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  const last = stdout.slice(stdout.lastIndexOf("\n"));
  const [work, { user, system }, peak] = JSON.parse(last) as [number, NodeJS.CpuUsage, number];
  return { work, cpu: (user + system) / 1000, peak };
}
