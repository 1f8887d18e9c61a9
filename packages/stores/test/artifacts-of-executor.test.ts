import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import type { ArtifactStore } from "@toolweave/core/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { fileArtifacts } from "../src/index.ts";
import { openStore } from "./support/open-store.ts";

const report = Array.from({ length: 20_000 }, (_, line) => `line ${line}: 😀`).join("\n");

/** An executor with a tool whose output is larger than the model's limit. */
function executorWith(artifacts: ArtifactStore): ToolExecutor {
  const tool = defineTool({
    name: "long_report",
    description: "A report that is too long.",
    input: { type: "object" },
    execute: () => report,
  });
  return new ToolExecutor({ registry: new ToolRegistry([tool]), artifacts });
}

const behalf = { sessionId: "s", caller: { id: "ada" } };

test.each<[string, (path: string) => ArtifactStore]>([
  ["files", (path) => fileArtifacts(path)],
  ["SQLite", (path) => openStore(path).artifacts],
])("a large output is stored in %s unchanged, and is found after a restart", async (_, make) => {
  const path = join(tempFolder(), "store");
  const call = { id: "1", name: "long_report", arguments: {} };
  const outcome = await executorWith(make(path)).execute(call, behalf);
  if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
  const { key, size } = outcome.result.artifacts[0]!;
  const bytes = await make(path).read(key, 0, Infinity);
  expect(size).toBe(Buffer.byteLength(report));
  expect(Buffer.from(bytes!).toString("utf8")).toBe(report);
});

test("EX18: a read of an artifact whose file was deleted fails for the model, and the call's result is unchanged", async () => {
  const path = join(tempFolder(), "artifacts");
  const executor = executorWith(fileArtifacts(path));
  const call = { id: "1", name: "long_report", arguments: {} };
  const outcome = await executor.execute(call, behalf);
  if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
  const before = JSON.stringify(outcome.result);
  const { key } = outcome.result.artifacts[0]!;
  const read = { id: "2", name: "read_artifact", arguments: { key } };
  expect((await executor.execute(read, behalf)).status).toBe("completed");
  expect(readdirSync(path)).toEqual([key]);
  rmSync(join(path, key));
  const late = await executor.execute({ ...read, id: "3" }, behalf);
  expect(late).toMatchObject({ status: "failed", error: { code: "artifact_missing" } });
  expect(JSON.stringify(late)).not.toContain(path);
  expect(JSON.stringify(outcome.result)).toBe(before);
});
