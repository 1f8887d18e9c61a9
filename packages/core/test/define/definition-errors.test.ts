import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type JsonSchema, type Tool } from "@toolweave/core";
import { call, executorFor, foreignTool } from "../support/executor-for.ts";
import { failed } from "../support/outcomes.ts";

const base = { name: "x", description: "", input: { type: "object" } } as const;

describe("a definition is refused at once", () => {
  test.each<[string, () => unknown, RegExp]>([
    [
      "an invalid name",
      () => defineTool({ ...base, name: "delete event" }),
      /"delete event" is no tool name/,
    ],
    [
      "a negative timeout",
      () => defineTool({ ...base, timeoutMs: -1 }),
      /timeoutMs is -1; use 0 for none/,
    ],
    [
      "a timeout that is not a number",
      () => defineTool({ ...base, timeoutMs: NaN }),
      /timeoutMs is NaN/,
    ],
    [
      "a timeout in text",
      () => defineTool({ ...base, timeoutMs: "5" as never }),
      /timeoutMs is "5"/,
    ],
    [
      "a misspelled annotation, which would remove the approval of the call",
      () => defineTool({ ...base, annotations: { destructive: true } as never }),
      /x: annotations: unknown option "destructive"\. Did you mean destructiveHint\?/,
    ],
    [
      "a hint that is neither true nor false",
      () => defineTool({ ...base, annotations: { needsApprovalHint: "yes" } as never }),
      /x: annotations\.needsApprovalHint is "yes"; use true or false/,
    ],
    [
      "an input that is not an object",
      () => defineTool({ ...base, input: { type: "string" } }),
      /must have type: "object"/,
    ],
    [
      "an input without a type",
      () => defineTool({ ...base, input: {} }),
      /must have type: "object"/,
    ],
    [
      "an inputSchema that is not an object",
      () => defineTool({ ...base, input: v.string(), inputSchema: { type: "string" } }),
      /must have type: "object"/,
    ],
    [
      "an input without a JSON Schema",
      () => defineTool({ ...base, input: v.object({}) }),
      /this valibot schema gives no JSON Schema; write inputSchema beside it/,
    ],
    [
      "an output without a JSON Schema",
      () => defineTool({ ...base, output: v.object({}) }),
      /this valibot schema gives no JSON Schema; write output as JSON Schema instead/,
    ],
    [
      "injected values that are no list",
      () => defineTool({ ...base, input: { type: "object" }, injected: {} as never }),
      /injected is {}; use a list such as/,
    ],
    [
      "an injected value without a name",
      () => defineTool({ ...base, input: { type: "object" }, injected: [{} as never] }),
      /injected is \[{}\]; use a list such as/,
    ],
    [
      "AR03 an injected value that a model could send",
      () =>
        defineTool({
          ...base,
          input: { type: "object", properties: { tenant: { type: "string" } } },
          injected: [{ name: "tenant" }],
        }),
      /"tenant" is injected by the host, so take it out of the input schema/,
    ],
    [
      "a type that JSON Schema does not have",
      () =>
        defineTool({
          ...base,
          input: { type: "object", properties: { a: { type: "strng" } } },
        }),
      /^x: its input is not valid JSON Schema: \/properties\/a\/type is "strng"; use a type, or a list of types \(did you mean "string"\?\)\.$/,
    ],
    [
      "a keyword with a value of another kind, deep inside",
      () =>
        defineTool({
          ...base,
          input: { type: "object", properties: { a: { items: { anyOf: {} } } } } as never,
        }),
      /\/properties\/a\/items\/anyOf is \{\}; use a list of schemas/,
    ],
    [
      "a reference that leads nowhere",
      () =>
        defineTool({
          ...base,
          input: { type: "object", properties: { a: { $ref: "#/$defs/b" } } },
        }),
      /\/properties\/a\/\$ref is "#\/\$defs\/b", and there is no schema at that place/,
    ],
    [
      "an output with a keyword of another kind",
      () => defineTool({ ...base, output: { type: "object", required: "a" } as never }),
      /x: its output is not valid JSON Schema: \/required is "a"; use a list of names/,
    ],
    [
      "an object of Zod schemas",
      () => defineTool({ ...base, input: { city: z.string() } as never }),
      /x: its input is an object of schemas, and no schema: wrap it in z\.object\(\{ … \}\)/,
    ],
    [
      "an output that is an object of Valibot schemas",
      () => defineTool({ ...base, output: { city: v.string() } as never }),
      /its output is an object of schemas, and no schema: wrap it in v\.object/,
    ],
    [
      "a Zod schema that is not an object",
      () => defineTool({ ...base, input: z.string() as never }),
      /must have type: "object" at its root, and describes a value of type "string"\. Arguments have names: wrap it in an object, such as z\.object/,
    ],
    [
      "a Zod type that JSON does not have, with its place",
      () => defineTool({ ...base, input: z.object({ stay: z.object({ from: z.date() }) }) }),
      /x: its input cannot be written as JSON Schema at \/stay\/from \(Date cannot .*\); use a type that JSON has \(a date is a string\), or write inputSchema beside it/,
    ],
    [
      "an output that its library cannot describe",
      () => defineTool({ ...base, output: z.object({ day: z.date() }) }),
      /x: its output cannot be written as JSON Schema at \/day .*; .* or write output as JSON Schema instead/,
    ],
    [
      "AR03 an injected value that a Zod schema has, too",
      () =>
        defineTool({
          ...base,
          input: z.object({ tenant: z.string() }),
          injected: [{ name: "tenant" }],
        }),
      /"tenant" is injected by the host/,
    ],
  ])("for %s", (_, define, message) => {
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code: "invalid_configuration" }));
  });
});

