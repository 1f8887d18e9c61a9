import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toCommand } from "../../src/tools/to-command.ts";

/** The words that a shell makes of lines, each a call of `toolweave`. */
function readWords(lines: readonly string[]): readonly (readonly string[])[] {
  const script = `toolweave() { printf '%s\\0' "$@"; printf '\\1\\0'; }\n${lines.join("\n")}`;
  const printed = execFileSync("/bin/sh", { input: script, encoding: "utf8", maxBuffer: 1 << 26 });
  return printed
    .split("\u0001\0")
    .slice(0, -1)
    .map((words) => words.split("\0").slice(0, -1));
}

test("a copied command gives the CLI the tool and its arguments, in one word of --args", () => {
  const text = fc.string({ unit: "grapheme" }).map((given) => given.replaceAll(/[\0\u0001]/g, ""));
  const value = fc.letrec((tie) => ({
    any: fc.oneof(fc.integer(), fc.boolean(), text, fc.array(tie("any"), { maxLength: 3 })),
  })).any;
  const args = fc.dictionary(text, value, { maxKeys: 5 });
  const name = fc.constantFrom("form", "filesystem__read_file", "a-b");
  const calls = fc.sample(fc.tuple(name, args), { numRuns: 500, seed: 1 });
  const texts = calls.map(([, given]) => JSON.stringify(given));
  const words = readWords(calls.map(([tool], index) => toCommand(tool, texts[index] as string)));
  expect(words).toEqual(calls.map(([tool], index) => ["call", tool, "--args", texts[index]]));
});
