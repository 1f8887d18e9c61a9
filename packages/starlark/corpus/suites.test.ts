import { join } from "node:path";
import { expect, test } from "vitest";
import { starFiles, suites } from "./support/chunks.ts";
import type { Chunk } from "./support/chunks.ts";
import {
  checkResolverChunk,
  checkSyntaxChunk,
  readBazelChunks,
  readGoChunks,
  runBazelChunk,
  runGoChunk,
} from "./support/run-suites.ts";
import type { Faults } from "./support/run-suites.ts";

const bazel = ["go", "java", "rust"]
  .flatMap((folder) => starFiles(join(suites, "bazel", folder)))
  .flatMap(readBazelChunks);
const go = starFiles(join(suites, "starlark-go")).flatMap(readGoChunks);
const resolver = readGoChunks(join(suites, "starlark-go/resolve/resolve.star"));
const syntax = starFiles(join(suites, "starlark-go/syntax")).flatMap(readGoChunks);

async function collectFaults(
  chunks: readonly Chunk[],
  check: (chunk: Chunk) => Faults | Promise<Faults>,
): Promise<string[]> {
  const all: string[] = [];
  for (const chunk of chunks) {
    const faults = await check(chunk);
    all.push(...faults.map((fault) => `${chunk.file}:${chunk.line}: ${fault}`));
  }
  return all;
}

test("the suites have the chunks that are counted", () => {
  expect([bazel.length, go.length, resolver.length, syntax.length]).toEqual([430, 76, 44, 53]);
});

test.each([
  ["at once", false],
  ["suspended after every operation", true],
])("every chunk of Bazel's suite passes, %s", async (_, stepwise) => {
  expect(await collectFaults(bazel, (chunk) => runBazelChunk(chunk, stepwise))).toEqual([]);
});

test.each([
  ["at once", false],
  ["suspended after every operation", true],
])("every chunk of starlark-go's suite passes, %s", async (_, stepwise) => {
  expect(await collectFaults(go, (chunk) => runGoChunk(chunk, stepwise))).toEqual([]);
});

test("every chunk of starlark-go's resolver suite has its errors, in their lines", async () => {
  expect(await collectFaults(resolver, checkResolverChunk)).toEqual([]);
});

test("every chunk of starlark-go's syntax suite has its first error, in its line", async () => {
  expect(await collectFaults(syntax, checkSyntaxChunk)).toEqual([]);
});
