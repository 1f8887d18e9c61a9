import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import type { InterruptedRun } from "./support/interrupted-runs.ts";

const module = JSON.stringify(new URL("support/interrupted-runs.ts", import.meta.url).href);

/** Runs a script in a process of its own, with a text as its input. */
function inProcess(script: string, input: string): unknown {
  const child = spawnSync(
    process.execPath,
    ["--conditions=@toolweave/source", "--input-type=module", "-e", script],
    { input, encoding: "utf8", maxBuffer: 2 ** 28 },
  );
  expect(child.stderr).toBe("");
  return JSON.parse(child.stdout);
}

test("10,000 runs that are interrupted at a random effect continue in another process, and repeat nothing", () => {
  const total = 10_000;
  const perProcess = 1000;
  const faults: string[] = [];
  let effects = 0;
  for (let from = 1; from <= total; from += perProcess) {
    const interrupted = inProcess(
      `const { interruptRuns } = await import(${module});
       console.log(JSON.stringify(await interruptRuns(${from}, ${from + perProcess})));`,
      "",
    ) as InterruptedRun[];
    effects += interrupted.reduce((sum, run) => sum + run.effects.length, 0);
    const resume = `const { resumeRuns } = await import(${module});
       const chunks = [];
       for await (const chunk of process.stdin) chunks.push(chunk);
       console.log(JSON.stringify(await resumeRuns(JSON.parse(Buffer.concat(chunks).toString()))));`;
    faults.push(...(inProcess(resume, JSON.stringify(interrupted)) as string[]));
  }
  console.log(`${total} runs were interrupted after ${effects} effects`);
  expect(faults).toEqual([]);
});
