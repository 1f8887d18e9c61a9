import { toolSearch } from "@toolweave/core/search";
import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type ExecutorOptions,
  type Tool,
  type ToolCallEvent,
} from "@toolweave/core";
import { lazyProperty } from "@toolweave/core/adapter";
import {
  call,
  lastRequest,
  resultsRead,
  say,
  scripted,
} from "@toolweave/test-support/scripted-turns";
import { describe, expect, it } from "vitest";
import { aiTools } from "../src/index.ts";
import { askedIn, Conversation } from "./support/conversation.ts";

const nouns = ["exhibit", "guide", "ticket", "poster"];

/** Twelve tools of a museum; those that remove need approval. */
function museumTools(done: string[] = []): Tool[] {
  return nouns.flatMap((noun) =>
    ["show", "list", "remove"].map(
      (verb) =>
        defineTool({
          name: `${verb}_${noun}`,
          description: `It can ${verb} one ${noun} of the museum.`,
          input: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
          needsApproval: verb === "remove",
          execute: ({ id }) => {
            done.push(`${verb}_${noun} ${id}`);
            return `${verb} ${noun} ${id}`;
          },
        }) as Tool,
    ),
  );
}

function createExecutor(tools: Tool[], options: Partial<ExecutorOptions> = {}): ToolExecutor {
  return new ToolExecutor({ registry: new ToolRegistry(tools), ...options });
}

/** The tools that the model saw before each of its turns. */
function listedTools(model: ReturnType<typeof scripted>): string[][] {
  return model.doGenerateCalls.map(({ tools = [] }) => tools.map(({ name }) => name));
}

const growing = toolSearch({ form: "growing", always: ["list_exhibit"], results: 1 });
const constant = toolSearch({ form: "constant", always: ["list_exhibit"], results: 1 });
const helpers = ["read_artifact"];

describe("a growing search", () => {
  it("lists found tools from the next step on, after the listed ones, and allows their calls", async () => {
    const model = scripted(
      [call("1", "search_tools", { query: "show a poster" })],
      [call("2", "show_poster", { id: 3 })],
      [say("done")],
    );
    const run = createExecutor(museumTools()).startRun({ search: growing });
    const result = await new Conversation().go(model, await aiTools(run));
    const first = ["list_exhibit", ...helpers, "search_tools"];
    expect(listedTools(model)).toEqual([
      first,
      [...first, "show_poster"],
      [...first, "show_poster"],
    ]);
    expect(resultsRead(model)["2"]).toEqual({ type: "text", value: "show poster 3" });
    expect(result.text).toBe("done");
  });

  it("works while streaming, too", async () => {
    const { streamText, isStepCount } = await import("ai");
    const model = scripted(
      [call("1", "search_tools", { query: "show a poster" })],
      [call("2", "show_poster", { id: 3 })],
      [say("done")],
    );
    const run = createExecutor(museumTools()).startRun({ search: growing });
    const { text } = streamText({
      model,
      prompt: "go",
      tools: await aiTools(run),
      stopWhen: isStepCount(5),
    });
    expect(await text).toBe("done");
    expect(lastRequest(model).tools?.map(({ name }) => name)).toContain("show_poster");
  });

  it("runs a call that a person has approved in a later request, which has found nothing yet", async () => {
    const done: string[] = [];
    const executor = createExecutor(museumTools(done));
    const started = () => aiTools(executor.startRun({ id: "one", search: growing }));
    const conversation = new Conversation();
    const asking = await conversation.go(
      scripted(
        [call("1", "search_tools", { query: "remove a ticket" })],
        [call("2", "remove_ticket", { id: 7 })],
      ),
      await started(),
    );
    const asked = askedIn(asking);
    expect(asked).toMatchObject([{ callId: "2", input: { id: 7 } }]);
    expect(done).toEqual([]);
    conversation.answer(asked, { 2: true });
    const later = scripted([say("gone")]);
    expect((await conversation.go(later, await started())).text).toBe("gone");
    expect(done).toEqual(["remove_ticket 7"]);
    expect(listedTools(later)[0]).not.toContain("remove_ticket");
  });

  it("accepts the host's own tools beside it, and drops tools that the registry has removed", async () => {
    const registry = new ToolRegistry(museumTools());
    const run = new ToolExecutor({ registry }).startRun({ search: growing });
    const tools = await aiTools(run);
    const { dynamicTool, jsonSchema } = await import("ai");
    const mine = dynamicTool({
      description: "mine",
      inputSchema: jsonSchema({ type: "object" }),
      execute: async () => "mine ran",
    });
    Object.assign(tools, { mine });
    expect(Object.keys(tools)).toEqual(["list_exhibit", ...helpers, "search_tools", "mine"]);
    await registry.remove("list_exhibit");
    expect(Object.keys(tools)).toEqual([...helpers, "search_tools", "mine"]);
    expect(tools["list_exhibit"]).toBe(undefined);
    expect(Object.hasOwn(tools, "show_guide")).toBe(true);
    expect("show_guide" in tools && "nothing" in tools).toBe(false);
    expect(tools["show_guide"]).toBe(tools["show_guide"]);
    expect(tools["constructor"]).toBe(Object.prototype.constructor);
  });

  it("converts only the listed ones of ten thousand tools", async () => {
    let realised = 0;
    const many = Array.from({ length: 10_000 }, (_, index): Tool => {
      const spec = {
        name: `tool_${index}`,
        description: `Thing number ${index}.`,
        annotations: {},
        provenance: { adapter: "test" },
      };
      const schema = (): object => ((realised += 1), { type: "object" });
      return { spec: lazyProperty(spec, "inputSchema", schema) as never, invoke: () => "ran" };
    });
    const tools = await aiTools(createExecutor(many).startRun({ search: growing }));
    expect(Object.keys(tools)).toEqual([...helpers, "search_tools"]);
    expect(realised).toBe(0);
  });
});

