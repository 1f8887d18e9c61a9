import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { call, resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import { generateText, isStepCount, streamText } from "ai";
import { endlessTool } from "@toolweave/test-support/tools";
import { describe, expect, it } from "vitest";
import { aiTools } from "../src/index.ts";
import { askedIn, Conversation } from "./support/conversation.ts";

/** A tool that runs until it is stopped. */
function endless(needsApproval = false) {
  const { definition, started } = endlessTool(needsApproval);
  const executor = new ToolExecutor({ registry: new ToolRegistry([defineTool(definition)]) });
  return { executor, started };
}

describe("the SDK's abort signal", () => {
  it("stops the running tool and the generation", async () => {
    const { executor, started } = endless();
    const controller = new AbortController();
    const generation = generateText({
      model: scripted([call("c1", "endless")], [say("never")]),
      tools: await aiTools(executor),
      prompt: "go",
      stopWhen: isStepCount(5),
      abortSignal: controller.signal,
    });
    const settled = Promise.allSettled([generation]);
    const signal = await started;
    controller.abort(new Error("enough"));
    expect(await settled).toEqual([{ status: "rejected", reason: new Error("enough") }]);
    expect(signal.aborted).toBe(true);
  });

  it("stops the running tool of a stream", async () => {
    const { executor, started } = endless();
    const controller = new AbortController();
    const result = streamText({
      model: scripted([call("c1", "endless")], [say("never")]),
      tools: await aiTools(executor),
      prompt: "go",
      stopWhen: isStepCount(5),
      abortSignal: controller.signal,
    });
    const parts: string[] = [];
    const read = (async () => {
      for await (const { type } of result.stream) parts.push(type);
    })();
    const signal = await started;
    controller.abort();
    await read;
    expect(signal.aborted).toBe(true);
    expect(parts).toContain("abort");
  });

  it("stops an approved call", async () => {
    const { executor, started } = endless(true);
    const tools = await aiTools(executor);
    const conversation = new Conversation();
    const asked = askedIn(await conversation.go(scripted([call("c1", "endless")]), tools));
    conversation.answer(asked, { c1: true });
    const controller = new AbortController();
    const events: string[] = [];
    executor.on((event) =>
      events.push("code" in event ? `${event.type} ${event.code}` : event.type),
    );
    const generation = generateText({
      model: scripted([say("never")]),
      tools,
      messages: conversation.messages,
      abortSignal: controller.signal,
    });
    const settled = Promise.allSettled([generation]);
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
    const generation = new Conversation().go(model, await aiTools(run));
    await started;
    run.cancel("The person has left.");
    expect((await generation).text).toBe("I see.");
    expect(resultsRead(model)["c1"]).toMatchObject({
      type: "error-text",
      value: "The person has left.",
    });
  });
});
