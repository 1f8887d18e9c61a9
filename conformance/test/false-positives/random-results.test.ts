import { defineTool } from "@toolweave/core";
import { expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import type { Manifest } from "../../src/index.ts";
import { findFalsePositives, type FalsePositive } from "../support/find-false-positives.ts";

const seeds = (count: number): number[] => Array.from({ length: count }, (_, index) => 1 + index);

/** Pseudo-random numbers from 0 to 1 (exclusive), the same ones for the same seed. */
function numbers(seed: number): () => number {
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

/** The tool in the README. */
function die(random: () => number): Manifest {
  return {
    name: "a die",
    create: () => [
      defineTool({
        name: "roll",
        description: "Roll a die.",
        input: { type: "object", properties: { sides: { type: "integer", minimum: 2 } } },
        execute: ({ sides = 6 }) => 1 + Math.floor(random() * sides),
      }),
    ],
    samples: { succeedingCalls: [{ tool: "roll", arguments: { sides: 20 } }] },
    without: "a die always rolls at once, and changes nothing",
  };
}

/** A tool whose results are random and often equal, for each caller and in its updates. */
function coin(random: () => number): Manifest {
  const side = (): string => (random() < 0.5 ? "heads" : "tails");
  const toss = (of: string) => ({ tool: "toss", arguments: { of, high: true } });
  return {
    name: "a coin",
    create: () => [
      defineTool({
        name: "toss",
        description: "Toss a coin of a person.",
        input: {
          type: "object",
          properties: { of: { type: "string" }, high: { type: "boolean" } },
          required: ["of"],
        },
        annotations: { streamingHint: true },
        execute: async function* (_, { caller }) {
          yield side();
          return caller === undefined ? side() : `${side()}, dear guest`;
        },
      }),
    ],
    samples: {
      succeedingCalls: [toss("ada"), toss("grace")],
      updatingCalls: [toss("ada"), toss("grace")],
      largeCalls: [{ ...toss("ada"), bytes: 4 }],
    },
    without: "a coin always lands at once, and changes nothing",
  };
}

test.each([
  ["a die", die, inFullRun(100, 10)],
  ["a coin", coin, inFullRun(50, 5)],
] as const)(
  "random results, as of %s, are no false positives",
  { timeout: inFullRun(3_000_000, 300_000) },
  async (_name, manifest, count) => {
    const falsePositives: FalsePositive[] = [];
    for (const seed of seeds(count)) {
      falsePositives.push(...(await findFalsePositives(manifest(numbers(seed)), [seed])));
    }
    expect(falsePositives).toEqual([]);
  },
);
