// How long loading takes beside a bare parse of the same file, in fresh processes:
//   turbo run build && node packages/openapi/bench/load.bench.ts [runs]
// Runs the built package, as it is installed. Documents are read from ../shared/specs.
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
  readonly wall: number;
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
  const floor: Sample[] = [];
  const ours: Sample[] = [];
  for (let run = 0; run < runs; run++) {
    floor.push(measure("parse", path));
    ours.push(measure(child, path));
  }
  const wall = ratio(ours, floor, "wall");
  const peak = ratio(ours, floor, "peak");
  const [wallGoal, peakGoal] = goal;
  const memory = peakGoal === undefined ? "" : ` (goal ${peakGoal})`;
  console.log(
    `${document}, ${what}: wall ${wall} (goal ${wallGoal}), peak memory ${peak}${memory}; ` +
      `${median(ours, "wall").toFixed(0)} ms and ${median(ours, "peak").toFixed(0)} MB, ` +
      `parse ${median(floor, "wall").toFixed(0)} ms and ${median(floor, "peak").toFixed(0)} MB`,
  );
}

/** Wall time of the whole process in ms, and its peak resident memory in MB. */
function measure(child: string, path: string): Sample {
  const script = fileURLToPath(new URL(`children/${child}.mjs`, import.meta.url));
  const report = "process.on('exit', () => console.log(process.resourceUsage().maxRSS))";
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(report)}`, script, path],
    { encoding: "utf8" },
  );
  const wall = performance.now() - start;
  if (status !== 0) throw new Error(stderr);
  return { wall, peak: Number(stdout) / 1024 };
}

function ratio(ours: readonly Sample[], floor: readonly Sample[], what: keyof Sample): string {
  return (median(ours, what) / median(floor, what)).toFixed(2);
}

function median(samples: readonly Sample[], what: keyof Sample): number {
  const sorted = samples.map((sample) => sample[what]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
