import { defineTool, text, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { call, resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import { describe, expect, it } from "vitest";
import { aiTools } from "../src/index.ts";
import { Conversation } from "./support/conversation.ts";

async function readAsModel(returned: () => unknown) {
  const tool = defineTool({
    name: "t",
    description: "Answer.",
    input: { type: "object", properties: {} },
    execute: returned as never,
  });
  const executor = new ToolExecutor({ registry: new ToolRegistry([tool]) });
  const model = scripted([call("c1", "t")], [say("done")]);
  await new Conversation().go(model, await aiTools(executor));
  return resultsRead(model)["c1"];
}

describe("the model's text", () => {
  it.each<[string, () => unknown]>([
    ["undefined", () => undefined],
    ["an empty text", () => ""],
    ["no blocks", () => ({ content: [] })],
  ])("of %s is that there is no output", async (_, returned) => {
    expect(await readAsModel(returned)).toEqual({ type: "text", value: "(no output)" });
  });

  it.each<[string, object]>([
    ["a text", { content: [text("shown")] }],
    ["a value", { content: [text("shown")], value: { a: 1 } }],
    ["a value that is a text", { content: [text("shown")], value: "shown" }],
    [
      "several blocks",
      { content: [text("shown"), { type: "image", data: "AA==", mimeType: "image/png" }] },
    ],
    ["an error", { content: [text("shown")], isError: true }],
    ["nothing", { content: [] }],
    ["what is stored", { content: [text("shown ".repeat(20_000))] }],
  ])("of %s contains no details and no data of the provider", async (_, output) => {
    const more = { details: { it: "hidden-details" }, provider: { it: "hidden-provider" } };
    const read = JSON.stringify(await readAsModel(() => ({ ...output, ...more })));
    expect(read).not.toContain("hidden");
  });

  it("of a stream is its content", async () => {
    expect(await readAsModel(() => new Response("the body"))).toEqual({
      type: "text",
      value: "the body",
    });
  });
});
