import { Agent, run, RunContext } from "@openai/agents-core";
import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  toolsSource,
  type ToolContext,
  type ToolSource,
} from "@toolweave/core";
import { describe, expect, it, vi } from "vitest";
import { agentTools } from "../src/index.ts";
import { call, say, scripted, textsRead } from "./support/agents.ts";
import { museum } from "./support/museum.ts";

describe("the tools of an executor", () => {
  it("are passed to the model unchanged: name, description, and schema", async () => {
    const input = {
      type: "object",
      properties: { id: { type: "integer", minimum: 1 }, note: { type: "string" } },
      required: ["id"],
    } as const;
    const look = defineTool({ name: "look", description: "Look.", input, execute: () => "ok" });
    const executor = new ToolExecutor({ registry: new ToolRegistry([look]) });
    const { agent, model } = scripted(await agentTools(executor), say("done"));
    await run(agent, "go");
    expect(model.lastCall?.request.tools[0]).toMatchObject({
      type: "function",
      name: "look",
      description: "Look.",
      parameters: input,
      strict: false,
    });
  });

  it("are strict if the schema allows it", async () => {
    const look = defineTool({
      name: "look",
      description: "Look.",
      input: {
        type: "object",
        properties: { id: { type: "integer" } },
        required: ["id"],
        additionalProperties: false,
      },
      execute: () => "ok",
    });
    const [tool] = await agentTools(new ToolExecutor({ registry: new ToolRegistry([look]) }));
    expect(tool?.strict).toBe(true);
  });

  it("have their schemas created with the list, and not converted before a model needs them", async () => {
    const schema = vi.fn<() => object>(() => ({ type: "object" }));
    const { executor } = museum();
    const look = executor.registry.toolset().get("look")!;
    const spec = Object.defineProperty({ ...look.spec, name: "lazy" }, "inputSchema", {
      get: schema,
    });
    executor.registry.add({ ...look, spec });
    const [tool] = (await agentTools(executor)).filter(({ name }) => name === "lazy");
    expect(schema).toHaveBeenCalledTimes(1);
    expect(tool?.parameters).toEqual({ type: "object", properties: {} });
  });

  it("are those of every source, including one that is still loading", async () => {
    let load: (source: ToolSource) => void = () => {};
    const registry = new ToolRegistry([new Promise<ToolSource>((resolve) => (load = resolve))]);
    const tools = agentTools(new ToolExecutor({ registry }));
    const gate = defineTool({
      name: "gate",
      description: "Open the gate.",
      input: { type: "object" },
      execute: () => "open",
    });
    load(toolsSource("yard", [gate]));
    expect((await tools).map(({ name }) => name)).toContain("gate");
  });

  it("work beside tools and agents of the SDK's own, in several agents", async () => {
    const { executor, looked } = museum();
    const tools = await agentTools(executor);
    for (const name of ["Ann", "Bob"]) {
      const { agent: script } = scripted(tools, [call("c1", "look", { id: 1 })], say("done"));
      const agent = new Agent({ name, model: script.model, tools: [...tools] });
      await run(agent, "go");
    }
    expect(looked).toEqual([1, 1]);
  });
});

describe("a call", () => {
  /** The context of a tool's call. */
  function noted() {
    const seen: ToolContext[] = [];
    const note = defineTool({
      name: "note",
      description: "Note.",
      input: { type: "object" },
      execute: (_, ctx) => {
        seen.push(ctx);
        return "noted";
      },
    });
    return { executor: new ToolExecutor({ registry: new ToolRegistry([note]) }), seen };
  }

  it("has the model's id, and one run of the executor for a complete run of the agent", async () => {
    const { executor, seen } = noted();
    const tools = await agentTools(executor);
    const turns = [[call("a", "note"), call("b", "note")], [call("c", "note")], say("done")];
    await run(scripted(tools, ...turns).agent, "go");
    await run(scripted(tools, ...turns).agent, "go");
    expect(seen.map(({ callId }) => callId)).toEqual(["a", "b", "c", "a", "b", "c"]);
    const [first, , third, fourth] = seen.map(({ runId }) => runId);
    expect(third).toBe(first);
    expect(fourth).not.toBe(first);
  });

  it("is made for the caller in the agent's context, with its injected values", async () => {
    const { executor, seen } = noted();
    const tools = await agentTools<{ user: string }>(executor, {
      run: ({ context: { user } }) => ({
        caller: { id: user },
        sessionId: "s",
        injected: { user },
      }),
    });
    const { agent } = scripted(
      tools,
      [call("a", "note")],
      say("done"),
      [call("b", "note")],
      say("done"),
    );
    await run(agent, "go", { context: { user: "ann" } });
    await run(agent, "go", { context: { user: "bob" } });
    expect(seen.map(({ caller, sessionId, injected }) => [caller, sessionId, injected])).toEqual([
      [{ id: "ann" }, "s", { user: "ann" }],
      [{ id: "bob" }, "s", { user: "bob" }],
    ]);
  });

  it("is made in the given run, if there is one", async () => {
    const { executor, seen } = noted();
    const toolRun = executor.startRun({ id: "mine", caller: { id: "ann" } });
    const { agent } = scripted(await agentTools(toolRun), [call("a", "note")], say("done"));
    await run(agent, "go");
    expect(seen).toMatchObject([{ runId: "mine", caller: { id: "ann" } }]);
  });

  it("with arguments that nest without end ends in an error, whatever waits beside it", async () => {
    const { executor } = museum();
    const tools = await agentTools(executor);
    const remove = tools.find(({ name }) => name === "remove")!;
    const context = new RunContext();
    await remove.needsApproval(context, { id: 1 }, "a");
    const deep = `{"id":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(await remove.needsApproval(context, JSON.parse(deep), "b")).toBe(false);
    const toolCall = call("b", "remove", deep);
    expect(await remove.invoke(context, deep, { toolCall })).toMatch(/arguments of remove/);
  });

  it("with arguments that are not an object is asked about by the SDK itself, if the policy may ask, and reports the error", async () => {
    const { executor, removed } = museum();
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("a", "remove", "{not json"), call("b", "remove", "[1]")],
      say("done"),
    );
    const { state, interruptions } = await run(agent, "go");
    expect(interruptions).toHaveLength(2);
    for (const interruption of interruptions) state.approve(interruption);
    await run(agent, state);
    expect(removed).toEqual([]);
    expect(textsRead(model)).toEqual({
      a: expect.stringMatching(/valid JSON/),
      b: expect.stringMatching(/^The arguments of remove/),
    });
  });
});

describe("agentTools", () => {
  it.each([
    ["a value that is neither an executor nor a run", [{}]],
    ["an option it does not have", [museum().executor, { search: true }]],
    ["options of a run beside a run", [museum().executor.startRun(), { run: () => ({}) }]],
  ])("refuses %s", async (_, args) => {
    const loosely = agentTools as (...args: readonly unknown[]) => Promise<unknown>;
    await expect(loosely(...args)).rejects.toMatchObject({ code: "invalid_configuration" });
  });
});
