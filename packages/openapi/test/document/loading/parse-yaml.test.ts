import * as yaml from "js-yaml";
import { expect, test } from "vitest";
import { parseYaml } from "../../../src/document/loading/parse-yaml.ts";

interface Work {
  characters: number;
  parses: number;
}

/** Parses a text, and counts the characters that the parser received. */
function measureWork(text: string, parse: (source: string, parses: number) => yaml.Event[]): Work {
  const work: Work = { characters: 0, parses: 0 };
  const counting = {
    ...yaml,
    parseEvents: (source: string) => {
      work.characters += source.length;
      return parse(source, work.parses++);
    },
  } as typeof yaml;
  try {
    parseYaml(text, counting, () => {});
  } catch {
    // The cost is the same.
  }
  return work;
}

/** A parser that finds an error in one line after the other, or always in the first. */
const faults = {
  indentation: () => ({ reason: "deficient indentation", mark: { line: 0 } }),
  value: (line: number) => ({ reason: "name of an alias node", mark: { line } }),
} as const;

const failing =
  (kind: keyof typeof faults) =>
  (_source: string, parses: number): never => {
    throw Object.assign(new Error(), faults[kind](parses));
  };

test("a line that is always wrong is indented until the text has twice its length, and no longer", () => {
  const text = "a: [\n";
  const { characters, parses } = measureWork(text, failing("indentation"));
  expect(parses).toBeGreaterThan(5);
  expect(characters).toBeLessThanOrEqual(parses * (2 * text.length + 4_096));
});

test("a text is repaired 500 times at most", () => {
  expect(measureWork("a: @b\n".repeat(2_000), failing("value")).parses).toBe(501);
});

test("repairs of a long text end at the limit of characters", () => {
  const text = `${"a: @b\n".repeat(100)}#${" ".repeat(4_000_000)}\n`;
  const { characters, parses } = measureWork(text, failing("value"));
  expect(parses).toBe(6);
  expect(characters).toBeLessThan(7 * text.length);
});

test("lines with too little indentation for a deep bracket cost no more than the text allows", () => {
  const text = `a:\n${" ".repeat(5_000)}b: [\n${"x,\n".repeat(40)}]\n`;
  const { characters, parses } = measureWork(text, (source) => yaml.parseEvents(source, {}));
  expect(characters).toBeLessThanOrEqual(parses * (2 * text.length + 4_096));
});

test("a value with a line separator is read as text", () => {
  const notes: string[] = [];
  expect(parseYaml("a: b: c\u2028d\n", yaml, (note) => notes.push(note))).toEqual({
    a: "b: c\u2028d",
  });
  expect(notes).toEqual(["a value is read as text in line 1"]);
});
