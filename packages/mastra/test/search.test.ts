import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";
import {
  call,
  lastRequest,
  resultsRead,
  say,
  scripted,
} from "@toolweave/test-support/scripted-turns";
import { describe, expect, it } from "vitest";
import { mastraTools } from "../src/index.ts";
import { agentWith } from "./support/agent-with.ts";
import { readStream } from "./support/read-stream.ts";

function rooms(count: number) {
  const lit: number[] = [];
  const tools = Array.from({ length: count }, (_, room) =>
    defineTool({
      name: `light_room_${room}`,
      description: `Switch on the light of room ${room}.`,
      input: { type: "object", properties: { dim: { type: "boolean" } } },
      needsApproval: room === 0,
      execute: () => {
        lit.push(room);
        return `room ${room} is lit`;
      },
    }),
  );
  return { executor: new ToolExecutor({ registry: new ToolRegistry(tools) }), lit };
}

describe("many tools", () => {
  it("are listed up to 100", async () => {
    const tools = Object.keys(await mastraTools(rooms(99).executor));
    expect(tools).toHaveLength(100);
    expect(tools).toContain("read_artifact");
  });

  it("are searched above that, and found ones are called", async () => {
    const { executor, lit } = rooms(500);
    const model = scripted(
      [call("c1", "search_tools", { query: "room 217" })],
      [call("c2", "call_tool", { name: "light_room_217", arguments: {} })],
      [say("It is lit.")],
    );
    const { text } = await readStream(agentWith(model, await mastraTools(executor)).stream("go"));
    expect(text).toBe("It is lit.");
    expect(lit).toEqual([217]);
    expect(resultsRead(model)["c2"]).toEqual({ type: "text", value: "room 217 is lit" });
    expect(lastRequest(model).tools?.map(({ name }) => name)).toEqual([
      "call_tool",
      "describe_tool",
      "read_artifact",
      "search_tools",
    ]);
  });

  it("are asked about by their own names", async () => {
    const { executor, lit } = rooms(500);
    const inner = { name: "light_room_0", arguments: { dim: true } };
    const agent = agentWith(
      scripted([call("c1", "call_tool", inner)], [say("done")]),
      await mastraTools(executor),
    );
    const { approvals, runId } = await readStream(agent.stream("go"));
    expect(approvals).toEqual(['c1 light_room_0 {"dim":true}']);
    await readStream(agent.approveToolCall({ runId, toolCallId: "c1" }));
    expect(lit).toEqual([0]);
  });

  it("are searched as a run is configured", async () => {
    const run = rooms(3).executor.startRun({ search: toolSearch({ form: "constant" }) });
    expect(Object.keys(await mastraTools(run))).toContain("search_tools");
  });

  it("cannot be a growing list, since Mastra reads it once", async () => {
    const run = rooms(3).executor.startRun({ search: toolSearch({ form: "growing" }) });
    await expect(mastraTools(run)).rejects.toMatchObject({ code: "invalid_configuration" });
  });
});
