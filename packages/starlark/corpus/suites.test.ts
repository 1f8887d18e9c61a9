import { join } from "node:path";
import { expect, test } from "vitest";
import { readBazelChunks, readGoChunks, starFiles, suites } from "./support/chunks.ts";
import { runAll } from "./support/run-suites.ts";

const bazel = ["go", "java", "rust"]
  .flatMap((folder) => starFiles(join(suites, "bazel", folder)))
  .flatMap(readBazelChunks);
const go = starFiles(join(suites, "starlark-go")).flatMap(readGoChunks);
const resolver = readGoChunks(join(suites, "starlark-go/resolve/resolve.star"));
const syntax = starFiles(join(suites, "starlark-go/syntax")).flatMap(readGoChunks);

test("the suites have the chunks that are counted", () => {
  expect([bazel.length, go.length, resolver.length, syntax.length]).toEqual([430, 76, 44, 53]);
});

test("every chunk passes: programs at once and suspended after every operation, errors in their lines", async () => {
  const { passed, faults } = await runAll({ bazel, go, resolver, syntax });
  expect(faults).toEqual([]);
  expect(passed).toBe(2 * (430 + 76) + 44 + 53);
});
