import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { findSpecialPaths } from "../../src/jail/existing-paths.ts";
import { PathMatcher } from "../../src/jail/path-rules.ts";

test("a search for special paths takes the upper folders first, and says when there are more", () => {
  const root = tempFolder();
  for (const folder of ["a/b/c", "z"]) mkdirSync(join(root, folder), { recursive: true });
  for (const path of ["a/b/c/.env", "z/.env"]) writeFileSync(join(root, path), "");
  const find = (maxFolders: number): unknown => {
    const bounds = { maxFolders, maxDepth: 9 };
    const { paths, isComplete } = findSpecialPaths(root, "", new PathMatcher({}), bounds);
    return [paths.map(({ path }) => path), isComplete];
  };
  expect(find(3)).toEqual([["z/.env"], false]);
  expect(find(5)).toEqual([["z/.env", "a/b/c/.env"], true]);
});
