import { describe, expect, test } from "vitest";
import {
  ToolExecutor,
  ToolRegistry,
  toolsSource,
  type ExecutorOptions,
  type JsonObject,
  type ToolOutcome,
} from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { defineTool } from "@toolweave/core";
import { readToolFile } from "../../src/artifact/read-artifact.ts";
import { ScriptEffects } from "../../src/effects/script-effects.ts";
import { artifactTool } from "../../src/effects/artifact-tool.ts";

const notes: string[] = [];
const note = defineTool({
  name: "note",
  description: "Write a note.",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  needsApproval: true,
  execute: ({ text }) => {
    notes.push(text);
    return { count: notes.length };
  },
});

function executorFor(script: string, options: Omit<ExecutorOptions, "registry"> = {}) {
  const indented = script.split("\n").map((line) => `  ${line}`);
  const text = `---\nscript: |\n${indented.join("\n")}\n---\nDo it.\n`;
  const { artifact, findings } = readToolFile("tools/work.md", text);
  if (artifact === undefined) throw new Error(JSON.stringify(findings));
  const caches = new Map<string, Map<string, never>>();
  const tool = artifactTool(artifact, {
    source: "test",
    host: { cacheFor: (id) => caches.get(id) ?? new Map<string, never>() },
    effects: new ScriptEffects({ workspace: false, web: false }),
    limits: {},
  });
  return new ToolExecutor({
    registry: new ToolRegistry([toolsSource("s", [tool, note])]),
    ...options,
  });
}

const call = (executor: ToolExecutor, args: JsonObject = {}): Promise<ToolOutcome> =>
  executor.execute({ id: "1", name: "work", arguments: args });

describe("the tool of a markdown file", () => {
  test("runs its script with the arguments, and its result is JSON", async () => {
    const executor = executorFor("def run(args):\n    return {'n': args['n'] * 2, 'big': 1 << 60}");
    const outcome = await call(executor, { n: 21 });
    expect(outcome.result?.value).toEqual({ n: 42, big: 2 ** 60 });
    expect(outcome.result?.content).toEqual([
      { type: "text", text: '{"n":42,"big":1152921504606846976}' },
    ]);
  });

  test("fails with the message and the place in the file", async () => {
    const outcome = await call(executorFor("def run(args):\n    fail('no such thing')"));
    expect(outcome.error?.message).toBe("fail: no such thing (tools/work.md:4:11)");
    expect(outcome.error?.code).toBe("execution_failed");
  });

  test("waits for a person if a call in it does, and continues in another process without repeating calls", async () => {
    const pendingCalls = memoryPendingCalls();
    const key = "k".repeat(32);
    const script = `def run(args):
    seen = [time.now() > 0]
    for word in ["a", "b"]:
        seen.append(meta.call_tool("note", {"text": word})["value"]["count"])
    return seen`;
    const process = () => executorFor(script, { pendingCalls, key });
    notes.length = 0;
    let outcome = await call(process());
    const asked: unknown[] = [];
    while (outcome.status === "interrupted") {
      const copy = JSON.parse(JSON.stringify(outcome.interruption)) as typeof outcome.interruption;
      asked.push(copy.requests[0]?.type === "approval" && copy.requests[0].call?.arguments);
      outcome = await process().resume(copy, [{ type: "approve" }]);
    }
    expect(outcome.error).toBeUndefined();
    expect(outcome.result?.value).toEqual([true, 1, 2]);
    expect(asked).toEqual([{ text: "a" }, { text: "b" }]);
    expect(notes).toEqual(["a", "b"]);
  });

  test("ends with the refusal of a call", async () => {
    const executor = executorFor(
      'def run(args):\n    return meta.call_tool("note", {"text": "x"})',
      {
        policy: { rules: [{ tools: "note", effect: "deny" }] },
      },
    );
    const outcome = await call(executor);
    expect(outcome.error?.code).toBe("not_advertised");
  });

  test("is stopped by its timeout also while it computes", async () => {
    const executor = executorFor("def run(args):\n    for i in range(1 << 60):\n        pass", {
      timeoutMs: 50,
    });
    expect((await call(executor)).error?.code).toBe("timeout");
  });
});
