import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { defineTool, type JsonSchema, type Tool } from "@toolweave/core";
import fc from "fast-check";
import { inFullRun } from "@toolweave/test-support";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { toUnicodePattern } from "../../../src/schema/unicode-pattern.ts";
import { echo, eras, openClient, serving } from "../../support/open-gateway.ts";

const object = (member: unknown): JsonSchema => ({
  type: "object",
  properties: { s: member as JsonSchema },
});

function withOutput(name: string, outputSchema: JsonSchema, value: unknown): Tool {
  return {
    spec: {
      name,
      description: "",
      inputSchema: { type: "object" },
      outputSchema,
      annotations: { readOnlyHint: true },
      provenance: { adapter: "mcp", source: "upstream" },
    },
    outputValidation: "warning",
    invoke: () => value as never,
  };
}

async function openOldClient(url: string): Promise<OldClient> {
  const client = new OldClient({ name: "old", version: "1" });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
  return client;
}

const outputs: readonly (readonly [JsonSchema, unknown, "kept" | "left out"])[] = [
  [object(true), { s: 1 }, "kept"],
  [object(false), {}, "kept"],
  [object({ type: "string", pattern: String.raw`^[\w-.]+$` }), { s: "a-b.c" }, "kept"],
  [object({ type: "string", pattern: String.raw`^a\-b$` }), { s: "a-b" }, "kept"],
  [object({ type: "string", pattern: "^{x}$" }), { s: "{x}" }, "kept"],
  [object({ items: { pattern: String.raw`^\_$` } }), { s: ["_"] }, "kept"],
  [{ type: "object", patternProperties: { "^\\-": { type: "string" } } }, { "-a": "x" }, "kept"],
  [object({ type: "string", pattern: "(?i)abc" }), { s: "ABC" }, "left out"],
  [object({ enum: [] }), {}, "kept"],
  [object({ nullable: true }), { s: null }, "kept"],
  [object({ anyOf: [{ nullable: true, $ref: "#/$defs/a" }, { type: "null" }] }), {}, "left out"],
  [{ ...object({ $ref: "#/$defs/a", nullable: true }), $defs: { a: {} } }, { s: 1 }, "kept"],
  [object({ id: "a", type: "string" }), { s: "x" }, "kept"],
  [{ $id: "https://example.com/a", ...object({ type: "string" }) }, { s: "x" }, "kept"],
  [{ $id: "https://example.com/a", ...object({ type: "number" }) }, { s: 1 }, "kept"],
  [object({ $id: "https://example.com/b", type: "string" }), { s: "x" }, "left out"],
  [object({ $ref: "https://example.com/none" }), { s: "x" }, "left out"],
  [object({ type: "strin" }), { s: "x" }, "left out"],
  [object({ minimum: "1" }), { s: 1 }, "left out"],
  [
    {
      $schema: "http://json-schema.org/draft-04/schema#",
      id: "https://example.com/a",
      ...object({ minimum: 1, exclusiveMinimum: true }),
    },
    { s: 2 },
    "kept",
  ],
  [{ type: "array", items: { type: "string" } }, ["a"], "kept"],
  [{ type: "string" }, "a", "kept"],
  [{ anyOf: [{ type: "object" }, { type: "null" }] }, { s: 1 }, "kept"],
  [{}, { s: 1 }, "kept"],
];
const tools = outputs.map(([schema, value], index) => withOutput(`tool_${index}`, schema, value));
const odd = echo("odd_input", { input: object(true) });

