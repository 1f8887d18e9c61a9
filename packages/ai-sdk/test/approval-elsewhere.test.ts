import { memoryPendingCalls } from "@toolweave/core/stores";
import { resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import { describe, expect, it } from "vitest";
import { aiTools, toAiToolOutput } from "../src/index.ts";
import { askedToRemove, museum } from "./support/museum.ts";

const key = "at least 32 bytes from a secret manager";

describe("an approval that another process requested", () => {
  it("runs the stored call with resume, and the model reads its result", async () => {
    const pendingCalls = memoryPendingCalls();
    const { conversation } = await askedToRemove(
      await aiTools(museum({ key, pendingCalls }).executor),
    );
    const { executor, removed } = museum({ key, pendingCalls });
    const [pending] = await pendingCalls.list();
    const interruption = pending!.interruption;
    const outcome = await executor.resume(interruption, [{ type: "approve", by: "Ada" }]);
    const { id: toolCallId, name: toolName } = interruption.call;
    const output = toAiToolOutput(outcome);
    conversation.messages.push({
      role: "tool",
      content: [{ type: "tool-result", toolCallId, toolName, output }],
    });
    const model = scripted([say("It is gone.")]);
    await conversation.go(model, await aiTools(executor));
    expect(removed).toEqual([7]);
    expect(resultsRead(model)).toEqual({ c1: { type: "text", value: '{"removed":7}' } });
  });

  it("runs the call from the messages, once, and leaves no other call that could be approved", async () => {
    const pendingCalls = memoryPendingCalls();
    const { conversation, asked } = await askedToRemove(
      await aiTools(museum({ key, pendingCalls }).executor),
    );
    const { executor, removed } = museum({ key, pendingCalls });
    conversation.answer(asked, { c1: true });
    const before = [...conversation.messages];
    const model = scripted([say("It is gone.")]);
    await conversation.go(model, await aiTools(executor));
    expect(removed).toEqual([7]);
    expect(resultsRead(model)).toEqual({ c1: { type: "text", value: '{"removed":7}' } });
    expect(await pendingCalls.list()).toEqual([]);
    // A client that has not received the response sends the same messages to another process.
    const other = museum({ key, pendingCalls });
    conversation.messages.splice(0, Infinity, ...before);
    await conversation.go(scripted([say("hm")]), await aiTools(other.executor));
    expect([removed, other.removed]).toEqual([[7], []]);
    expect(await pendingCalls.list()).toEqual([]);
  });

  it("runs nothing for another caller, with another key, or for other arguments", async () => {
    const pendingCalls = memoryPendingCalls();
    const asking = museum({ key, pendingCalls }).executor.startRun({ caller: { id: "ada" } });
    const { conversation, asked } = await askedToRemove(await aiTools(asking));
    conversation.answer(asked, { c1: true });
    const before = [...conversation.messages];
    const [waiting] = await pendingCalls.list();
    for (const [caller, otherKey] of [
      ["eve", key],
      ["ada", `${key}, another one`],
    ] as const) {
      const { executor, removed } = museum({ key: otherKey, pendingCalls });
      conversation.messages.splice(0, Infinity, ...before);
      const model = scripted([say("hm")]);
      await conversation.go(model, await aiTools(executor.startRun({ caller: { id: caller } })));
      expect(removed).toEqual([]);
      expect(await pendingCalls.list()).toEqual([waiting]);
    }
  });
});

it("the output of a rejected call is a text that says so", async () => {
  const { executor } = museum();
  const { interruption } = await executor.execute({
    id: "1",
    name: "remove",
    arguments: { id: 7 },
  });
  const outcome = await executor.resume(interruption!, [{ type: "reject", reason: "Not today." }]);
  expect(toAiToolOutput(outcome)).toEqual({
    type: "error-text",
    value: expect.stringContaining("Not today.") as string,
  });
});

it("the output of a call that still waits is a text that names what it waits for", async () => {
  const { executor } = museum();
  const outcome = await executor.execute({ id: "1", name: "remove", arguments: { id: 7 } });
  expect(toAiToolOutput(outcome)).toEqual({
    type: "error-text",
    value: expect.stringContaining("it waits for approval") as string,
  });
});
