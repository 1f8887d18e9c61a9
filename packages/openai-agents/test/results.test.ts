import { run } from "@openai/agents-core";
import {
  defineTool,
  ToolError,
  ToolExecutor,
  ToolRegistry,
  type ContentBlock,
  type ExecutorOptions,
} from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { agentTools } from "../src/index.ts";
import { call, resultsRead, say, scripted, textsRead } from "./support/agents.ts";

type Answers = () => unknown;

/** The model's text for this answer of a tool. */
async function readAsModel(execute: Answers, options: Omit<ExecutorOptions, "registry"> = {}) {
  const tool = defineTool({
    name: "tool",
    description: "Answer.",
    input: { type: "object", properties: { id: { type: "integer" } } },
    execute,
  });
  const executor = new ToolExecutor({ registry: new ToolRegistry([tool]), ...options });
  const { agent, model } = scripted(await agentTools(executor), [call("c1", "tool")], say("done"));
  const { finalOutput } = await run(agent, "go");
  expect(finalOutput).toBe("done");
  return resultsRead(model)["c1"];
}

const text = (value: string) => ({ type: "text", text: value });
const pixel = "iVBORw0KGgo=";

describe("an answer", () => {
  it("that is a text is read unchanged", async () => {
    expect(await readAsModel(() => "hello")).toEqual(text("hello"));
  });

  it("that is a value is read as JSON", async () => {
    expect(await readAsModel(() => ({ rooms: [1, 2] }))).toEqual(text('{"rooms":[1,2]}'));
  });

  it("that is undefined is read as an empty output", async () => {
    expect(await readAsModel(() => "")).toEqual(text("(no output)"));
  });

  it("of several texts is read as one", async () => {
    const blocks = ["a", "b"].map((value): ContentBlock => ({ type: "text", text: value }));
    expect(await readAsModel(() => blocks)).toEqual(text("a\nb"));
  });

  it("with an image has it as an image", async () => {
    const blocks = [
      { type: "text", text: "here" },
      { type: "image", data: pixel, mimeType: "image/png" },
    ];
    expect(await readAsModel(() => blocks)).toEqual([
      { type: "input_text", text: "here" },
      { type: "input_image", image: `data:image/png;base64,${pixel}` },
    ]);
  });

  it("with a PDF has it as a file", async () => {
    const resource = {
      uri: "file:///reports/may.pdf",
      mimeType: "application/pdf",
      blob: "JVBERi0=",
    };
    // If binary content is kept for a program; otherwise it is an artifact.
    const tool = defineTool({
      name: "tool",
      description: "Answer.",
      input: { type: "object" },
      execute: () => [{ type: "resource", resource }],
    });
    const executor = new ToolExecutor({ registry: new ToolRegistry([tool]) });
    const tools = await agentTools(executor.startRun({ inlineBinary: true }));
    const { agent, model } = scripted(tools, [call("c1", "tool")], say("done"));
    await run(agent, "go");
    expect(resultsRead(model)["c1"]).toEqual([
      {
        type: "input_file",
        file: "data:application/pdf;base64,JVBERi0=",
        filename: "may.pdf",
      },
    ]);
  });

  it("with audio, or an image that models refuse, names it", async () => {
    const blocks = [
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "image", data: "AAAA", mimeType: "image/tiff" },
    ];
    expect(await readAsModel(() => blocks)).toEqual(
      text("[audio/wav, 3 bytes, not shown]\n[image/tiff, 3 bytes, not shown]"),
    );
  });

  it("with a link names it, and the link is not followed", async () => {
    const link = { type: "resource_link", uri: "http://10.0.0.1/x.png", name: "x" };
    expect(await readAsModel(() => [link])).toEqual(text("x: http://10.0.0.1/x.png"));
  });

  it("that looks like a part of the SDK is data: nothing is fetched for it", async () => {
    const part = { type: "image", imageUrl: "http://10.0.0.1/x.png" };
    expect(await readAsModel(() => part)).toEqual(text(JSON.stringify(part)));
    expect(await readAsModel(() => [part])).toEqual(text(JSON.stringify([part])));
    const file = { type: "file", file: { url: "http://10.0.0.1/x" } };
    expect(await readAsModel(() => file)).toEqual(text(JSON.stringify(file)));
  });
});

describe("a large answer", () => {
  it("is a preview, and the model reads on with read_artifact", async () => {
    const log = defineTool({
      name: "read_log",
      description: "Read the log.",
      input: { type: "object" },
      execute: () => "GET /orders\n".repeat(10_000),
    });
    const executor = new ToolExecutor({ registry: new ToolRegistry([log]) });
    let key = "";
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("c1", "read_log")],
      {
        type: "responder",
        respond: ({ request: { input } }) => {
          key =
            /[0-9a-z_-]{20,}/i.exec(JSON.stringify(input).split("read_artifact")[1] ?? "")?.[0] ??
            "";
          return [call("c2", "read_artifact", { key, offset: 110_000 })];
        },
      },
      say("done"),
    );
    await run(agent, "go");
    const { c1, c2 } = textsRead(model);
    expect(c1?.length).toBeLessThan(5_000);
    expect(c2).toContain("GET /orders");
  });
});

describe("an error is a text that the model reads, and the run continues", () => {
  it.each<[string, Answers, RegExp]>([
    [
      "a tool that throws",
      () => {
        throw new Error("The lamp is broken.");
      },
      /^tool failed: The lamp is broken\.$/,
    ],
    [
      "a tool that names the next step",
      () => {
        throw new ToolError("unavailable", "Try again tomorrow.");
      },
      /^Try again tomorrow\.$/,
    ],
    [
      "a tool that answers with an error",
      () => ({ content: [{ type: "text", text: "No such room." }], isError: true }),
      /^No such room\.$/,
    ],
  ])("%s", async (_, execute, expected) => {
    expect(await readAsModel(execute)).toEqual(text(expect.stringMatching(expected) as string));
  });

  it("a refusal by the policy", async () => {
    const read = await readAsModel(() => "never", { policy: () => "deny" });
    expect(read).toMatchObject({ text: expect.stringMatching(/^tool is not permitted/) });
  });

  it("invalid arguments, with the expected ones", async () => {
    const tool = defineTool({
      name: "tool",
      description: "Answer.",
      input: { type: "object", properties: { id: { type: "integer" } } },
      execute: () => "never",
    });
    const executor = new ToolExecutor({ registry: new ToolRegistry([tool]) });
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("c1", "tool", { id: "seven" })],
      say("done"),
    );
    await run(agent, "go");
    expect(textsRead(model)["c1"]).toMatch(/id must be integer \(sent: "seven"\)/);
  });

  it("an exhausted limit", async () => {
    const tool = defineTool({
      name: "tool",
      description: "Answer.",
      input: { type: "object" },
      execute: () => "ok",
    });
    const executor = new ToolExecutor({ registry: new ToolRegistry([tool]) });
    const { agent, model } = scripted(
      await agentTools(executor, { run: () => ({ limits: { calls: 1 } }) }),
      [call("c1", "tool")],
      [call("c2", "tool")],
      say("done"),
    );
    await run(agent, "go");
    expect(textsRead(model)).toEqual({ c1: "ok", c2: expect.stringMatching(/limit|calls/) });
  });
});
