import { defineTool, suspend, type Tool } from "@toolweave/core";
import { call, resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import { describe, expect, it } from "vitest";
import { mastraTools } from "../src/index.ts";
import { agentWith } from "./support/agent-with.ts";
import { museum } from "./support/museum.ts";
import { readStream } from "./support/read-stream.ts";

const schema = { type: "object", properties: { day: { type: "string" } } } as const;

const when = defineTool({
  name: "when",
  description: "Ask for a day.",
  input: { type: "object" },
  execute: (_, { resumed }) =>
    resumed === undefined
      ? suspend([{ id: "day", type: "input", message: "When?", schema }], null)
      : JSON.stringify(resumed.answers),
}) as Tool;

describe("a tool that asks while it runs", () => {
  it("suspends the run, and its question is displayed", async () => {
    const { executor } = museum({}, when);
    const agent = agentWith(scripted([call("c1", "when")]), await mastraTools(executor));
    const { of, approvals, finishReason } = await readStream(agent.stream("go"));
    expect(finishReason).toBe("suspended");
    expect(approvals).toEqual([]);
    expect(of("tool-call-suspended")).toMatchObject([
      {
        toolCallId: "c1",
        toolName: "when",
        resumeSchema: JSON.stringify(schema),
        suspendPayload: { interruption: { requests: [{ id: "day", message: "When?", schema }] } },
      },
    ]);
  });

  it.each<[string, unknown, string]>([
    ["a value", { day: "Monday" }, '[{"type":"input","value":{"day":"Monday"}}]'],
    [
      "an answer",
      [{ type: "input", requestId: "day", value: { day: "Monday" } }],
      '[{"type":"input","requestId":"day","value":{"day":"Monday"}}]',
    ],
  ])("is resumed with %s", async (_, answer, value) => {
    const { executor } = museum({}, when);
    const model = scripted([call("c1", "when")], [say("done")]);
    const agent = agentWith(model, await mastraTools(executor));
    const { runId } = await readStream(agent.stream("go"));
    await readStream(agent.resumeStream(answer, { runId, toolCallId: "c1" }));
    expect(resultsRead(model)["c1"]).toEqual({ type: "text", value });
  });

  it("is not resumed if a person declines, and the model reads that", async () => {
    const { executor } = museum({}, when);
    const model = scripted([call("c1", "when")], [say("done")]);
    const agent = agentWith(model, await mastraTools(executor));
    const { runId } = await readStream(agent.stream("go"));
    await readStream(agent.declineToolCall({ runId, toolCallId: "c1", reason: "Never." }));
    expect(JSON.stringify(resultsRead(model)["c1"])).toContain("Never.");
  });

  it("may ask twice in one turn, and each call receives its own answer", async () => {
    const { executor } = museum({}, when);
    const model = scripted([call("c1", "when"), call("c2", "when")], [say("done")]);
    const agent = agentWith(model, await mastraTools(executor));
    const { runId } = await readStream(agent.stream("go"));
    const rest = await readStream(agent.resumeStream({ day: "Tue" }, { runId, toolCallId: "c2" }));
    expect(rest.of("tool-call-suspended")).toMatchObject([{ toolCallId: "c1" }]);
    await readStream(agent.resumeStream({ day: "Mon" }, { runId, toolCallId: "c1" }));
    expect(resultsRead(model)).toEqual({
      c1: { type: "text", value: '[{"type":"input","value":{"day":"Mon"}}]' },
      c2: { type: "text", value: '[{"type":"input","value":{"day":"Tue"}}]' },
    });
  });

  it("may receive the same text twice in one turn", async () => {
    const where = defineTool({
      name: "where",
      description: "Ask for a place.",
      input: { type: "object" },
      execute: (_, { resumed }) =>
        resumed === undefined
          ? suspend([{ id: "place", type: "input", message: "Where?" }], null)
          : "done",
    }) as Tool;
    const { executor } = museum({}, where);
    const model = scripted([call("c1", "where"), call("c2", "where")], [say("done")]);
    const agent = agentWith(model, await mastraTools(executor));
    const { runId } = await readStream(agent.stream("go"));
    await readStream(agent.resumeStream("here", { runId, toolCallId: "c1" }));
    const { text } = await readStream(agent.resumeStream("here", { runId, toolCallId: "c2" }));
    expect(text).toBe("done");
  });

  it("may need approval first", async () => {
    const ask = defineTool({
      name: "ask",
      description: "Ask.",
      input: { type: "object" },
      needsApproval: true,
      execute: (_, ctx) =>
        ctx.resumed === undefined
          ? suspend([{ id: "day", type: "input", message: "When?" }], null)
          : "done",
    }) as Tool;
    const { executor } = museum({}, ask);
    const model = scripted([call("c1", "ask")], [say("done")]);
    const agent = agentWith(model, await mastraTools(executor));
    const first = await readStream(agent.stream("go"));
    expect(first.approvals).toEqual(["c1 ask {}"]);
    const { runId } = first;
    const second = await readStream(agent.approveToolCall({ runId, toolCallId: "c1" }));
    expect(second.of("tool-call-suspended")).toHaveLength(1);
    await readStream(agent.resumeStream("Monday", { runId, toolCallId: "c1" }));
    expect(resultsRead(model)["c1"]).toEqual({ type: "text", value: "done" });
  });
});
