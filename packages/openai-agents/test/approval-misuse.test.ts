import {
  run,
  RunContext,
  RunState,
  toolNamespace,
  type FunctionCallItem,
} from "@openai/agents-core";
import { functionCall, modelResponder } from "@openai/agents-core/testing";
import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type PolicyRule,
  type Tool,
} from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { agentTools, restoreWaitingCalls, waitingCalls, type AgentTool } from "../src/index.ts";
import { call, say, scripted, textsRead } from "./support/agents.ts";
import { key, museum } from "./support/museum.ts";

function named(tools: readonly AgentTool[], name: string): AgentTool {
  const found = tools.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`There is no ${name}.`);
  return found;
}

describe("an approval", () => {
  it.each([
    ["another caller", { caller: { id: "eve" }, sessionId: "s" }],
    ["the same caller in other roles", { caller: { id: "ann", roles: ["x"] }, sessionId: "s" }],
    ["another session", { caller: { id: "ann" }, sessionId: "t" }],
    ["no caller", {}],
  ])("is not valid for %s", async (_, later) => {
    const { executor, removed } = museum();
    const first = executor.startRun({ caller: { id: "ann" }, sessionId: "s" });
    const asking = scripted(await agentTools(first), [call("c1", "remove", { id: 7 })]);
    const text = (await run(asking.agent, "go")).state.toString();
    const { agent, model } = scripted(await agentTools(executor.startRun(later)), say("hm"));
    const state = await RunState.fromString(agent, text);
    state.approve(state.getInterruptions()[0]!);
    await run(agent, state);
    expect(removed).toEqual([]);
    expect(textsRead(model)["c1"]).toMatch(/another caller or session/);
  });

  it("does not exist for a call that is executed without a request", async () => {
    const { executor, removed } = museum();
    const remove = named(await agentTools(executor), "remove");
    const toolCall: FunctionCallItem = call("c1", "remove", { id: 7 });
    const output = await remove.invoke(new RunContext(), '{"id":7}', { toolCall });
    expect(output).toMatch(/^remove was not run now/);
    expect(removed).toEqual([]);
  });

  it("does not exist for a call that was requested and not answered", async () => {
    const { executor, removed } = museum();
    const remove = named(await agentTools(executor), "remove");
    const context = new RunContext();
    const toolCall: FunctionCallItem = call("c1", "remove", { id: 7 });
    expect(await remove.needsApproval(context, { id: 7 }, "c1")).toBe(true);
    expect(await remove.invoke(context, '{"id":7}', { toolCall })).toMatch(
      /^remove was not run now/,
    );
    expect(removed).toEqual([]);
  });

  it("of one run is not valid for another with the same context object and the same ids", async () => {
    const { executor, removed } = museum();
    const context = {};
    const tools = await agentTools(executor);
    const first = scripted(tools, [call("c1", "remove", { id: 1 })], say("done"));
    const second = scripted(tools, [call("c1", "remove", { id: 2 })]);
    const { state, interruptions } = await run(first.agent, "go", { context });
    await run(second.agent, "go", { context });
    state.approve(interruptions[0]!);
    await run(first.agent, state);
    expect(removed).toEqual([1]);
  });

  it("is requested again after 1000 other requests", async () => {
    const { executor } = museum();
    const remove = named(await agentTools(executor), "remove");
    const context = new RunContext();
    for (let id = 0; id <= 1000; id += 1) await remove.needsApproval(context, { id }, `c${id}`);
    const ids = waitingCalls(context).map(({ callId }) => callId);
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([1000, "c1", "c1000"]);
  });

  it("is kept for a tool that the SDK groups with others", async () => {
    const { executor, removed } = museum();
    const group = {
      name: "museum",
      description: "Of the museum.",
      tools: await agentTools(executor),
    };
    const args = { callId: "c1", namespace: "museum" };
    const { agent } = scripted(
      toolNamespace(group),
      [functionCall("remove", { id: 7 }, args)],
      say("done"),
    );
    const { state, interruptions } = await run(agent, "go");
    state.approve(interruptions[0]!);
    await run(agent, state);
    expect(removed).toEqual([7]);
  });

  it("is not removed by another run with the same context object, which declines its own", async () => {
    const { executor, removed } = museum();
    const context = {};
    const tools = await agentTools(executor);
    const first = scripted(tools, [call("c1", "remove", { id: 1 })], say("done"));
    const second = scripted(tools, [call("c1", "remove", { id: 2 })], say("done"));
    const mine = await run(first.agent, "go", { context });
    const other = await run(second.agent, "go", { context });
    other.state.reject(other.interruptions[0]!, { alwaysReject: true });
    await run(second.agent, other.state);
    expect(waitingCalls(mine.runContext)).toHaveLength(1);
    mine.state.approve(mine.interruptions[0]!);
    await run(first.agent, mine.state);
    expect(removed).toEqual([1]);
  });

  it("works with a context object that accepts no property, in this process", async () => {
    const { executor, removed } = museum();
    const { agent } = scripted(
      await agentTools(executor),
      [call("c1", "remove", { id: 7 })],
      say("done"),
    );
    const { state, interruptions, runContext } = await run(agent, "go", {
      context: Object.freeze({}),
    });
    expect(waitingCalls(runContext)).toHaveLength(1);
    state.approve(interruptions[0]!);
    await run(agent, state);
    expect(removed).toEqual([7]);
  });
});

