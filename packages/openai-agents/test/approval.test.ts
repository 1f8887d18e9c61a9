import { run } from "@openai/agents-core";
import { memoryPendingCalls, type AuditRecord } from "@toolweave/core/stores";
import { describe, expect, it, vi } from "vitest";
import { agentTools, waitingCalls } from "../src/index.ts";
import { call, say, scripted, textsRead } from "./support/agents.ts";
import { museum } from "./support/museum.ts";

describe("a call that needs approval", () => {
  it("is an interruption of the SDK, and does not run before the answer", async () => {
    const { executor, removed } = museum();
    const { agent } = scripted(await agentTools(executor), [call("c1", "remove", { id: 7 })]);
    const result = await run(agent, "go");
    expect(result.interruptions).toMatchObject([
      { name: "remove", arguments: '{"id":7}', rawItem: { callId: "c1" } },
    ]);
    expect(removed).toEqual([]);
  });

  it("contains its permissions, for the approver", async () => {
    const { executor } = museum();
    const { agent } = scripted(await agentTools(executor), [call("c1", "remove", { id: 7 })]);
    const { runContext } = await run(agent, "go");
    expect(waitingCalls(runContext)).toMatchObject([
      {
        callId: "c1",
        interruption: {
          call: { id: "c1", arguments: { id: 7 } },
          requests: [{ type: "approval", permission: { summary: "Call remove" } }],
        },
      },
    ]);
  });

  it("runs once if it is approved, and the model reads its result", async () => {
    const { executor, removed } = museum();
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("c1", "remove", { id: 7 })],
      say("It is gone."),
    );
    const { state, interruptions, runContext } = await run(agent, "go");
    state.approve(interruptions[0]!);
    const result = await run(agent, state);
    expect(result.finalOutput).toBe("It is gone.");
    expect(removed).toEqual([7]);
    expect(textsRead(model)).toEqual({ c1: '{"removed":7}' });
    expect(waitingCalls(runContext)).toEqual([]);
  });

  it("that is rejected never runs, and does not affect its siblings", async () => {
    const { executor, removed, looked } = museum();
    const { agent, model } = scripted(
      await agentTools(executor),
      [
        call("a", "remove", { id: 1 }),
        call("b", "remove", { id: 2 }),
        call("c", "look", { id: 3 }),
      ],
      say("done"),
    );
    const { state, interruptions } = await run(agent, "go");
    expect(looked).toEqual([3]);
    const [first, second] = interruptions;
    state.reject(first!, { message: "It stays." });
    state.approve(second!);
    await run(agent, state);
    expect(removed).toEqual([2]);
    expect(looked).toEqual([3]);
    expect(textsRead(model)).toEqual({ a: "It stays.", b: '{"removed":2}', c: "exhibit 3" });
  });

  it("that is rejected is reported to the executor, with the reason", async () => {
    const records: AuditRecord[] = [];
    const pendingCalls = memoryPendingCalls();
    const audit = { write: (record: AuditRecord) => void records.push(record) };
    const { executor } = museum({ pendingCalls, audit });
    const { agent } = scripted(
      await agentTools(executor),
      [call("c1", "remove", { id: 1 })],
      say("done"),
    );
    const { state, interruptions } = await run(agent, "go");
    state.reject(interruptions[0]!, { message: "It stays." });
    await run(agent, state);
    expect(records.map(({ decision }) => decision)).toEqual(["asked", "rejected"]);
    expect(await pendingCalls.list()).toEqual([]);
  });

  it("without an answer stays pending, and the answered one runs", async () => {
    const { executor, removed } = museum();
    const { agent } = scripted(
      await agentTools(executor),
      [call("a", "remove", { id: 1 }), call("b", "remove", { id: 2 })],
      say("done"),
    );
    const first = await run(agent, "go");
    const before = waitingCalls(first.runContext).find(({ callId }) => callId === "b");
    first.state.approve(first.interruptions[0]!);
    const second = await run(agent, first.state);
    expect(removed).toEqual([1]);
    expect(second.interruptions.map(({ arguments: args }) => args)).toEqual(['{"id":2}']);
    expect(waitingCalls(second.runContext)).toEqual([before]);
    second.state.approve(second.interruptions[0]!);
    await run(agent, second.state);
    expect(removed).toEqual([1, 2]);
  });

  it("runs the host's hooks and emits events once before it is asked about", async () => {
    const beforeCall = vi.fn<() => void>();
    const { executor } = museum({ hooks: [{ beforeCall }] });
    const events: string[] = [];
    executor.on(({ type }) => events.push(type));
    const { agent } = scripted(
      await agentTools(executor),
      [call("c1", "look", { id: 2 })],
      say("done"),
    );
    await run(agent, "go");
    expect(beforeCall).toHaveBeenCalledTimes(1);
    expect(events).toEqual(["tool.requested", "tool.authorized", "tool.started", "tool.completed"]);
  });
});
