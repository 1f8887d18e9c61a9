import { execFileSync } from "node:child_process";
import { compile, load, run } from "@toolweave/starlark";
import type { Program } from "@toolweave/starlark";
import { printTable } from "../lib/table.ts";

// How soon a script is stopped, what other work waits for it, and what a small script costs (README.md):
//
// node bench/starlark/bounds.ts [--save]
const empty = compile("for i in range(1 << 60): pass", { dialect: "session" });
const busy = compile(
  "def f():\n  x = 0\n  for i in range(1 << 60):\n    x = (x + i) % 7\n    y = [x, i]\nf()",
);
const maxMemoryBytes = 2 ** 50;
const rows: string[][] = [];

async function overshoot(program: Program, timeoutMs: number): Promise<number> {
  const start = performance.now();
  await load(program, { timeoutMs, maxMemoryBytes }).catch(() => undefined);
  return performance.now() - start - timeoutMs;
}

const pick = (values: number[], part: number): number => {
  values.sort((left, right) => left - right);
  return values[Math.ceil(part * values.length) - 1] ?? 0;
};
const percentile = (values: number[], part: number): string =>
  `${pick(values, part).toFixed(2)} ms`;
const microseconds = (values: number[]): string => `${(1000 * pick(values, 0.5)).toFixed(1)} µs`;

for (const [timeoutMs, rounds] of [
  [20, 200],
  [100, 100],
  [1000, 20],
] as const) {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++)
    times.push(await overshoot(round % 2 === 0 ? empty : busy, timeoutMs));
  rows.push([
    `a loop without end and ${timeoutMs} ms: what it runs longer, p99 of ${rounds}`,
    percentile(times, 0.99),
  ]);
}

let [last, gap] = [performance.now(), 0];
const timer = setInterval(() => {
  const now = performance.now();
  gap = Math.max(gap, now - last);
  last = now;
}, 1);
await Promise.all([empty, busy, empty, busy].map((program) => overshoot(program, 1000)));
clearInterval(timer);
rows.push(["four such loops at once: the longest gap for other work", `${gap.toFixed(1)} ms`]);

const aborts: number[] = [];
for (let round = 0; round < 100; round++) {
  const controller = new AbortController();
  let abortedAt = 0;
  setTimeout(() => {
    abortedAt = performance.now();
    controller.abort();
  }, 20);
  await load(busy, { signal: controller.signal, maxMemoryBytes }).catch(() => undefined);
  aborts.push(performance.now() - abortedAt);
}
rows.push([
  "an abort signal: until the script has stopped, the longest of 100",
  percentile(aborts, 1),
]);

const tool = `def run(args):
    names = args["names"]
    result = []
    for name in names:
        if name.startswith("a"):
            result.append({"name": name, "length": len(name)})
        else:
            result.append({"name": name.upper()})
    text = ",".join([entry["name"] for entry in result])
    return {"entries": result, "text": text}
`;
const compileTimes: number[] = [];
for (let round = 0; round < 2000; round++) {
  const start = performance.now();
  await load(compile(tool));
  compileTimes.push(performance.now() - start);
}
rows.push([
  "a tool of ten lines: read, checked, lowered and loaded, median of the last 1,000",
  percentile(compileTimes.slice(1000), 0.5),
]);

const trivial = await load(compile("def run(x): return x"));
const callTimes: number[] = [];
for (let round = 0; round < 20_000; round++) {
  const start = performance.now();
  await trivial.call("run", [1]);
  callTimes.push(performance.now() - start);
}
rows.push([
  "a call of a function of a loaded program, median of the last 10,000",
  microseconds(callTimes.slice(10_000)),
]);
const program = compile("def run(x): return x");
const runTimes: number[] = [];
for (let round = 0; round < 10_000; round++) {
  const start = performance.now();
  await run(program, { call: "run", args: [1] });
  runTimes.push(performance.now() - start);
}
rows.push([
  "a run from start to end, median of the last 5,000",
  microseconds(runTimes.slice(5000)),
]);

/** The processor time of a process that imports something. */
function importMs(script: string): number {
  const report = `${script}; const { user, system } = process.cpuUsage(); console.log((user + system) / 1000);`;
  const times = Array.from({ length: 15 }, () =>
    Number(
      execFileSync(process.execPath, ["--input-type=module", "-e", report], {
        encoding: "utf8",
        cwd: import.meta.dirname,
      }),
    ),
  );
  return pick(times, 0.5);
}
const bare = importMs("");
rows.push([
  "the import of the package: processor time, median of 15",
  `${(importMs('await import("@toolweave/starlark")') - bare).toFixed(1)} ms`,
]);

printTable("starlark-bounds", {
  title: "Starlark: bounds and small scripts",
  page: "bench/starlark/README.md",
  meaning: "Measured by the clock, so that other work of the machine counts.",
  versions: {},
  columns: ["what", "figure"],
  rows,
});
