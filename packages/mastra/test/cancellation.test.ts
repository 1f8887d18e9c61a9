import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { call, resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import { endlessTool } from "@toolweave/test-support/tools";
import { describe, expect, it } from "vitest";
import { mastraTools } from "../src/index.ts";
import { agentWith } from "./support/agent-with.ts";
import { readStream } from "./support/read-stream.ts";

/** A tool that runs until it is stopped. */
function endless(needsApproval = false) {
  const { definition, started } = endlessTool(needsApproval);
  const executor = new ToolExecutor({ registry: new ToolRegistry([defineTool(definition)]) });
  const events: string[] = [];
  executor.on((event) => events.push("code" in event ? `${event.type} ${event.code}` : event.type));
  return { executor, started, events };
}

describe("Mastra's abort signal", () => {
  it.each(["stream", "generate"] as const)("stops the running tool of %s", async (method) => {
    const { executor, started, events } = endless();
    const model = scripted([call("c1", "endless")], [say("never")]);
    const agent = agentWith(model, await mastraTools(executor));
    const controller = new AbortController();
    const options = { abortSignal: controller.signal };
    const going =
      method === "stream" ? readStream(agent.stream("go", options)) : agent.generate("go", options);
    const settled = Promise.allSettled([going]);
    const signal = await started;
    controller.abort();
    await settled;
    expect(signal.aborted).toBe(true);
    expect(events.at(-1)).toBe("tool.failed cancelled");
    expect(model.doStreamCalls.length + model.doGenerateCalls.length).toBe(1);
  });

  it("stops an approved call", async () => {
    const { executor, started, events } = endless(true);
    const agent = agentWith(
      scripted([call("c1", "endless")], [say("never")]),
      await mastraTools(executor),
    );
    const { runId } = await readStream(agent.stream("go"));
    const controller = new AbortController();
    const abortSignal = controller.signal;
    const going = readStream(agent.approveToolCall({ runId, toolCallId: "c1", abortSignal }));
    const settled = Promise.allSettled([going]);
    await started;
    controller.abort();
    await settled;
    expect(events.at(-1)).toBe("tool.failed cancelled");
  });
});

describe("a run that is cancelled", () => {
  it("stops its tools, and the model reads that", async () => {
    const { executor, started } = endless();
    const run = executor.startRun();
    const model = scripted([call("c1", "endless")], [say("I see.")]);
    const going = readStream(agentWith(model, await mastraTools(run)).stream("go"));
    await started;
    run.cancel("The person has left.");
    expect((await going).text).toBe("I see.");
    expect(resultsRead(model)["c1"]).toEqual({ type: "error-text", value: "The person has left." });
  });
});
