import { defineTool, ToolError, type Tool } from "@toolweave/core";
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
import { museum } from "./support/museum.ts";
import { readStream } from "./support/read-stream.ts";

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const input = { type: "object" } as const;

function tool(name: string, execute: () => unknown): Tool {
  return defineTool({ name, description: `The tool ${name}.`, input, execute: execute as never });
}

/** The texts of one call for a model and a host. */
async function read(tools: readonly Tool[], name: string, args: unknown = {}) {
  const { executor } = museum({}, ...tools);
  const model = scripted([call("c1", name, args)], [say("done")]);
  const { of } = await readStream(agentWith(model, await mastraTools(executor)).stream("go"));
  const [result] = of("tool-result");
  const [error] = of("tool-error");
  return { model: resultsRead(model)["c1"], result: result?.["result"], error: error?.["error"] };
}

describe("the answer of a tool", () => {
  it.each<[string, unknown, unknown, unknown]>([
    ["a text", "seen", { type: "text", value: "seen" }, "seen"],
    ["nothing", "", { type: "text", value: "(no output)" }, ""],
    ["a value", { a: [1] }, { type: "text", value: '{"a":[1]}' }, { a: [1] }],
    ["a number", 5, { type: "text", value: "5" }, 5],
    [
      "null",
      null,
      { type: "text", value: "null" },
      { content: [{ type: "text", text: "null" }], value: null },
    ],
    [
      "a value that looks like a result",
      { value: { content: [{ type: "text", text: "x" }] }, content: [{ type: "text", text: "y" }] },
      { type: "text", value: "y" },
      { content: [{ type: "text", text: "y" }], value: { content: [{ type: "text", text: "x" }] } },
    ],
    [
      "a value with a text of its own",
      { content: [{ type: "text", text: "two" }], value: { n: 2 } },
      { type: "text", value: "two" },
      { content: [{ type: "text", text: "two" }], value: { n: 2 } },
    ],
  ])("is read by the model and by the host: %s", async (_, output, model, host) => {
    const seen = await read([tool("answer", () => output)], "answer");
    expect(seen.model).toEqual(model);
    expect(seen.result).toEqual(host);
  });

  it("is visible for the model if it is an image", async () => {
    const content = [
      { type: "text", text: "here" },
      { type: "image", data: png, mimeType: "image/png" },
    ];
    const { model, result } = await read([tool("paint", () => content)], "paint");
    expect(model).toEqual({
      type: "content",
      value: [
        { type: "text", text: "here" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: png } },
      ],
    });
    expect(result).toEqual({ content });
  });

  it("is a preview and a key if it is large, and can be read on", async () => {
    const log = tool("log", () => "GET /orders\n".repeat(20_000));
    const { executor } = museum({}, log);
    const model = scripted([call("c1", "log")], [say("done")]);
    const agent = agentWith(model, await mastraTools(executor));
    await readStream(agent.stream("go"));
    const { value } = resultsRead(model)["c1"] as { readonly value: string };
    expect(value.length).toBeLessThan(10_000);
    expect(value).toMatch(/art_/);
    expect(lastRequest(model).tools?.map(({ name }) => name)).toContain("read_artifact");
  });

  it("can be read on in the same run of the agent", async () => {
    const { executor } = museum(
      {},
      tool("log", () => "GET /orders\n".repeat(20_000)),
    );
    const model = scripted(
      [call("c1", "log")],
      ({ c1 }) => {
        const [key] = /art_[\w-]+/.exec(JSON.stringify(c1)) ?? [];
        return [call("c2", "read_artifact", { key, search: "orders", limit: 1 })];
      },
      [say("done")],
    );
    await readStream(agentWith(model, await mastraTools(executor)).stream("go"));
    expect(resultsRead(model)["c2"]).toMatchObject({ value: expect.stringMatching(/^line 1,/) });
  });

  it("is displayed while it is produced", async () => {
    const count = defineTool({
      name: "count",
      description: "Count.",
      input,
      async *execute() {
        yield "one";
        yield "two";
        return "three";
      },
    });
    const { executor } = museum({}, count as Tool);
    const model = scripted([call("c1", "count")], [say("done")]);
    const { of } = await readStream(agentWith(model, await mastraTools(executor)).stream("go"));
    expect(of("tool-output").map(({ output }) => output)).toEqual(["one", "two"]);
    expect(resultsRead(model)["c1"]).toEqual({ type: "text", value: "three" });
  });
});

describe("an error", () => {
  it("is read by a model that sent invalid arguments, which it repairs", async () => {
    const { executor, looked } = museum();
    const model = scripted(
      [call("c1", "look", { id: "two" })],
      [call("c2", "look", { id: 2 })],
      [say("done")],
    );
    await readStream(agentWith(model, await mastraTools(executor)).stream("go"));
    expect(resultsRead(model)).toMatchObject({
      c1: { type: "error-text", value: expect.stringContaining("id must be integer") },
      c2: { type: "text", value: "exhibit 2" },
    });
    expect(looked).toEqual([2]);
  });

  it.each([
    ["a call that a policy denies", "look", { id: 2 }, "permission_denied"],
    ["an error that a tool throws", "fail", {}, "unavailable"],
    ["invalid arguments", "look", { id: "x" }, "invalid_arguments"],
  ])("has a code for the host, and its cause is private: %s", async (...each) => {
    const [, name, args, code] = each;
    const fail = tool("fail", () => {
      throw new ToolError("unavailable", "Closed.", { cause: new Error("door 4711") });
    });
    const policy = code === "permission_denied" ? () => "deny" as const : () => "allow" as const;
    const { executor } = museum({ policy }, fail);
    const model = scripted([call("c1", name, args)], [say("done")]);
    const { of } = await readStream(agentWith(model, await mastraTools(executor)).stream("go"));
    const [error] = of("tool-error");
    expect(error).toMatchObject({ error: { cause: { code } } });
    expect(resultsRead(model)["c1"]?.type).toBe("error-text");
    expect(JSON.stringify(of("tool-error"))).not.toContain("4711");
  });
});

describe("the model's view", () => {
  it("has each tool's unchanged schema, for every provider", async () => {
    const schema = {
      type: "object",
      properties: { at: { type: "string", format: "date-time" }, note: { type: "string" } },
      required: ["at"],
      additionalProperties: false,
      $defs: { unused: { type: "null" } },
    } as const;
    const plan = defineTool({
      name: "plan",
      description: "Plan.",
      input: schema,
      execute: (args) => JSON.stringify(args),
    });
    const { executor } = museum({}, plan as Tool);
    const model = scripted([call("c1", "plan", { at: "2026-01-01T00:00:00Z" })], [say("done")]);
    Object.assign(model, { provider: "openai.responses", modelId: "gpt-5" });
    await readStream(agentWith(model, await mastraTools(executor)).stream("go"));
    const listed = lastRequest(model).tools?.find(({ name }) => name === "plan");
    expect(listed).toMatchObject({ description: "Plan.", inputSchema: schema });
    expect(resultsRead(model)["c1"]).toMatchObject({ value: '{"at":"2026-01-01T00:00:00Z"}' });
  });
});
