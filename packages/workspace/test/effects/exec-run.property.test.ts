import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFullRun } from "@toolweave/test-support";
import fc from "fast-check";
import { expect, test } from "vitest";
import { analyzeArgv } from "../../src/policy/analyze-command.ts";
import { openEffects } from "../support/open-effects.ts";

/** Words of all characters that a program can be given, and those that mean something to shells. */
const words = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.string({
      unit: fc.constantFrom(..."'\"\\$`();&|<>*?[]{}~#!=-% \n\t\r\u00a0\u202eaé😀"),
      maxLength: 12,
    }),
  )
  .map((word) => word.replaceAll("\0", ""));
const lists = fc.array(words, { maxLength: 8 });

test("exec_run passes all words on unchanged", async () => {
  const { value, root } = openEffects();
  writeFileSync(join(root, "print.pl"), `print join("\\0", @ARGV);`);
  await fc.assert(
    fc.asyncProperty(lists, async (args) => {
      const all = ["print.pl", "first", ...args];
      const { stdout, args: returned } = await value("exec_run", { cmd: "perl", args: all });
      expect(stdout).toBe(["first", ...args].join("\0"));
      expect(returned).toEqual(all);
    }),
    { numRuns: inFullRun(1_000, 60), seed: 1 },
  );
});

test("the analysis of a command has its words unchanged, and no other command", () => {
  fc.assert(
    fc.property(lists, (args) => {
      const { isKnown, commands } = analyzeArgv(["make", ...args], false);
      expect(isKnown).toBe(true);
      expect(commands.map(({ argv }) => argv)).toEqual([["make", ...args]]);
    }),
    { numRuns: inFullRun(10_000, 1_000), seed: 2 },
  );
});
