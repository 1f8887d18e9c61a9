import { expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { compile } from "../src/host/program.ts";
import { StarlarkError } from "../src/values/error.ts";
import { suiteTexts } from "./support/chunks.ts";
import { mutate } from "./support/mutate.ts";
import { Random } from "./support/random.ts";

const maxMs = 50;

/** Compiles a text. Returns what is wrong: an error that is not ours, or more than 50 ms of the processor, three times. */
function findFault(text: string): string | undefined {
  let fastest = Infinity;
  for (let round = 0; round < 3; round++) {
    const start = process.cpuUsage();
    try {
      compile(text, { dialect: "session" });
    } catch (error) {
      if (!(error instanceof StarlarkError))
        return `${(error as Error).stack}: ${JSON.stringify(text)}`;
    }
    const { user } = process.cpuUsage(start);
    fastest = Math.min(fastest, user / 1000);
    if (fastest <= maxMs) return undefined;
  }
  return `${fastest} ms: ${JSON.stringify(text)}`;
}

test("mutated programs cause no error but ours, and none takes long", () => {
  const texts = suiteTexts().filter(({ length }) => length < 3000);
  const random = new Random(7);
  const faults: string[] = [];
  for (let round = 0; round < inFullRun(200_000, 4000); round++) {
    const fault = findFault(mutate(random, random.pick(texts)));
    if (fault !== undefined) faults.push(fault);
  }
  expect(faults).toEqual([]);
});

test.each([
  ["parentheses", "(".repeat(100_000), "the code is nested too deeply"],
  ["brackets", "[".repeat(100_000), "the code is nested too deeply"],
  ["unary operators", `x=${"-".repeat(100_000)}1`, "the code is nested too deeply"],
  ["not", `x=${"not ".repeat(100_000)}1`, "the code is nested too deeply"],
  ["operators", `x=1${"+1".repeat(100_000)}`, "too many operators"],
  ["attributes", `x=${"a.".repeat(100_000)}b`, "the code is nested too deeply"],
  ["calls", `a${"()".repeat(100_000)}`, "the code is nested too deeply"],
  ["conditions", `x=${"1 if 1 else ".repeat(50_000)}1`, "the code is nested too deeply"],
  ["lambdas", "lambda:".repeat(100_000), "the code is nested too deeply"],
  [
    "blocks",
    Array.from({ length: 500 }, (_, level) => `${" ".repeat(level)}if a:\n`).join(""),
    "nested too deeply",
  ],
  ["digits", `x=${"9".repeat(500_000)}`, "digits is too long"],
  ["NUL", "\u0000", "unexpected input character"],
])("%s without end are an error", (_, text, message) => {
  expect(() => compile(text, { dialect: "session" })).toThrow(message);
});
