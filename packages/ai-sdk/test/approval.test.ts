import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type ApprovalDecision,
  type HookedCall,
} from "@toolweave/core";
import { call, resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import { isStepCount, streamText } from "ai";
import { describe, expect, it, vi } from "vitest";
import { aiTools } from "../src/index.ts";
import { askedIn, Conversation } from "./support/conversation.ts";
import { askedToRemove, museum } from "./support/museum.ts";

describe("a call that needs approval", () => {
  it("is displayed to a person with its arguments, and does not run before the answer", async () => {
    const { executor, removed } = museum();
    const { asked } = await askedToRemove(await aiTools(executor));
    expect(asked).toEqual([{ approvalId: expect.any(String), callId: "c1", input: { id: 7 } }]);
    expect(removed).toEqual([]);
  });

  it("runs once if it is approved, and the model reads its result", async () => {
    const { executor, removed } = museum();
    const { conversation, asked } = await askedToRemove(await aiTools(executor));
    conversation.answer(asked, { c1: true });
    const model = scripted([say("It is gone.")]);
    const { text } = await conversation.go(model, await aiTools(executor));
    expect(removed).toEqual([7]);
    expect(resultsRead(model)).toEqual({ c1: { type: "text", value: '{"removed":7}' } });
    expect(text).toBe("It is gone.");
  });

  it("never runs if it is rejected, and the model reads that", async () => {
    const { executor, removed } = museum();
    const tools = await aiTools(executor);
    const { conversation, asked } = await askedToRemove(tools);
    conversation.answer(asked, { c1: false });
    const model = scripted([say("I leave it.")]);
    await conversation.go(model, tools);
    expect(removed).toEqual([]);
    expect(resultsRead(model)["c1"]?.type).toBe("execution-denied");
  });

  it("is distinguished from another one of the same tool", async () => {
    const { executor, removed } = museum();
    const tools = await aiTools(executor);
    const conversation = new Conversation();
    const calls = [call("a", "remove", { id: 1 }), call("b", "remove", { id: 2 })];
    const asked = askedIn(await conversation.go(scripted(calls), tools));
    conversation.answer(asked, { a: false, b: true });
    const model = scripted([say("done")]);
    await conversation.go(model, tools);
    expect(removed).toEqual([2]);
    expect(resultsRead(model)).toMatchObject({
      a: { type: "execution-denied" },
      b: { type: "text", value: '{"removed":2}' },
    });
  });

  it("does not block calls that need none, and those run once", async () => {
    const { executor, removed, looked } = museum();
    const conversation = new Conversation();
    const calls = [call("a", "remove", { id: 1 }), call("b", "look", { id: 2 })];
    const result = await conversation.go(scripted(calls), await aiTools(executor));
    expect(askedIn(result).map(({ callId }) => callId)).toEqual(["a"]);
    expect(looked).toEqual([2]);
    expect(removed).toEqual([]);
  });

  it("is asked about again if the model reuses its id for other arguments", async () => {
    const { executor, removed } = museum();
    const tools = await aiTools(executor);
    const { conversation, asked } = await askedToRemove(tools);
    conversation.answer(asked, { c1: true });
    const again = await conversation.go(scripted([call("c1", "remove", { id: 8 })]), tools);
    expect(removed).toEqual([7]);
    expect(askedIn(again)).toMatchObject([{ callId: "c1", input: { id: 8 } }]);
    conversation.answer(askedIn(again), { c1: true });
    await conversation.go(scripted([say("done")]), tools);
    expect(removed).toEqual([7, 8]);
  });

  it("is asked about again in a run of the host that had a call with its id", async () => {
    const { executor, removed } = museum();
    const tools = await aiTools(executor.startRun());
    const { conversation, asked } = await askedToRemove(tools);
    conversation.answer(asked, { c1: true });
    const model = scripted([call("c1", "remove", { id: 8 })], [say("hm")]);
    const again = await conversation.go(model, tools);
    expect(removed).toEqual([7]);
    expect(askedIn(again)).toMatchObject([{ callId: "c1", input: { id: 8 } }]);
    conversation.answer(askedIn(again), { c1: true });
    await conversation.go(scripted([say("done")]), tools);
    expect(removed).toEqual([7, 8]);
  });

  it("is asked about and run in the same way by streamText", async () => {
    const { executor, removed } = museum();
    const conversation = new Conversation();
    const stream = async (model: ReturnType<typeof scripted>) => {
      const result = streamText({
        model,
        tools: await aiTools(executor),
        messages: conversation.messages,
        stopWhen: isStepCount(5),
      });
      const content = await result.content;
      conversation.messages = [...conversation.messages, ...(await result.responseMessages)];
      return content;
    };
    const content = await stream(scripted([call("c1", "remove", { id: 7 })]));
    expect(removed).toEqual([]);
    conversation.answer(askedIn({ content }), { c1: true });
    const model = scripted([say("done")]);
    await stream(model);
    expect(removed).toEqual([7]);
    expect(resultsRead(model)).toEqual({ c1: { type: "text", value: '{"removed":7}' } });
  });
});

describe("an approval that is answered in a later request", () => {
  it("is resumed in a new run of the same caller and session, with that run's injected values", async () => {
    const seen: unknown[] = [];
    const remove = defineTool({
      name: "remove",
      description: "Remove an exhibit.",
      input: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
      needsApproval: true,
      execute: ({ id }, ctx) => void seen.push([id, ctx.injected, ctx.runId]),
    });
    const executor = new ToolExecutor({ registry: new ToolRegistry([remove]) });
    const options = { caller: { id: "ann" }, sessionId: "s" };
    const first = executor.startRun({ ...options, injected: "first" });
    const { conversation, asked } = await askedToRemove(await aiTools(first));
    first.cancel();
    conversation.answer(asked, { c1: true });
    const second = executor.startRun({ ...options, id: "second", injected: "second" });
    await conversation.go(scripted([say("done")]), await aiTools(second));
    expect(seen).toEqual([[7, "second", "second"]]);
  });

  it.each([
    ["another caller", { caller: { id: "eve" }, sessionId: "s" }],
    ["the same caller in other roles", { caller: { id: "ann", roles: ["x"] }, sessionId: "s" }],
    ["another session", { caller: { id: "ann" }, sessionId: "t" }],
    ["no caller", {}],
  ])("is not valid for %s", async (_, options) => {
    const { executor, removed } = museum();
    const first = executor.startRun({ caller: { id: "ann" }, sessionId: "s" });
    const { conversation, asked } = await askedToRemove(await aiTools(first));
    conversation.answer(asked, { c1: true });
    await conversation.go(scripted([say("hm")]), await aiTools(executor.startRun(options)));
    expect(removed).toEqual([]);
  });

  it("of a run without caller and session is valid in a run of that id, and in no other", async () => {
    const { executor, removed } = museum();
    const { conversation, asked } = await askedToRemove(
      await aiTools(executor.startRun({ id: "chat" })),
    );
    conversation.answer(asked, { c1: true });
    const elsewhere = conversation.copy();
    await elsewhere.go(scripted([say("hm")]), await aiTools(executor.startRun()));
    await elsewhere.copy().go(scripted([say("hm")]), await aiTools(executor));
    expect(removed).toEqual([]);
    const later = executor.startRun({ id: "chat" });
    await conversation.go(scripted([say("done")]), await aiTools(later));
    expect(removed).toEqual([7]);
  });
});

describe("a call that needs no approval", () => {
  it("runs the host's hooks and emits the events once, though the SDK asks first", async () => {
    const seen: string[] = [];
    const beforeCall = (call: HookedCall): void => void seen.push(call.callId);
    const { executor, looked } = museum({ hooks: [{ beforeCall }] });
    const events: string[] = [];
    executor.on(({ type }) => events.push(type));
    const model = scripted([call("c1", "look", { id: 2 })], [say("done")]);
    await new Conversation().go(model, await aiTools(executor));
    expect(looked).toEqual([2]);
    expect(seen).toEqual(["c1"]);
    expect(events).toEqual(["tool.requested", "tool.authorized", "tool.started", "tool.completed"]);
  });
});

describe("an executor that asks inline", () => {
  it("asks its approver and not the SDK", async () => {
    const onAsk = vi.fn<() => ApprovalDecision>(() => ({ approved: true }));
    const { executor, removed } = museum({ onAsk });
    const conversation = new Conversation();
    const model = scripted([call("c1", "remove", { id: 7 })], [say("done")]);
    const result = await conversation.go(model, await aiTools(executor));
    expect(askedIn(result)).toEqual([]);
    expect(removed).toEqual([7]);
    expect(onAsk).toHaveBeenCalledTimes(1);
  });
});
