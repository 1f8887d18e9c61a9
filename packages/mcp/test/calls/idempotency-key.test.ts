import { fileURLToPath } from "node:url";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { expect, onTestFinished, test } from "vitest";
import { mcpSource } from "../../src/index.ts";

/** The `_meta` that a server receives of a call, without the progress token. */
async function readMeta(tool: string, run: string, id = "1"): Promise<string> {
  const file = fileURLToPath(new URL("../support/echoing-server.ts", import.meta.url));
  const source = mcpSource({ name: "odd", prefix: false, command: process.execPath, args: [file] });
  onTestFinished(() => source.close());
  const key = "the same in every process of this test";
  const registry = new ToolRegistry([source]);
  const executor = new ToolExecutor({ registry, policy: "autonomous", key });
  const outcome = await executor.startRun({ id: run }).execute({ id, name: tool, arguments: {} });
  const [block] = outcome.result?.content ?? [];
  return block?.type === "text" ? block.text : "";
}

test("a call has an idempotency key in its _meta, the same in each process", async () => {
  const [first, second] = [await readMeta("show_meta", "run"), await readMeta("show_meta", "run")];
  expect(JSON.parse(first)).toEqual({
    "toolweave/idempotencyKey": expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  expect(second).toBe(first);
  expect(await readMeta("show_meta", "another run")).not.toBe(first);
});

test("a call of a tool that only reads has none", async () => {
  expect(await readMeta("read_meta", "run")).toBe("{}");
});
