import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countedNames, measureFlags, type Counts } from "../gate/measure.ts";
import { runCommand } from "../lib/run-command.ts";
import { problemsResult, type Step } from "../lib/step.ts";

type AllCounts = Readonly<Record<string, Counts>>;

const baselineFile = "scripts/gate/baseline.json";

/** The part by which a count may differ: the code of a package changes a little with each change. */
const tolerance = 0.01;

const units = {
  functions: "function calls",
  bytes: "bytes allocated",
  loaded: "bytes of modules loaded",
  builtIns: "modules of Node.js loaded",
} as const satisfies Record<keyof Counts, string>;

const measure = join(import.meta.dirname, "../gate/measure.ts");

/** Counts the work of a call, of a document and of imports in the packages that are built in `root`. */
export async function countAll(root: string): Promise<AllCounts> {
  const found: Record<string, Counts> = {};
  for (const name of countedNames) {
    const { code, stdout, output } = await runCommand(
      process.execPath,
      [...measureFlags, measure, name, root],
      { cwd: root, timeoutMs: 120_000 },
    );
    if (code !== 0) throw new Error(`Counting the work of "${name}" failed: ${output}`);
    found[name] = JSON.parse(stdout) as Counts;
  }
  return found;
}

/**
 * The counts that differ from the recorded ones, a line each. Less work is one of them: a count that is recorded too high
 * would hide the next growth.
 */
export function findDifferences(recorded: AllCounts, counted: AllCounts): readonly string[] {
  return Object.entries(counted).flatMap(([name, counts]) =>
    (Object.keys(units) as (keyof Counts)[]).flatMap((unit) => {
      const now = counts[unit];
      const before = recorded[name]?.[unit];
      if (now === undefined) return [];
      if (before === undefined) return [`${name}: ${units[unit]} are not recorded`];
      if (Math.abs(now - before) <= before * tolerance) return [];
      const percent = (Math.abs(now / before - 1) * 100).toFixed(1);
      const change = `${percent} % ${now > before ? "more" : "less"}`;
      return [`${name}: ${now} ${units[unit]}, ${change} than the recorded ${before}`];
    }),
  );
}

/** The recorded counts. */
export function readBaseline(root: string): AllCounts {
  return JSON.parse(readFileSync(join(root, baselineFile), "utf8")) as AllCounts;
}

/** Records the present counts. */
export async function recordBaseline(root: string): Promise<void> {
  const counts = await countAll(root);
  writeFileSync(join(root, baselineFile), `${JSON.stringify(counts, null, 2)}\n`);
}

/** Compares the work of calls, documents and imports with the recorded counts: the load of a machine changes none. */
export const benchGateStep: Step = {
  name: "bench:gate",
  summary:
    "a call, a document and the imports take as much work as recorded, counted without a clock",
  needs: ["build"],
  async run({ root }) {
    const counted = await countAll(root);
    const differences = findDifferences(readBaseline(root), counted);
    const advice =
      differences.length === 0
        ? []
        : [
            "Remove the additional work, or record it with `pnpm bench:gate --record` and say why in the commit.",
          ];
    const { functions, bytes } = counted["call"] ?? {};
    return problemsResult(
      [...differences, ...advice],
      `a call: ${functions} function calls, ${bytes} bytes`,
    );
  },
};
