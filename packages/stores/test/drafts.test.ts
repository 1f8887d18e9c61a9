import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { testArtifact } from "@toolweave/conformance/test-records";
import type { Credential } from "@toolweave/core/stores";
import { differingCharacters, recordWrites } from "@toolweave/test-support";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, onTestFinished, test } from "vitest";
import { fileArtifacts, fileCredentials, fileLists, sqliteStore } from "../src/index.ts";

const token: Credential = { type: "token", accessToken: "an-access-token" };

/** Writes the same file at each call. */
type Write = () => Promise<void>;

const writers: readonly (readonly [what: string, open: (folder: string) => Write])[] = [
  [
    "a credential",
    (folder) => {
      const store = fileCredentials(folder);
      return async () => store.set({ source: "shop", scheme: "oauth" }, token);
    },
  ],
  [
    "a list of tools",
    (folder) => {
      const lists = fileLists(folder);
      return () => lists.set("shop", ["tool"]);
    },
  ],
  [
    "an artifact",
    (folder) => async () => {
      // As by another process.
      const store = fileArtifacts(folder);
      const { artifact, data } = testArtifact("a", 100);
      await store.delete(artifact.key);
      await store.put(artifact, data);
    },
  ],
];

test.each(writers)(
  "%s is written under an unpredictable temporary name that is created exclusively",
  async (_what, open) => {
    const folder = join(tempFolder(), "store");
    const write = open(folder);
    const writes = recordWrites(folder);
    onTestFinished(() => writes.stop());
    await write();
    const [first, ...others] = writes.take();
    await write();
    const [second] = writes.take();
    expect([first?.isExclusive, second?.isExclusive, others]).toEqual([true, true, []]);
    const names = [first, second].map((one) => basename(one?.path ?? ""));
    expect(differingCharacters(names[0] ?? "", names[1] ?? "")).toBeGreaterThan(8);
    const [stored, ...more] = readdirSync(folder);
    expect(more).toEqual([]);
    expect(names).not.toContain(stored);
  },
);

test("a database of pending calls, grants and tokens is created exclusively", () => {
  const folder = tempFolder();
  const writes = recordWrites(folder);
  onTestFinished(() => writes.stop());
  const path = join(folder, "store.sqlite");
  sqliteStore(path).close();
  expect(writes.take()).toEqual([{ path, isExclusive: true }]);
});
