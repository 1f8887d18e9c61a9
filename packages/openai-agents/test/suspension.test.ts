import { run, RunState } from "@openai/agents-core";
import { defineTool, suspend, type Tool } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { agentTools, waitingCalls } from "../src/index.ts";
import { call, say, scripted, textsRead } from "./support/agents.ts";
import { key, museum } from "./support/museum.ts";

describe("a tool that asks for approval while it runs", () => {
  it("reports its wait to the model, and is resumed by the same call made again, once approved", async () => {
    const { executor, lent } = museum();
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("c1", "lend", { id: 7 })],
      [call("c2", "lend", { id: 7 })],
      say("It is on its way."),
    );
    const { state, interruptions, runContext } = await run(agent, "go");
    expect(lent).toEqual(["packed 7"]);
    expect(textsRead(model)["c1"]).toBe(
      "lend is not finished: it waits for approval: Send exhibit 7 away. " +
        "To request it from a person, make the very same call once more: it resumes where it stopped.",
    );
    expect(interruptions.map(({ rawItem }) => rawItem)).toMatchObject([{ callId: "c2" }]);
    expect(waitingCalls(runContext)).toMatchObject([
      { callId: "c2", interruption: { requests: [{ id: "send" }] } },
    ]);
    state.approve(interruptions[0]!);
    const result = await run(agent, state);
    expect(lent).toEqual(["packed 7", "sent 7"]);
    expect(textsRead(model)["c2"]).toBe("exhibit 7 is lent");
    expect(waitingCalls(result.runContext)).toEqual([]);
  });

  it("is resumed in another process", async () => {
    const first = museum({ key });
    const asking = scripted(
      await agentTools(first.executor),
      [call("c1", "lend", { id: 7 })],
      [call("c2", "lend", { id: 7 })],
    );
    const text = (await run(asking.agent, "go")).state.toString();
    const second = museum({ key });
    const { agent, model } = scripted(await agentTools(second.executor), say("done"));
    const state = await RunState.fromString(agent, text);
    state.approve(state.getInterruptions()[0]!);
    await run(agent, state);
    expect([...first.lent, ...second.lent]).toEqual(["packed 7", "sent 7"]);
    expect(textsRead(model)["c2"]).toBe("exhibit 7 is lent");
  });

  it("stays pending if it is rejected, and begins again if it is called again", async () => {
    const { executor, lent } = museum();
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("c1", "lend", { id: 7 })],
      [call("c2", "lend", { id: 7 })],
      [call("c3", "lend", { id: 7 })],
      say("done"),
    );
    const { state, interruptions } = await run(agent, "go");
    state.reject(interruptions[0]!, { message: "Not today." });
    await run(agent, state);
    expect(textsRead(model)["c2"]).toBe("Not today.");
    expect(lent).toEqual(["packed 7", "packed 7"]);
  });

  it("is asked about each time, though a person has approved every call of the tool", async () => {
    const { executor, lent } = museum();
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("c1", "lend", { id: 7 })],
      [call("c2", "lend", { id: 7 })],
      [call("c3", "lend", { id: 8 })],
      [call("c4", "lend", { id: 8 })],
      say("done"),
    );
    const { state, interruptions } = await run(agent, "go");
    state.approve(interruptions[0]!, { alwaysApprove: true });
    await run(agent, state);
    expect(lent).toEqual(["packed 7", "sent 7", "packed 8"]);
    expect(textsRead(model)["c4"]).toMatch(/^lend was not run now/);
  });

  it.each([
    ["approved twice is resumed once", true],
    ["approved once and rejected once is resumed", false],
  ])("and is called twice more in one turn: what is %s", async (_, both) => {
    const { executor, lent } = museum();
    const { agent } = scripted(
      await agentTools(executor),
      [call("c1", "lend", { id: 7 })],
      [call("c2", "lend", { id: 7 }), call("c3", "lend", { id: 7 })],
      say("done"),
    );
    const { state, interruptions, runContext } = await run(agent, "go");
    const [one, two] = interruptions;
    state.approve(one!);
    if (both) state.approve(two!);
    else state.reject(two!);
    await run(agent, state);
    expect(lent).toEqual(["packed 7", "sent 7"]);
    expect(waitingCalls(runContext)).toEqual([]);
  });

  it("is not resumed by a call with other arguments", async () => {
    const { executor, lent } = museum();
    const { agent } = scripted(
      await agentTools(executor),
      [call("c1", "lend", { id: 7 })],
      [call("c2", "lend", { id: 8 })],
      say("done"),
    );
    const { interruptions } = await run(agent, "go");
    expect(interruptions).toEqual([]);
    expect(lent).toEqual(["packed 7", "packed 8"]);
  });
});

describe("a tool that asks for an answer that the SDK cannot request", () => {
  const measure = defineTool({
    name: "measure",
    description: "Measure an exhibit.",
    input: { type: "object" },
    execute: (_, { resumed }) =>
      resumed === undefined
        ? suspend([{ id: "size", type: "input", message: "How tall is it?" }], null)
        : "measured",
  }) as Tool;

  it("asks again if the call is made again, and no person is asked for an approval", async () => {
    const { executor } = museum({ more: [measure] });
    const { agent } = scripted(
      await agentTools(executor),
      [call("c1", "measure")],
      [call("c2", "measure")],
      say("I wait."),
    );
    const { interruptions, runContext } = await run(agent, "go");
    expect(interruptions).toEqual([]);
    expect(waitingCalls(runContext).map(({ callId }) => callId)).toEqual(["c1", "c2"]);
  });

  it("reports that to the model, and the host resumes it", async () => {
    const { executor } = museum({ more: [measure] });
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("c1", "measure")],
      say("I wait."),
    );
    const { runContext } = await run(agent, "go");
    expect(textsRead(model)["c1"]).toBe(
      "measure is not finished: it waits for input: How tall is it? " +
        "Do not call it again; continue without its result and say what it waits for.",
    );
    const [waiting] = waitingCalls(runContext);
    const outcome = await executor.resume(waiting!.interruption, [{ type: "input", value: 3 }]);
    expect(outcome).toMatchObject({ result: { content: [{ text: "measured" }] } });
  });
});
