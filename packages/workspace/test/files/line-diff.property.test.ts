import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFullRun } from "@toolweave/test-support";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines } from "../../src/files/line-diff.ts";
import { diffTexts } from "../../src/files/unified-diff.ts";

const lists = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 14 });

/** The length of the longest common subsequence, by the table of dynamic programming. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const one of a) {
    const next = [0];
    for (const [index, other] of b.entries()) {
      next.push(
        one === other
          ? (row[index] as number) + 1
          : Math.max(next[index] as number, row[index + 1] as number),
      );
    }
    row = next;
  }
  return row.at(-1) as number;
}

test("a diff has all lines of both lists, and as few differences as possible", () => {
  fc.assert(
    fc.property(lists, lists, (old, fresh) => {
      const lines = diffLines(old, fresh);
      const side = (other: string): readonly string[] =>
        lines.filter((line) => !line.startsWith(other)).map((line) => line.slice(1));
      expect(side("+")).toEqual(old);
      expect(side("-")).toEqual(fresh);
      const common = lines.filter((line) => line.startsWith(" ")).length;
      expect(common).toBe(commonLength(old, fresh));
    }),
    { numRuns: inFullRun(20_000, 2_000), seed: 1 },
  );
});

test("lists with nothing in common cost no more than a limit", () => {
  const old = Array.from({ length: 50_000 }, (_, index) => `a${index}`);
  const fresh = Array.from({ length: 50_000 }, (_, index) => `b${index}`);
  const lines = diffLines(["same", ...old], ["same", ...fresh]);
  expect(lines).toHaveLength(100_001);
  expect(lines[0]).toBe(" same");
});

/** Texts of many lines of which few differ, so that there are several hunks. */
const texts = fc
  .tuple(
    fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 60 }),
    fc.array(fc.tuple(fc.nat(60), fc.constantFrom("x", "y", undefined)), { maxLength: 4 }),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([lines, changes, oldEnds, freshEnds]) => {
    const changed: string[] = [...lines];
    for (const [at, line] of changes) changed.splice(at, 1, ...(line === undefined ? [] : [line]));
    const toText = (all: readonly string[], ends: boolean): string =>
      all.join("\n") + (ends && all.length > 0 ? "\n" : "");
    return [toText(lines, oldEnds), toText(changed, freshEnds)] as const;
  });

test("git makes the new text of the old one and a diff", () => {
  const folder = tempFolder();
  const file = join(folder, "a.txt");
  fc.assert(
    fc.property(texts, ([old, fresh]) => {
      const diff = diffTexts({ old, fresh, oldName: "a.txt", freshName: "a.txt" });
      expect(diff === "").toBe(old === fresh);
      // For git, an empty text is a file that does not exist.
      if (diff === "" || fresh === "" || old === "") return;
      writeFileSync(file, old);
      const { status, stdout } = spawnSync("git", ["apply", "-p0", "-"], {
        cwd: folder,
        input: diff,
        env: { PATH: process.env["PATH"], GIT_CEILING_DIRECTORIES: "/" },
        encoding: "utf8",
      });
      expect([status, stdout]).toEqual([0, ""]);
      expect(readFileSync(file, "utf8")).toBe(fresh);
    }),
    { numRuns: inFullRun(1_000, 100), seed: 2 },
  );
});
