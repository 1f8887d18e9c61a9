import { defineTool, ToolExecutor, ToolRegistry, type Tool } from "@toolweave/core";
import { call, resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import { isStepCount, streamText } from "ai";
import { describe, expect, it } from "vitest";
import { aiTools } from "../src/index.ts";

function counting(streams: boolean, end: () => unknown = () => "counted"): ToolExecutor {
  const count = defineTool({
    name: "count",
    description: "Count.",
    input: { type: "object", properties: {} },
    annotations: { streamingHint: streams },
    async *execute() {
      yield "one";
      yield { count: 2 };
      return end();
    },
  });
  return new ToolExecutor({ registry: new ToolRegistry([count as Tool]) });
}

async function streamed(executor: ToolExecutor) {
  const model = scripted([call("c1", "count")], [say("done")]);
  const { stream, text } = streamText({
    model,
    prompt: "go",
    tools: await aiTools(executor),
    stopWhen: isStepCount(5),
  });
  const partial: unknown[] = [];
  const final: unknown[] = [];
  for await (const part of stream) {
    if (part.type !== "tool-result") continue;
    (part.preliminary === true ? partial : final).push(part.output);
  }
  return { partial, final, text: await text, read: resultsRead(model)["c1"] };
}

describe("a tool that declares streaming", () => {
  it("emits its partial outputs, and only its answer to the model", async () => {
    const { partial, final, text, read } = await streamed(counting(true));
    expect(partial).toEqual(["one", { count: 2 }, "counted"]);
    expect(final).toEqual(["counted"]);
    expect(read).toEqual({ type: "text", value: "counted" });
    expect(text).toBe("done");
  });

  it("ends in an error if it fails after them", async () => {
    const failing = counting(true, () => {
      throw new Error("the lamp broke");
    });
    const { partial, final, read } = await streamed(failing);
    expect(partial).toEqual(["one", { count: 2 }]);
    expect(final).toEqual([]);
    expect(read).toMatchObject({
      type: "error-text",
      value: expect.stringContaining("the lamp broke"),
    });
  });

  it("is emitted once, and completely, if it does not declare that", async () => {
    const { partial, final } = await streamed(counting(false));
    expect([partial, final]).toEqual([[], ["counted"]]);
  });
});
