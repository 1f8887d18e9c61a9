import { statSync } from "node:fs";
import { join } from "node:path";
import { lockDifference, lockOf, readLock, writeLock } from "@toolweave/config";
import { openApiSource } from "@toolweave/openapi";
import { expect, test } from "vitest";
import { specs } from "../../../packages/openapi/corpus/documents.ts";
import { tempFolder } from "../test/support/temp-file.ts";

test.each([
  ["github-api-3.0.json", 1223, 300_000],
  ["stripe-2023-09.yaml", 468, 120_000],
])(
  "the lock of %s with its %i tools has at most %i bytes, and they match it",
  async (document, tools, bytes) => {
    await using source = openApiSource.fromFile(specs + document, { id: "api" });
    await source.ready;
    source.realize();
    const entries = source.tools().map((tool) => ({ tool, source: source.id }));
    const path = join(tempFolder(), "toolweave.lock.json");
    await writeLock(path, lockOf(entries));
    expect(statSync(path).size).toBeLessThanOrEqual(bytes);
    const lock = await readLock(path);
    expect(Object.keys(lock.sources["api"] ?? {})).toHaveLength(tools);
    expect(lockDifference(lock, entries)).toEqual({ added: [], removed: [], changed: [] });
  },
);
