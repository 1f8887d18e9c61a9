// How long loading takes beside a bare parse of the same file, in fresh processes:
//   turbo run build && node packages/openapi/bench/load.bench.ts [runs]
// Runs the built package, as it is installed. Documents are read from ../shared/specs.
// The floor is the cheaper of the two usual ways to read a file, for each figure by itself.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface Row {
  readonly document: string;
  readonly what: string;
  readonly child: string;
  /** At most so many times the wall time and the peak memory of the parse. */
  readonly goal: readonly [wall: number, memory?: number];
}

interface Sample {
  /** The whole process, in ms. */
  readonly wall: number;
  /** From the end of Node's own start to the end of the work, in ms. */
  readonly work: number;
  /** MB. */
  readonly peak: number;
}

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
];

const runs = Number(process.argv[2] ?? 7);
const specs = new URL("../../../../shared/specs/", import.meta.url);
const built = new URL("../dist/index.js", import.meta.url);
if (!existsSync(built)) throw new Error("The package is not built: run `turbo run build` first.");

for (const { document, what, child, goal } of rows) {
  const path = fileURLToPath(new URL(document, specs));
  const floors: [Sample[], Sample[]] = [[], []];
  const ours: Sample[] = [];
  for (let run = 0; run < runs; run++) {
    floors[0].push(measure("parse", path, "buffer"));
    ours.push(measure(child, path));
    floors[1].push(measure("parse", path, "text"));
  }
  const floor = (figure: keyof Sample): number =>
    Math.min(median(floors[0], figure), median(floors[1], figure));
  const ratio = (figure: keyof Sample): string => (median(ours, figure) / floor(figure)).toFixed(2);
  const [wallGoal, peakGoal] = goal;
  console.log(
    `${document}, ${what}: wall ${ratio("wall")} (goal ${wallGoal}; without Node's start ${ratio("work")}), ` +
      `peak memory ${ratio("peak")}${peakGoal === undefined ? "" : ` (goal ${peakGoal})`}; ` +
      `${median(ours, "wall").toFixed(0)} ms and ${median(ours, "peak").toFixed(0)} MB, ` +
      `parse ${floor("wall").toFixed(0)} ms and ${floor("peak").toFixed(0)} MB`,
  );
}

function measure(child: string, path: string, form = ""): Sample {
  const script = fileURLToPath(new URL(`children/${child}.mjs`, import.meta.url));
  const report = `
    const start = performance.now();
    process.on("exit", () =>
      console.log(JSON.stringify([performance.now() - start, process.resourceUsage().maxRSS / 1024])));`;
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(report)}`, script, path, form],
    { encoding: "utf8" },
  );
  const wall = performance.now() - start;
  if (status !== 0) throw new Error(stderr);
  const [work, peak] = JSON.parse(stdout) as [number, number];
  return { wall, work, peak };
}

function median(samples: readonly Sample[], figure: keyof Sample): number {
  const sorted = samples.map((sample) => sample[figure]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
