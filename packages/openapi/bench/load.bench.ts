// The time to load a document, compared with a bare parse of the same file, in fresh processes:
//
// turbo run build && node packages/openapi/bench/load.bench.ts [runs] [part of a row…]
//
// Runs the built package, as it is installed. Documents are read from ../shared/specs; the one of
// 22,000 operations is made of them (make-huge.ts). A ratio is the median of ratios of neighbouring
// runs, so that other load on the machine affects both. The baseline is the cheaper of the two
// usual ways to read a file, for each figure separately. CPU is of all threads.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

interface Row {
  readonly document: string;
  readonly what: string;
  readonly child: string;
  /** The maximum ratio of the wall time and the peak memory to those of the parse. */
  readonly goal?: readonly [wall: number, memory?: number];
}

interface Sample {
  /** The whole process, in ms. */
  readonly wall: number;
  /** From the end of Node.js's own start to the end of the work, in ms. */
  readonly work: number;
  /** User and system, of the whole process, in ms. */
  readonly cpu: number;
  /** MB. */
  readonly peak: number;
}

const huge = "22,000 operations";
const rows: readonly Row[] = [
  {
    document: "github-api-3.0.json",
    what: "names and summaries",
    child: "names",
    goal: [1.3, 1.4],
  },
  { document: "github-api-3.0.json", what: "every schema", child: "schemas", goal: [2, 2] },
  { document: "stripe-2023-09.yaml", what: "names and summaries", child: "names", goal: [1.3] },
  { document: "stripe-2023-09.yaml", what: "every schema", child: "schemas", goal: [2] },
  { document: huge, what: "names and summaries", child: "names", goal: [2] },
  {
    document: huge,
    what: "a registry of all, a run with tool search, one search",
    child: "search",
  },
];

const [, , given, ...parts] = process.argv;
const runs = Number(given ?? 7);
const specs = new URL("../../../../shared/specs/", import.meta.url);
const built = new URL("../dist/index.js", import.meta.url);
if (!existsSync(built)) throw new Error("The package is not built: run `turbo run build` first.");

console.log(
  `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "CPU"}, ${runs} runs; × what a bare parse takes`,
);
for (const { document, what, child, goal } of rows) {
  const name = `${document}, ${what}`;
  if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue;
  const path = pathOf(document);
  const floors: [Sample[], Sample[]] = [[], []];
  const ours: Sample[] = [];
  for (let run = 0; run < runs; run++) {
    floors[0].push(measure("parse", path, "buffer"));
    ours.push(measure(child, path));
    floors[1].push(measure("parse", path, "text"));
  }
  const ratio = (figure: keyof Sample): string => {
    const [buffer, text] = floors.map((floor) =>
      median(ours.map((one, index) => one[figure] / (floor[index] as Sample)[figure])),
    ) as [number, number];
    return Math.max(buffer, text).toFixed(2);
  };
  const figures = (samples: readonly Sample[]): string =>
    `${middle(samples, "wall").toFixed(0)} ms, ${middle(samples, "peak").toFixed(0)} MB`;
  const of = goal === undefined ? "" : ` (goal ${goal[0]})`;
  const ofPeak = goal?.[1] === undefined ? "" : ` (goal ${goal[1]})`;
  console.log(
    `${name}: wall ${ratio("wall")}${of}, without Node's start ${ratio("work")}, CPU ${ratio("cpu")}, ` +
      `peak memory ${ratio("peak")}${ofPeak}; ${figures(ours)}; parse ${figures(floors[0])}`,
  );
}

function pathOf(document: string): string {
  if (document !== huge) return fileURLToPath(new URL(document, specs));
  const script = fileURLToPath(new URL("make-huge.ts", import.meta.url));
  return execFileSync(process.execPath, [script], { encoding: "utf8", stdio: "pipe" }).trim();
}

function measure(child: string, path: string, form = ""): Sample {
  const script = fileURLToPath(new URL(`children/${child}.mjs`, import.meta.url));
  const report = `
    const start = performance.now();
    process.on("exit", () =>
      console.log(JSON.stringify([performance.now() - start, process.cpuUsage(), process.resourceUsage().maxRSS / 1024])));`;
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(report)}`, script, path, form],
    { encoding: "utf8" },
  );
  const wall = performance.now() - start;
  if (status !== 0) throw new Error(stderr);
  const [work, { user, system }, peak] = JSON.parse(stdout) as [number, NodeJS.CpuUsage, number];
  return { wall, work, cpu: (user + system) / 1000, peak };
}

function middle(samples: readonly Sample[], figure: keyof Sample): number {
  return median(samples.map((sample) => sample[figure]));
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