describe("tools with schemas that a strict client cannot compile", () => {
  it("are all listed and called by the official client of version 1", async () => {
    const { url, gateway } = await serving({ tools: [...tools, odd] });
    const client = await openOldClient(url);
    const { tools: listed } = await client.listTools();
    expect(listed).toHaveLength(tools.length + 2);
    for (const [index, [, , expected]] of outputs.entries()) {
      const name = `tool_${index}`;
      const tool = listed.find((each) => each.name === name);
      expect([name, tool?.outputSchema === undefined ? "left out" : "kept"]).toEqual([
        name,
        expected,
      ]);
      const result = await client.callTool({ name, arguments: {} });
      expect([name, result.isError ?? false]).toEqual([name, false]);
    }
    const leftOut = outputs.flatMap(([, , expected], index) =>
      expected === "left out" ? [`tool_${index}`] : [],
    );
    expect(gateway.problems.map(({ subject }) => subject).sort()).toEqual(leftOut.sort());
    expect(gateway.problems[0]).toMatchObject({
      provider: "upstream",
      message: expect.stringMatching(/^tool_\d+ is listed without its output schema: .*\.$/),
    });
  });

  it.each(eras)("are all listed and called by a client of version 2 (%s)", async (era) => {
    const { url } = await serving({ tools: [...tools, odd] });
    const client = await openClient(url, era);
    const { tools: listed } = await client.listTools();
    expect(listed).toHaveLength(tools.length + 2);
    for (const {
      spec: { name },
    } of tools) {
      const result = await client.callTool({ name, arguments: {} });
      expect([name, result.isError ?? false]).toEqual([name, false]);
    }
  });
});

test("a tool of a library's schema is listed with its own schema", async () => {
  const output = { type: "object", properties: { a: { type: "string", pattern: "^a$" } } } as const;
  const tool = defineTool({
    name: "a",
    description: "",
    input: { type: "object" },
    output,
    execute: () => ({ a: "a" }),
  });
  const { url } = await serving({ tools: [tool] });
  const { tools: listed } = await (await openOldClient(url)).listTools();
  expect(listed.find(({ name }) => name === "a")?.outputSchema).toEqual(output);
});

describe("a pattern that is valid without the flag u only", () => {
  test.each([
    [String.raw`^[\w-.]+$`, String.raw`^[\w\-.]+$`],
    [String.raw`^[.-\w]+$`, String.raw`^[.\-\w]+$`],
    [String.raw`^a\-b$`, "^a-b$"],
    [String.raw`^[a\-b\_]$`, String.raw`^[a\-b_]$`],
    ["^{x}$", String.raw`^\{x\}$`],
    ["a{,3}", String.raw`a\{,3\}`],
    ["]a{2}", String.raw`\]a{2}`],
    [String.raw`\:\"\@\ `, ':"@ '],
    [String.raw`^[\^\d-]$`, String.raw`^[\^\d-]$`],
  ])("%s is written as %s", (pattern, expected) => {
    expect(toUnicodePattern(pattern)).toBe(expected);
  });

  test("cannot be written if it is not valid at all, or refers to an octal number", () => {
    expect(() => toUnicodePattern("(?i)abc")).toThrow('"(?i)abc" is not valid with the flag u');
    expect(() => toUnicodePattern(String.raw`\1\-`)).toThrow("is not valid with the flag u");
  });

  test("keeps its meaning", () => {
    const part = fc.constantFrom(
      ..."a-._]{}^",
      ...[String.raw`\-`, String.raw`\_`, String.raw`\w`, String.raw`\d`, String.raw`\.`],
      ...["[a-c]", String.raw`[\w-.]`, String.raw`[^\d-]`, "{2}", "{,2}", "[]a]", "|", "("],
    );
    const texts = fc.array(fc.constantFrom(..."abc-._]{}^12,[(w"), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), fc.array(texts), (parts, samples) => {
        const pattern = `^${parts.join("")}$`;
        let written: string;
        try {
          written = toUnicodePattern(pattern);
        } catch {
          return;
        }
        for (const sample of samples) {
          const value = sample.join("");
          expect([written, value, new RegExp(written, "u").test(value)]).toEqual([
            written,
            value,
            new RegExp(pattern).test(value),
          ]);
        }
      }),
      { numRuns: inFullRun(20_000, 1000) },
    );
  });
});