describe("two calls of one id", () => {
  it("in one run are not taken for each other: both run", async () => {
    const { executor, looked } = museum();
    const look = named(await agentTools(executor), "look");
    const context = new RunContext();
    const toolCall: FunctionCallItem = call("c1", "look");
    expect(await look.needsApproval(context, { id: 1 }, "c1")).toBe(false);
    expect(await look.needsApproval(context, { id: 2 }, "c1")).toBe(false);
    await look.invoke(context, '{"id": 1}', { toolCall });
    await look.invoke(context, '{"id": 2}', { toolCall });
    expect(looked).toEqual([1, 2]);
  });

  it("are not confused if the first was never executed", async () => {
    const { executor, looked } = museum();
    const look = named(await agentTools(executor), "look");
    const context = new RunContext();
    await look.needsApproval(context, { id: 1 }, "c1");
    await look.invoke(context, '{"id":2}', { toolCall: call("c1", "look") });
    expect(looked).toEqual([2]);
  });
});

describe("alwaysApprove", () => {
  /** Writes to rooms; each room is a separate permission. */
  function rooms(rule: Partial<PolicyRule> = {}) {
    const painted: string[] = [];
    const tool = defineTool({
      name: "paint",
      description: "Paint a room.",
      input: { type: "object", properties: { room: { type: "string" }, colour: {} } },
      preflight: ({ room }) => [
        { kind: "custom.paint", target: `${room}`, summary: `Paint ${room}` },
      ],
      execute: ({ room, colour }) => {
        painted.push(`${room} ${String(colour)}`);
        return "painted";
      },
    });
    const asks: PolicyRule = { effect: "ask", permissions: { kind: "custom.paint" }, ...rule };
    const registry = new ToolRegistry([tool]);
    const executor = new ToolExecutor({ registry, key, policy: { rules: [asks] } });
    return { executor, painted, tool };
  }

  const paint = (id: string, room: string, colour: string): FunctionCallItem =>
    call(id, "paint", { room, colour });

  it("applies to the same permission in the rest of the run, whatever the arguments are", async () => {
    const { executor, painted } = rooms();
    const { agent, model } = scripted(
      await agentTools(executor),
      [paint("a", "hall", "red")],
      [paint("b", "hall", "blue")],
      [paint("c", "attic", "blue")],
      say("done"),
    );
    const { state, interruptions } = await run(agent, "go");
    state.approve(interruptions[0]!, { alwaysApprove: true });
    await run(agent, state);
    expect(painted).toEqual(["hall red", "hall blue"]);
    expect(textsRead(model)["c"]).toMatch(/^paint was not run now/);
  });

  it("does not apply to a call that was approved once", async () => {
    const { executor, painted } = rooms();
    const { agent, model } = scripted(
      await agentTools(executor),
      [paint("a", "hall", "red")],
      [paint("b", "attic", "red")],
      [paint("c", "hall", "blue"), paint("d", "attic", "blue")],
      say("done"),
    );
    const first = await run(agent, "go");
    first.state.approve(first.interruptions[0]!);
    const second = await run(agent, first.state);
    second.state.approve(second.interruptions[0]!, { alwaysApprove: true });
    await run(agent, second.state);
    expect(painted).toEqual(["hall red", "attic red", "attic blue"]);
    expect(textsRead(model)["c"]).toMatch(/^paint was not run now/);
  });

  it("does not apply if the SDK has no record of it", async () => {
    const { executor, painted } = rooms();
    const tools = await agentTools(executor);
    const { agent } = scripted(tools, [paint("a", "hall", "red")], say("done"));
    const { state, interruptions } = await run(agent, "go");
    state.approve(interruptions[0]!, { alwaysApprove: true });
    await run(agent, state);
    const context = new RunContext<unknown>();
    restoreWaitingCalls(context, state.toString());
    const toolCall = paint("b", "hall", "blue");
    const output = await named(tools, "paint").invoke(context, toolCall.arguments, { toolCall });
    expect(output).toMatch(/^paint was not run now/);
    expect(painted).toEqual(["hall red"]);
  });

  it("applies in another process, where the calls are resumed", async () => {
    const first = rooms();
    const asking = scripted(await agentTools(first.executor), [paint("a", "hall", "red")]);
    const { state, interruptions } = await run(asking.agent, "go");
    state.approve(interruptions[0]!, { alwaysApprove: true });
    const second = rooms();
    const { agent } = scripted(
      await agentTools(second.executor),
      [paint("b", "hall", "blue")],
      say("done"),
    );
    await run(agent, await RunState.fromString(agent, state.toString()));
    expect(second.painted).toEqual(["hall red", "hall blue"]);
  });

  it("does not apply to a call that the policy asks about every time", async () => {
    const { executor, painted } = rooms({ ask: "always" });
    const { agent, model } = scripted(
      await agentTools(executor),
      [paint("a", "hall", "red")],
      [paint("b", "hall", "blue")],
      say("done"),
    );
    const { state, interruptions } = await run(agent, "go");
    state.approve(interruptions[0]!, { alwaysApprove: true });
    await run(agent, state);
    expect(painted).toEqual(["hall red"]);
    expect(textsRead(model)["b"]).toMatch(/^paint was not run now/);
  });

  it("does not apply to a tool that has changed", async () => {
    const { executor, painted, tool } = rooms();
    const { agent, model } = scripted(
      await agentTools(executor),
      [paint("a", "hall", "red")],
      modelResponder(async () => {
        await executor.registry.remove(tool as Tool);
        const spec = { ...tool.spec, description: "Paint anything." };
        executor.registry.add({ ...tool, spec } as Tool);
        return [paint("b", "hall", "blue")];
      }),
      say("done"),
    );
    const { state, interruptions } = await run(agent, "go");
    state.approve(interruptions[0]!, { alwaysApprove: true });
    await run(agent, state);
    expect(painted).toEqual(["hall red"]);
    expect(textsRead(model)["b"]).toMatch(/^paint was not run now/);
  });
});
