import { InMemoryStore } from "@mastra/core/storage";
import { defineTool, suspend, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { memoryPendingCalls, type PendingCallStore } from "@toolweave/core/stores";
import { call, resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import type { MockLanguageModelV4 } from "ai/test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { mastraTools, type MastraToolsOptions } from "../src/index.ts";
import { agentWith } from "./support/agent-with.ts";
import { readStream } from "./support/read-stream.ts";

/** The state that processes share. */
interface Shared {
  readonly storage: InMemoryStore;
  readonly pendingCalls: PendingCallStore;
  readonly removed: number[];
}

interface Process extends MastraToolsOptions {
  readonly description?: string;
  readonly key?: string;
}

function shared(): Shared {
  return { storage: new InMemoryStore(), pendingCalls: memoryPendingCalls(), removed: [] };
}

/** An agent as a process creates it: with a registry, an executor, tools and its own Mastra. */
async function process(
  { storage, pendingCalls, removed }: Shared,
  model: MockLanguageModelV4,
  { description = "Remove an exhibit.", key = "k".repeat(32), ...options }: Process = {},
) {
  const remove = defineTool({
    name: "remove",
    description,
    input: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    needsApproval: true,
    execute: ({ id }) => {
      removed.push(id);
      return { removed: id };
    },
  });
  const when = defineTool({
    name: "when",
    description: "Ask for a day.",
    input: { type: "object" },
    execute: (_, { resumed }) =>
      resumed === undefined
        ? suspend([{ id: "day", type: "input", message: "When?" }], null)
        : JSON.stringify(resumed.answers),
  });
  const executor = new ToolExecutor({
    registry: new ToolRegistry([remove, when]),
    key,
    pendingCalls,
  });
  return agentWith(model, await mastraTools(executor, options), storage);
}

const two = [call("c1", "remove", { id: 1 }), call("c2", "remove", { id: 2 })];

describe("calls that wait, in another process", () => {
  it.each([
    ["in their order", ["c1", "c2"]],
    ["in the other order", ["c2", "c1"]],
  ])("are resumed one by one, %s, and none runs twice", async (_, [first = "", second = ""]) => {
    const all = shared();
    const a = await process(all, scripted(two));
    const { runId } = await readStream(a.stream("go"));
    const b = await process(all, scripted());
    const { finishReason } = await readStream(b.approveToolCall({ runId, toolCallId: first }));
    expect(finishReason).toBe("suspended");
    expect(all.removed).toEqual([Number(first[1])]);
    const model = scripted([say("done")]);
    const c = await process(all, model);
    const { text } = await readStream(c.approveToolCall({ runId, toolCallId: second }));
    expect(text).toBe("done");
    expect(all.removed).toEqual([Number(first[1]), Number(second[1])]);
    expect(resultsRead(model)).toEqual({
      c1: { type: "text", value: '{"removed":1}' },
      c2: { type: "text", value: '{"removed":2}' },
    });
  });

  it("are found there, and are not all approved by an answer that names none", async () => {
    const all = shared();
    const { runId } = await readStream((await process(all, scripted(two))).stream("go"));
    const b = await process(all, scripted([say("done")]));
    const { runs } = await b.listSuspendedRuns({});
    expect(runs[0]?.toolCalls.map(({ toolCallId }) => toolCallId)).toEqual(["c1", "c2"]);
    await readStream(b.approveToolCall({ runId }));
    expect(all.removed).toEqual([1]);
    await readStream(b.approveToolCall({ runId }));
    expect(all.removed).toEqual([1, 2]);
  });

  // Mastra returns new messages since a run was resumed, and its generate fails if there are none.
  it.fails("are approved one by one with generate", async () => {
    const all = shared();
    const { runId } = await readStream((await process(all, scripted(two))).stream("go"));
    const b = await process(all, scripted());
    const output = await b.approveToolCallGenerate({ runId, toolCallId: "c1" });
    expect(output.finishReason).toBe("suspended");
  });

  it("run once if two processes resume the same one", async () => {
    const all = shared();
    const { runId } = await readStream(
      (await process(all, scripted([call("c1", "remove", { id: 1 })]))).stream("go"),
    );
    const b = await process(all, scripted([say("done")]));
    const c = await process(all, scripted([say("done")]));
    await Promise.allSettled([
      readStream(b.approveToolCall({ runId, toolCallId: "c1" })),
      readStream(c.approveToolCall({ runId, toolCallId: "c1" })),
    ]);
    expect(all.removed).toEqual([1]);
  });

  it("receive the typed text", async () => {
    const all = shared();
    const { runId } = await readStream(
      (await process(all, scripted([call("c1", "when")]))).stream("go"),
    );
    const model = scripted([say("done")]);
    await readStream(
      (await process(all, model)).resumeStream("Monday", { runId, toolCallId: "c1" }),
    );
    expect(resultsRead(model)["c1"]).toEqual({
      type: "text",
      value: '[{"type":"input","value":"Monday"}]',
    });
  });

  it("ask again in that process, and are resumed in a third one", async () => {
    const all = shared();
    const { runId } = await readStream(
      (await process(all, scripted([call("c1", "remove", { id: 1 })]))).stream("go"),
    );
    const b = await process(all, scripted([call("c2", "remove", { id: 2 })]));
    await readStream(b.approveToolCall({ runId, toolCallId: "c1" }));
    const c = await process(all, scripted([say("done")]));
    const { text } = await readStream(c.approveToolCall({ runId, toolCallId: "c2" }));
    expect(text).toBe("done");
    expect(all.removed).toEqual([1, 2]);
  });
});

describe("an approval that is given in another process", () => {
  afterEach(() => void vi.useRealTimers());

  it.each<[string, Process]>([
    ["a tool that has changed since", { description: "Remove every exhibit." }],
    ["an executor with another key", { key: "x".repeat(32) }],
    ["another caller", { run: () => ({ caller: { id: "eve" } }) }],
    ["another session", { run: () => ({ caller: { id: "ann" }, sessionId: "t" }) }],
  ])("is not valid for %s", async (_, changed) => {
    const all = shared();
    const run = () => ({ caller: { id: "ann" }, sessionId: "s" });
    const a = await process(all, scripted([call("c1", "remove", { id: 1 })]), { run });
    const { runId } = await readStream(a.stream("go"));
    const model = scripted([say("hm")], [say("hm")]);
    const b = await process(all, model, { run, ...changed });
    await readStream(b.approveToolCall({ runId, toolCallId: "c1" }));
    expect(all.removed).toEqual([]);
  });

  it("is not valid a day later", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const all = shared();
    const a = await process(all, scripted([call("c1", "remove", { id: 1 })]));
    const { runId } = await readStream(a.stream("go"));
    vi.advanceTimersByTime(24 * 60 * 60 * 1000 + 1);
    const model = scripted([say("hm")]);
    await readStream((await process(all, model)).approveToolCall({ runId, toolCallId: "c1" }));
    expect(resultsRead(model)["c1"]?.type).toBe("error-text");
    expect(all.removed).toEqual([]);
  });
});