describe("a constant list", () => {
  it("never changes, and runs the call inside of call_tool", async () => {
    const events: ToolCallEvent[] = [];
    const executor = createExecutor(museumTools());
    executor.on((event) => void ("tool" in event && events.push(event)));
    const model = scripted(
      [call("1", "search_tools", { query: "show a poster" })],
      [call("2", "describe_tool", { name: "show_poster" })],
      [call("3", "call_tool", { name: "show_poster", arguments: { id: 3 } })],
      [say("done")],
    );
    const result = await new Conversation().go(
      model,
      await aiTools(executor.startRun({ search: constant })),
    );
    const list = ["call_tool", "describe_tool", "list_exhibit", ...helpers, "search_tools"];
    expect(listedTools(model)).toEqual([list, list, list, list]);
    expect(resultsRead(model)["3"]).toEqual({ type: "text", value: "show poster 3" });
    expect(result.text).toBe("done");
    expect(events.filter(({ callId }) => callId === "3").map(({ tool }) => tool)).toContain(
      "show_poster",
    );
  });

  it("asks a person about the inner call, and runs that once", async () => {
    const done: string[] = [];
    const executor = createExecutor(museumTools(done));
    const tools = await aiTools(executor.startRun({ id: "one", search: constant }));
    const conversation = new Conversation();
    const input = { name: "remove_ticket", arguments: { id: 7 } };
    const asked = askedIn(await conversation.go(scripted([call("1", "call_tool", input)]), tools));
    expect(asked).toMatchObject([{ callId: "1", input }]);
    conversation.answer(asked, { 1: true });
    const again = conversation.copy();
    await conversation.go(scripted([say("gone")]), tools);
    expect(done).toEqual(["remove_ticket 7"]);
    await again.go(scripted([say("again?")]), tools);
    expect(done).toEqual(["remove_ticket 7"]);
  });

  it("does not ask about an inner call that may run, and reports an invalid envelope", async () => {
    const model = scripted(
      [
        call("1", "call_tool", { name: "list_guide", arguments: { id: 1 } }),
        call("2", "call_tool", { name: "list_guide", id: 1 }),
        call("3", "call_tool", { name: "no_such_thing" }),
      ],
      [say("done")],
    );
    const run = createExecutor(museumTools()).startRun({ search: constant });
    await new Conversation().go(model, await aiTools(run));
    const read = resultsRead(model);
    expect(read["1"]).toEqual({ type: "text", value: "list guide 1" });
    expect(read["2"]).toMatchObject({ type: "error-text", value: expect.stringContaining("id") });
    expect(read["3"]).toMatchObject({
      type: "error-text",
      value: expect.stringContaining("There is no tool"),
    });
  });
});
