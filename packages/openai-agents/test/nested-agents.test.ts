import { Agent, handoff, run, RunState } from "@openai/agents-core";
import { ScriptedModel } from "@openai/agents-core/testing";
import type { ToolExecutor } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { agentTools, waitingCalls } from "../src/index.ts";
import { call, say, scripted, textsRead } from "./support/agents.ts";
import { endless, key, museum } from "./support/museum.ts";

type Turns = ConstructorParameters<typeof ScriptedModel>[0];

/** An agent that delegates to another one, which delegates the removal to another one. */
async function director(
  executor: ToolExecutor,
  turns: { readonly director?: Turns; readonly curator?: Turns; readonly guard?: Turns },
) {
  const tools = await agentTools(executor);
  const models = {
    director: new ScriptedModel(turns.director),
    curator: new ScriptedModel(turns.curator),
    guard: new ScriptedModel(turns.guard),
  };
  const guard = new Agent({ name: "Guard", model: models.guard, tools });
  const curator = new Agent({
    name: "Curator",
    model: models.curator,
    tools: [guard.asTool({ toolName: "ask_guard", toolDescription: "Asks." }), ...tools],
  });
  const agent = new Agent({
    name: "Director",
    model: models.director,
    tools: [curator.asTool({ toolName: "ask_curator", toolDescription: "Asks." })],
  });
  return { agent, models };
}

const ask = (callId: string, who: string) => call(callId, `ask_${who}`, { input: "Remove it." });

describe("an agent that is a tool of another one", () => {
  it("has its calls approved by the outermost run, two levels down, in another process", async () => {
    const first = museum({ key });
    const asking = await director(first.executor, {
      director: [[ask("d1", "curator")]],
      curator: [[ask("k1", "guard")]],
      guard: [[call("g1", "remove", { id: 1 }), call("g2", "remove", { id: 2 })]],
    });
    const before = await run(asking.agent, "go");
    expect(before.interruptions.map(({ arguments: args }) => args)).toEqual([
      '{"id":1}',
      '{"id":2}',
    ]);
    expect(waitingCalls(before.runContext)).toHaveLength(2);

    const second = museum({ key });
    const { agent, models } = await director(second.executor, {
      director: [say("The director is done.")],
      curator: [say("The curator is done.")],
      guard: [say("The guard is done.")],
    });
    const state = await RunState.fromString(agent, before.state.toString());
    const [one, two] = state.getInterruptions();
    state.approve(one!);
    state.reject(two!, { message: "It stays." });
    const result = await run(agent, state);
    expect(result.finalOutput).toBe("The director is done.");
    expect([first.removed, second.removed]).toEqual([[], [1]]);
    expect(textsRead(models.guard)).toEqual({ g1: '{"removed":1}', g2: "It stays." });
    expect(textsRead(models.director)).toEqual({ d1: "The curator is done." });
  });

  it("has its calls approved one after the other", async () => {
    const { executor, removed } = museum();
    const { agent } = await director(executor, {
      director: [[ask("d1", "curator")], say("done")],
      curator: [[call("k1", "remove", { id: 1 })], [call("k2", "remove", { id: 2 })], say("done")],
    });
    let result = await run(agent, "go");
    for (const id of [1, 2]) {
      expect(result.interruptions.map(({ arguments: args }) => args)).toEqual([`{"id":${id}}`]);
      result.state.approve(result.interruptions[0]!);
      result = await run(agent, result.state);
    }
    expect(result.finalOutput).toBe("done");
    expect(removed).toEqual([1, 2]);
  });

  it("SA04: has no limits of its own", async () => {
    const { executor, looked } = museum();
    const model = (id: string) =>
      new ScriptedModel([
        [call(`${id}1`, "look", { id: 1 }), call(`${id}2`, "look", { id: 2 })],
        say("done"),
      ]);
    const tools = await agentTools(executor, { run: () => ({ limits: { calls: 3 } }) });
    const children = ["a", "b"].map((name) =>
      new Agent({ name, model: model(name), tools }).asTool({
        toolName: name,
        toolDescription: "Looks.",
        // With it the SDK creates a separate context for the agent.
        inputBuilder: () => "Look!",
      }),
    );
    const parent = new ScriptedModel([
      [call("a", "a", { input: "go" }), call("b", "b", { input: "go" })],
      say("done"),
    ]);
    await run(new Agent({ name: "Parent", model: parent, tools: children }), "go");
    expect(looked).toHaveLength(3);
  });

  it("SA05: is cancelled with the run, and its tools are", async () => {
    const { tool, started } = endless();
    const { executor } = museum({ more: [tool] });
    const { agent, models } = await director(executor, {
      director: [[ask("d1", "curator")]],
      curator: [[ask("k1", "guard")]],
      guard: [[call("g1", "endless")]],
    });
    const controller = new AbortController();
    const settled = Promise.allSettled([run(agent, "go", { signal: controller.signal })]);
    const signal = await started;
    controller.abort();
    await settled;
    expect(signal.aborted).toBe(true);
    expect(Object.values(models).map(({ calls }) => calls.length)).toEqual([1, 1, 1]);
  });
});

describe("a hand-off", () => {
  it("continues in the same run of the executor", async () => {
    const { executor } = museum();
    const runs = new Set<string>();
    executor.on((event) => void ("runId" in event && runs.add(event.runId)));
    const tools = await agentTools(executor);
    const guard = scripted(tools, [call("g1", "look", { id: 2 })], say("done"));
    const desk = new Agent({
      name: "Desk",
      model: new ScriptedModel([
        [call("d1", "look", { id: 1 })],
        [call("d2", "transfer_to_Guard")],
      ]),
      tools,
      handoffs: [handoff(guard.agent)],
    });
    const result = await run(desk, "go");
    expect(result.finalOutput).toBe("done");
    expect(textsRead(guard.model)).toMatchObject({ d1: "exhibit 1", g1: "exhibit 2" });
    expect(runs.size).toBe(1);
  });

  it("leaves an approval with the agent that received the hand-off", async () => {
    const { executor, removed } = museum();
    const tools = await agentTools(executor);
    const guard = scripted(tools, [call("g1", "remove", { id: 2 })], say("done"));
    const desk = new Agent({
      name: "Desk",
      model: new ScriptedModel([[call("d2", "transfer_to_Guard")]]),
      tools,
      handoffs: [handoff(guard.agent)],
    });
    const { state, interruptions } = await run(desk, "go");
    expect(interruptions.map(({ agent: { name } }) => name)).toEqual(["Guard"]);
    const later = await RunState.fromString(desk, state.toString());
    later.approve(later.getInterruptions()[0]!);
    await run(desk, later);
    expect(removed).toEqual([2]);
  });
});