test.each<JsonSchema>([
  { type: "object", properties: { tree: { $ref: "#" } } },
  { type: "object", properties: { a: { $ref: "#/$defs/b" } }, $defs: { b: true } },
  { type: "object", properties: { a: { $ref: "https://example.com/b" } } },
  { type: "object", $id: "https://example.com/a", properties: { a: { $ref: "#/c" } } },
  { type: "object", properties: { a: { type: ["string", "null"], format: "any" } } },
  { type: "object", "x-own": { type: "strng" }, properties: { type: { const: { type: 7 } } } },
])("a schema that a validator can use is accepted: %j", (input) => {
  expect(defineTool({ ...base, input }).spec.inputSchema).toBe(input);
});

describe("an output schema that cannot be read", () => {
  const unreadable = (more: Partial<Tool> = {}): Tool => {
    const tool = foreignTool("x", more);
    Object.defineProperty(tool.spec, "outputSchema", {
      enumerable: true,
      get() {
        throw new Error("it cannot be made");
      },
    });
    return tool;
  };

  test("results in an error that says that the call did run", async () => {
    const executor = executorFor(unreadable(), { policy: "autonomous" });
    const { error } = failed(await executor.execute(call("x")));
    expect(error.code).toBe("invalid_output");
    expect(error.message).toContain("The call did run");
  });

  test("is a failed call, not a rejected promise, if a person must approve first", async () => {
    const executor = executorFor(unreadable(), { policy: "supervised" });
    const { error } = failed(await executor.execute(call("x")));
    expect(error.code).toBe("internal");
    expect(error.message).toContain("cannot be put aside");
  });
});

test("a library that returns undefined as its JSON Schema results in an empty schema", () => {
  const input = {
    "~standard": {
      version: 1,
      vendor: "mine",
      validate: () => ({ value: {} }),
      jsonSchema: { input: () => undefined as unknown as JsonSchema, output: () => ({}) },
    },
  } as const;
  expect(() => defineTool({ ...base, input }).spec.inputSchema).toThrow(/type: "object"/);
});

test("known annotations are unchanged", () => {
  const annotations = {
    title: "X",
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
    needsApprovalHint: true,
    streamingHint: false,
    access: { filesystem: "read" },
    redact: [{ path: "$.token" }],
  } as const;
  expect(defineTool({ ...base, annotations }).spec.annotations).toEqual(annotations);
});
