import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { settled } from "@toolweave/test-support/fake-clock";
import { makeDeterministic } from "./deterministic.ts";
import { arbitraryPlan } from "./arbitrary-plan.ts";
import type { Plan } from "./plan.ts";
import { play } from "./play.ts";
import { brokenInvariants } from "./invariants.ts";

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

/** Pseudo-random numbers, the same ones for the same seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

/** The violations after the plan was played. */
async function findProblems(given: Plan): Promise<readonly string[]> {
  vi.spyOn(Math, "random").mockImplementation(numbers(given.random));
  unhandled.length = 0;
  const played = await play(given);
  await settled();
  const problems = brokenInvariants(given, played);
  return [...problems, ...unhandled.map((error) => `unhandled: ${(error as Error).stack}`)];
}

/**
 * So many random lives of an executor: the same ones for the same `seed`, so that a commit is green
 * or red and not both. `TOOLWEAVE_SEED` and `TOOLWEAVE_RUNS` play others, and more of them:
 *
 *     for seed in $(seq 1 20); do
 *       TOOLWEAVE_SEED=$seed TOOLWEAVE_RUNS=10000 vitest run packages/core/test/simulation/runs-1.test.ts
 *     done
 *
 * Its findings become tests in `found-cases.test.ts`.
 */
export function simulateRuns(usualRuns: number, usualSeed: number): void {
  const seed = Number(process.env["TOOLWEAVE_SEED"] ?? usualSeed);
  const numRuns = Number(process.env["TOOLWEAVE_RUNS"] ?? usualRuns);
  makeDeterministic();
  beforeAll(async () => {
    process.on("unhandledRejection", note);
    // The virtual clock does not wait for modules that load when first used.
    await import("../../src/executor/resume/claim.ts");
    await import("../../src/executor/resume/resume.ts");
    await import("../../src/executor/stages/request-approval.ts");
  });
  afterAll(() => {
    process.off("unhandledRejection", note);
    vi.restoreAllMocks();
  });

  test(
    `in every random run the guarantees hold (${numRuns} runs of seed ${seed})`,
    async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryPlan, async (given) => {
          expect(await findProblems(given)).toEqual([]);
        }),
        { numRuns, seed },
      );
    },
    inFullRun(3_600_000, 300_000),
  );
}
