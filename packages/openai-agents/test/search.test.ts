import { run } from "@openai/agents-core";
import { defineTool, ToolExecutor, ToolRegistry, toolsSource } from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";
import { describe, expect, it } from "vitest";
import { agentTools } from "../src/index.ts";
import { call, say, scripted, textsRead, listedTools } from "./support/agents.ts";

/** Many rooms with a light each, and a cellar whose light needs approval. */
function house(count: number) {
  const lit: string[] = [];
  const light = (room: string, needsApproval = false) =>
    defineTool({
      name: `light_${room}`,
      description: `Switch on the light of ${room.replace("_", " ")}.`,
      input: { type: "object", properties: {}, additionalProperties: false },
      needsApproval,
      execute: () => {
        lit.push(room);
        return `${room} is lit`;
      },
    });
  const rooms = Array.from({ length: count - 1 }, (_, number) => light(`room_${number}`));
  const registry = new ToolRegistry([...rooms, light("cellar", true)]);
  return { executor: new ToolExecutor({ registry }), lit };
}

describe("an executor of more than 100 tools", () => {
  it("gives a model a search in their place, and found tools are called", async () => {
    const { executor, lit } = house(101);
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("a", "search_tools", { query: "room 57" })],
      [call("b", "call_tool", { name: "light_room_57", arguments: {} })],
      say("done"),
    );
    await run(agent, "go");
    const listed = ["call_tool", "describe_tool", "read_artifact", "search_tools"];
    expect(listedTools(model)).toEqual([listed, listed, listed]);
    expect(textsRead(model)["a"]).toContain("light_room_57");
    expect(lit).toEqual(["room_57"]);
  });

  it("answers arguments of the search that are no object at once, and asks about those of call_tool", async () => {
    const { executor, lit } = house(101);
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("a", "search_tools", "[]"), call("b", "read_artifact", '{"key":')],
      [call("c", "call_tool", '{"name":"light_cellar"')],
    );
    const { interruptions } = await run(agent, "go");
    expect(textsRead(model)).toMatchObject({
      a: expect.stringMatching(/^The arguments of search_tools/),
      b: expect.stringContaining("valid JSON"),
    });
    expect(interruptions.map(({ rawItem }) => rawItem)).toMatchObject([{ callId: "c" }]);
    expect(lit).toEqual([]);
  });

  it("asks a person about the inner call of call_tool", async () => {
    const { executor, lit } = house(101);
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("b", "call_tool", { name: "light_cellar", arguments: {} })],
      say("done"),
    );
    const { state, interruptions } = await run(agent, "go");
    expect(lit).toEqual([]);
    state.approve(interruptions[0]!);
    await run(agent, state);
    expect(lit).toEqual(["cellar"]);
    expect(textsRead(model)["b"]).toBe("cellar is lit");
  });
});

describe("an executor of 100 tools", () => {
  it("lists them all", async () => {
    const { executor } = house(100);
    const { agent, model } = scripted(await agentTools(executor), say("done"));
    await run(agent, "go");
    expect(listedTools(model)[0]).toHaveLength(101);
  });
});

describe("a run with a search that grows", () => {
  it("lists found tools from the next turn on", async () => {
    const { executor, lit } = house(300);
    const toolRun = executor.startRun({ search: toolSearch({ form: "growing", results: 1 }) });
    const { agent, model } = scripted(
      await agentTools(toolRun),
      [call("a", "search_tools", { query: "room 217" })],
      [call("b", "light_room_217")],
      say("done"),
    );
    await run(agent, "go");
    expect(listedTools(model).slice(0, 2)).toEqual([
      ["read_artifact", "search_tools"],
      ["read_artifact", "search_tools", "light_room_217"],
    ]);
    expect(lit).toEqual(["room_217"]);
  });
});

describe("the tools of an agent", () => {
  const open = (name: string) =>
    defineTool({ name, description: "Open it.", input: { type: "object" }, execute: () => "open" });

  it("are listed only for callers who may call them", async () => {
    const executor = new ToolExecutor({
      registry: new ToolRegistry([open("door"), open("safe")]),
      policy: {
        rules: [
          { effect: "deny", tools: "safe", callers: { roles: "visitor" } },
          { effect: "allow", tools: "*" },
        ],
      },
    });
    const tools = await agentTools<{ role: string }>(executor, {
      run: ({ context: { role } }) => ({ caller: { id: "ann", roles: [role] } }),
    });
    const { agent, model } = scripted(tools, say("done"), say("done"));
    await run(agent, "go", { context: { role: "visitor" } });
    await run(agent, "go", { context: { role: "guard" } });
    expect(listedTools(model)).toEqual([
      ["door", "read_artifact"],
      ["door", "safe", "read_artifact"],
    ]);
  });

  it("are not listed after they were removed", async () => {
    const source = toolsSource("yard", [open("gate")]);
    const registry = new ToolRegistry([open("door"), source]);
    const { agent, model } = scripted(
      await agentTools(new ToolExecutor({ registry })),
      say("done"),
      say("done"),
    );
    await run(agent, "go");
    await registry.remove("yard");
    await run(agent, "go");
    expect(listedTools(model)).toEqual([
      ["door", "gate", "read_artifact"],
      ["door", "read_artifact"],
    ]);
  });
});
