import type { Step, StepContext, StepResult } from "./step.ts";

/** How every step of a run ended. */
export interface StepsSummary {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** Not run, because a step that they need failed. */
  readonly blocked: readonly string[];
}

async function runOne(step: Step, context: StepContext): Promise<StepResult> {
  try {
    return await step.run(context);
  } catch (error) {
    return {
      ok: false,
      output: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
}

/** Adds what the named steps need, and keeps the order of `all`. */
export function withNeeds(all: readonly Step[], names: ReadonlySet<string>): Step[] {
  const wanted = new Set(names);
  // Later steps need earlier ones, so one pass from the end finds everything.
  for (const step of all.toReversed()) {
    if (wanted.has(step.name)) for (const need of step.needs ?? []) wanted.add(need);
  }
  return all.filter((step) => wanted.has(step.name));
}

/** Runs steps, `width` at a time, each after those that it needs; a failure stops only its dependents. */
export async function runSteps(
  steps: readonly Step[],
  context: StepContext,
  width: number,
  print: (line: string) => void,
): Promise<StepsSummary> {
  const passed: string[] = [];
  const failed: string[] = [];
  const blocked: string[] = [];
  const waiting = [...steps];
  const names = new Set(steps.map((step) => step.name));

  const next = (): Step | undefined => {
    for (let index = 0; index < waiting.length; index++) {
      const step = waiting[index]!;
      const needs = (step.needs ?? []).filter((need) => names.has(need));
      const lost = needs.find((need) => failed.includes(need) || blocked.includes(need));
      if (lost !== undefined) {
        waiting.splice(index--, 1);
        blocked.push(step.name);
        print(`-- ${step.name} not run: ${lost} failed`);
      } else if (needs.every((need) => passed.includes(need))) {
        waiting.splice(index, 1);
        return step;
      }
    }
    return undefined;
  };

  const active = new Set<Promise<void>>();
  for (;;) {
    const step = active.size < width ? next() : undefined;
    if (step !== undefined) {
      const start = performance.now();
      const work: Promise<void> = runOne(step, context).then((result) => {
        active.delete(work);
        const seconds = ((performance.now() - start) / 1000).toFixed(1);
        const note = result.note === undefined ? "" : ` (${result.note})`;
        print(`${result.ok ? "ok" : "FAILED"} ${step.name} ${seconds} s${note}`);
        if (!result.ok) print(`${result.output.trimEnd().replaceAll(/^/gm, "    ")}\n`);
        (result.ok ? passed : failed).push(step.name);
      });
      active.add(work);
    } else if (active.size > 0) {
      await Promise.race(active);
    } else {
      return { passed, failed, blocked };
    }
  }
}
