import { run, RunState } from "@openai/agents-core";
import { describe, expect, it } from "vitest";
import { defineTool } from "@toolweave/core";
import { agentTools, waitingCalls } from "../src/index.ts";
import { call, say, scripted, textsRead } from "./support/agents.ts";
import { key, museum } from "./support/museum.ts";

/** Arguments that are not one JSON object, as models write them. */
const malformed = ["", " ", "null", "[]", '{"id":', '{"id":7}}', '\ufeff{"id":7}'];

describe.each(malformed)("the arguments %j", (args) => {
  it("are answered to the model at once if the policy never asks about the tool", async () => {
    const { executor, looked } = museum();
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("c1", "look", args)],
      [call("c2", "look", { id: 7 })],
      say("done"),
    );
    const { interruptions, finalOutput } = await run(agent, "go");
    expect(interruptions).toEqual([]);
    expect(finalOutput).toBe("done");
    expect(textsRead(model)["c1"]).toMatch(/JSON|id is required/);
    expect(looked).toEqual([7]);
  });

  it("run nothing without a person if the policy may ask about the tool", async () => {
    const { executor, removed } = museum();
    const { agent } = scripted(await agentTools(executor), [call("c1", "remove", args)]);
    const { interruptions } = await run(agent, "go");
    expect(interruptions).toHaveLength(1);
    expect(removed).toEqual([]);
  });
});

it("a tool whose policy changes its answer with the arguments keeps the SDK's question", async () => {
  const done: unknown[] = [];
  const spend = defineTool({
    name: "spend",
    description: "Spend money.",
    input: { type: "object", properties: { amount: { type: "number" } } },
    needsApproval: ({ amount }) => (amount ?? 0) > 10,
    execute: (args) => {
      done.push(args);
      return "spent";
    },
  });
  const { executor } = museum({ more: [spend] });
  const { agent } = scripted(
    await agentTools(executor),
    [call("c1", "spend", { amount: 1 })],
    [call("c2", "spend", { amount: 11 }), call("c3", "spend", "[]")],
  );
  const { interruptions } = await run(agent, "go");
  expect(interruptions.map(({ rawItem }) => rawItem)).toMatchObject([
    { callId: "c2" },
    { callId: "c3" },
  ]);
  expect(done).toEqual([{ amount: 1 }]);
});

it("a call that waits in another process is not answered for the person there", async () => {
  const first = museum({ key });
  const asking = scripted(
    await agentTools(first.executor),
    [call("c1", "lend", { id: 7 }), call("c2", "lend", { id: 8 })],
    [call("c3", "lend", { id: 7 }), call("c4", "lend", { id: 8 })],
  );
  const text = (await run(asking.agent, "go")).state.toString();
  const second = museum({ key });
  const { agent } = scripted(await agentTools(second.executor), say("done"));
  const state = await RunState.fromString(agent, text);
  state.approve(state.getInterruptions()[0]!);
  const { interruptions, runContext } = await run(agent, state);
  expect(second.lent).toEqual(["sent 7"]);
  expect(interruptions.map(({ rawItem }) => rawItem)).toMatchObject([{ callId: "c4" }]);
  expect(waitingCalls(runContext)).toMatchObject([{ callId: "c4" }]);
});
