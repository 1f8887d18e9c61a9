import { RequestContext } from "@mastra/core/request-context";
import { defineTool, type Tool } from "@toolweave/core";
import { call, resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import { describe, expect, it } from "vitest";
import { mastraTools } from "../src/index.ts";
import { agentWith } from "./support/agent-with.ts";
import { museum } from "./support/museum.ts";
import { readStream } from "./support/read-stream.ts";

/** A museum that records its callers. */
function noting() {
  const seen: { callId: string; runId: string; caller?: string; injected?: unknown }[] = [];
  const whoami = defineTool({
    name: "whoami",
    description: "Note who asks.",
    input: { type: "object" },
    execute: (_, { callId, runId, caller, injected }) =>
      void seen.push({ callId, runId, ...(caller && { caller: caller.id }), injected }),
  }) as Tool;
  return { ...museum({}, whoami), seen };
}

const turns = () => scripted([call("c1", "whoami")], [call("c2", "whoami")], [say("done")]);

describe("a run of an agent", () => {
  it("is one run of the executor, of the same id, with the model's call ids", async () => {
    const { executor, seen } = noting();
    const { runId } = await readStream(
      agentWith(turns(), await mastraTools(executor)).stream("go"),
    );
    expect(seen).toEqual([
      { callId: "c1", runId },
      { callId: "c2", runId },
    ]);
  });

  it("has its own limits", async () => {
    const { executor, looked } = museum();
    const tools = await mastraTools(executor, { run: () => ({ limits: { calls: 1 } }) });
    for (const id of [1, 2]) {
      const model = scripted(
        [call("c1", "look", { id })],
        [call("c2", "look", { id })],
        [say("done")],
      );
      await readStream(agentWith(model, tools).stream("go"));
      expect(resultsRead(model)["c2"]?.type).toBe("error-text");
    }
    expect(looked).toEqual([1, 2]);
  });

  it("has the caller that the host derives from its request context, and derives it once", async () => {
    const { executor, seen } = noting();
    let asked = 0;
    const tools = await mastraTools(executor, {
      run: ({ requestContext }) => {
        asked += 1;
        return { caller: { id: String(requestContext?.get("user")) }, injected: "db" };
      },
    });
    const requestContext = new RequestContext([["user", "ann"]]);
    await readStream(agentWith(turns(), tools).stream("go", { requestContext }));
    expect(seen.map(({ caller, injected }) => [caller, injected])).toEqual([
      ["ann", "db"],
      ["ann", "db"],
    ]);
    expect(asked).toBe(1);
  });

  it("has no caller otherwise, whatever its request context contains", async () => {
    const { executor, seen } = noting();
    const requestContext = new RequestContext([
      ["user", "ann"],
      ["caller", { id: "ann" }],
    ]);
    const tools = await mastraTools(executor);
    await readStream(agentWith(turns(), tools).stream("go", { requestContext }));
    expect(seen.map(({ caller }) => caller)).toEqual([undefined, undefined]);
  });

  it("runs nothing if the host cannot determine the caller, and the model does not read the reason", async () => {
    const { executor, seen } = noting();
    const tools = await mastraTools(executor, {
      run: () => {
        throw new Error("table users, row 4711");
      },
    });
    const model = turns();
    await readStream(agentWith(model, tools).stream("go"));
    expect(seen).toEqual([]);
    expect(resultsRead(model)["c1"]?.type).toBe("error-text");
    expect(JSON.stringify(resultsRead(model))).not.toContain("4711");
  });
});

describe("a run of the executor", () => {
  it("is the run of all calls, if it is passed", async () => {
    const { executor, seen } = noting();
    const run = executor.startRun({ id: "mine", caller: { id: "ann" } });
    await readStream(agentWith(turns(), await mastraTools(run)).stream("go"));
    expect(seen.map(({ runId, caller }) => [runId, caller])).toEqual([
      ["mine", "ann"],
      ["mine", "ann"],
    ]);
  });

  it("accepts no options beside it, and no other value", async () => {
    const { executor } = museum();
    const both = mastraTools(executor.startRun(), { run: () => ({}) });
    await expect(both).rejects.toMatchObject({ code: "invalid_configuration" });
    await expect(mastraTools({} as never)).rejects.toMatchObject({ code: "invalid_configuration" });
  });
});
