import { HumanMessage } from "@langchain/core/messages";
import { defineTool, ToolExecutor, ToolRegistry, type Tool } from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { langchainTools } from "../src/index.ts";
import { agent, script, createThread } from "./support/graphs.ts";

/** An executor with `count` tools that switch on lights; the last one needs approval. */
function house(count: number) {
  const lit: number[] = [];
  const rooms = Array.from({ length: count }, (_, number) =>
    defineTool({
      name: `light_room_${number}`,
      description: `Switch on the light of room ${number}.`,
      input: { type: "object" },
      needsApproval: number === count - 1,
      execute: () => {
        lit.push(number);
        return `room ${number} is lit`;
      },
    }),
  ) as Tool[];
  return { executor: new ToolExecutor({ registry: new ToolRegistry(rooms) }), lit };
}

const constant = ["call_tool", "describe_tool", "read_artifact", "search_tools"];

function inside(id: string, name: string) {
  return { id, name: "call_tool", args: { name, arguments: {} } };
}

async function names(...given: Parameters<typeof langchainTools>): Promise<string[]> {
  return (await langchainTools(...given)).map(({ name }) => name);
}

describe("an executor", () => {
  it("with 100 tools lists all of them", async () => {
    expect(await names(house(100).executor)).toHaveLength(101);
  });

  it("with more lists a constant search, whose results are called through it", async () => {
    const { executor, lit } = house(101);
    const tools = await langchainTools(executor);
    expect(tools.map(({ name }) => name)).toEqual(constant);
    const model = script(
      [{ id: "c1", name: "search_tools", args: { query: "light of room 42", limit: 1 } }],
      [inside("c2", "light_room_42")],
    );
    const { messages } = await createAgent({ model, tools }).invoke({
      messages: [new HumanMessage("Light!")],
    });
    const [found, called] = messages.filter((message) => message.type === "tool");
    expect(found?.text).toContain("light_room_42");
    expect(called?.text).toBe("room 42 is lit");
    expect(lit).toEqual([42]);
  });

  it("with more, for many people, explains how each of their runs has to be started", async () => {
    const { executor } = house(101);
    const run = () => executor.startRun({ search: toolSearch({ form: "constant" }) });
    await expect(langchainTools(executor, { runFor: run })).rejects.toThrow(
      'Start each run with search: toolSearch({ form: "constant" })',
    );
    expect(await names(run(), { runFor: run })).toEqual(constant);
  });
});

describe("a call through the search", () => {
  it("is asked about as the inner call, and runs if it is approved", async () => {
    const { executor, lit } = house(101);
    const thread = createThread(agent, () => langchainTools(executor), [
      inside("c1", "light_room_100"),
    ]);
    await thread.begin();
    expect(thread.asked[0]?.interruption.call).toMatchObject({
      id: "c1",
      name: "light_room_100",
    });
    await thread.answerAll(() => ({ type: "approve" }));
    expect(lit).toEqual([100]);
    expect(thread.answers["c1"]).toMatchObject({ name: "call_tool", status: "success" });
  });
});

describe("a run", () => {
  it("with a growing search is refused: LangChain's list cannot grow", async () => {
    const run = house(3).executor.startRun({ search: toolSearch({ form: "growing" }) });
    await expect(langchainTools(run)).rejects.toMatchObject({ code: "invalid_configuration" });
  });

  it("of many tools, without a search, lists them all: the host has chosen", async () => {
    expect(await names(house(101).executor.startRun())).toHaveLength(102);
  });
});

describe("an invalid option", () => {
  it("is refused at once", async () => {
    await expect(langchainTools({} as never)).rejects.toThrow("takes a ToolExecutor");
    const { executor } = house(1);
    await expect(langchainTools(executor, { run: () => 1 } as never)).rejects.toThrow("runFor");
  });
});
