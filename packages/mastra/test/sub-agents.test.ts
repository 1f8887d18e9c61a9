import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { MockMemory } from "@mastra/core/memory";
import { InMemoryStore } from "@mastra/core/storage";
import { call, resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import type { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import { mastraTools, type MastraTools } from "../src/index.ts";
import { toModelConfig } from "./support/agent-with.ts";
import { museum } from "./support/museum.ts";
import { readStream } from "./support/read-stream.ts";

/** An agent that delegates everything to another one, which has the tools. */
function createParent(child: MockLanguageModelV4, tools: MastraTools): Agent {
  const worker = new Agent({
    id: "worker",
    name: "worker",
    description: "Works.",
    instructions: "Work.",
    model: toModelConfig(child),
    tools,
  });
  const model = scripted([call("p1", "agent-worker", { prompt: "work" })], [say("all done")]);
  const parent = new Agent({
    id: "parent",
    name: "parent",
    instructions: "Delegate.",
    model: toModelConfig(model),
    agents: { worker },
    memory: new MockMemory(),
  });
  const storage = new InMemoryStore();
  return new Mastra({ agents: { parent, worker }, storage, logger: false }).getAgent("parent");
}

describe("calls of an agent's agent that need approval", () => {
  it("are asked for by the parent, and one answer approves the displayed one", async () => {
    const { executor, removed } = museum();
    const calls = [call("k1", "remove", { id: 1 }), call("k2", "remove", { id: 2 })];
    const parent = createParent(scripted(calls, [say("done")]), await mastraTools(executor));
    const first = await readStream(parent.stream("go"));
    const { runId } = first;
    expect(first.approvals.at(-1)).toBe('p1 remove {"id":1}');
    const second = await readStream(parent.approveToolCall({ runId, toolCallId: "p1" }));
    expect(removed).toEqual([1]);
    expect(second.approvals.at(-1)).toBe('p1 remove {"id":2}');
    const { text } = await readStream(parent.approveToolCall({ runId, toolCallId: "p1" }));
    expect(removed).toEqual([1, 2]);
    expect(text).toBe("all done");
  });

  it("do not run if the parent's host declines, and that agent reads it", async () => {
    const { executor, removed } = museum();
    const child = scripted([call("k1", "remove", { id: 1 })], [say("I leave it.")]);
    const parent = createParent(child, await mastraTools(executor));
    const { runId } = await readStream(parent.stream("go"));
    await readStream(parent.declineToolCall({ runId, toolCallId: "p1" }));
    expect(removed).toEqual([]);
    expect(resultsRead(child)["k1"]?.type).toBe("error-text");
  });
});
