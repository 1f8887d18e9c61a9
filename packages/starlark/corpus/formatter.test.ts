import { expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { format } from "../src/syntax/formatter.ts";
import { parseFile } from "../src/syntax/parser.ts";
import { suiteTexts } from "./support/chunks.ts";
import { mutate } from "./support/mutate.ts";
import { Random } from "./support/random.ts";

const options = { fstrings: false };

/** The tree of a text without places. */
function toTree(text: string): string {
  return JSON.stringify(parseFile(text, options).statements, (key, value: unknown) => {
    if (["start", "end", "at"].includes(key)) return undefined;
    return typeof value === "bigint" ? `${value}n` : value;
  });
}

function toComments(text: string): string[] {
  return parseFile(text, options)
    .comments.map((comment) => comment.text)
    .toSorted();
}

function findFaults(text: string): string[] {
  const once = format(text);
  return [
    format(once) === once ? "" : "a second run changes the text",
    toTree(once) === toTree(text) ? "" : "the program changes",
    toComments(once).join("\n") === toComments(text).join("\n") ? "" : "comments are lost",
  ].filter((fault) => fault !== "");
}

const valid = suiteTexts().filter((text) => parseFile(text, options).problems.length === 0);

test("every valid chunk of the suites is formatted once for all, with its program and its comments", () => {
  const faults = valid.flatMap((text) =>
    findFaults(text).map((fault) => `${fault}: ${text.slice(0, 80)}`),
  );
  expect(valid.length).toBeGreaterThan(550);
  expect(faults).toEqual([]);
});

test("mutated programs that are valid are formatted once for all, too", () => {
  const random = new Random(11);
  const faults: string[] = [];
  const count = inFullRun(20_000, 1000);
  for (let round = 0; round < count; round++) {
    const text = mutate(random, random.pick(valid));
    if (parseFile(text, options).problems.length > 0) continue;
    faults.push(...findFaults(text).map((fault) => `${fault}: ${JSON.stringify(text)}`));
  }
  expect(faults).toEqual([]);
});
