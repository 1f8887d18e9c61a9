import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { settled } from "../support/fake-clock.ts";
import { alwaysTheSame } from "./always-the-same.ts";
import { anyPlan } from "./any-plan.ts";
import type { Plan } from "./plan.ts";
import { play } from "./play.ts";
import { broken } from "./promises.ts";

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

/** Numbers that look random, the same ones for the same seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

/** What does not hold when the plan is played. */
async function problemsOf(given: Plan): Promise<readonly string[]> {
  vi.spyOn(Math, "random").mockImplementation(numbers(given.random));
  unhandled.length = 0;
  const played = await play(given);
  await settled();
  const problems = broken(given, played);
  return [...problems, ...unhandled.map((error) => `unhandled: ${(error as Error).stack}`)];
}

/**
 * So many random lives of an executor. `TOOLWEAVE_SEED` plays those of a seed again: it is printed
 * whatever comes of it.
 */
export function anyRuns(numRuns: number): void {
  const seed = Number(process.env["TOOLWEAVE_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  alwaysTheSame();
  beforeAll(() => void process.on("unhandledRejection", note));
  afterAll(() => {
    process.off("unhandledRejection", note);
    vi.restoreAllMocks();
  });

  test(`whatever happens in a run, the promises hold (${numRuns} runs)`, async () => {
    console.info(`TOOLWEAVE_SEED=${seed}`);
    await fc.assert(
      fc.asyncProperty(anyPlan, async (given) => {
        expect(await problemsOf(given)).toEqual([]);
      }),
      { numRuns, seed },
    );
  }, 300_000);
}
