import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type JsonSchema } from "@toolweave/core";
import { call, executorFor } from "../support/executor-for.ts";
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
      /x: annotations: "destructive" is no option\. Did you mean destructiveHint\?/,
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
      "AR03 an injected value that a model could send",
      () =>
        defineTool({
          ...base,
          input: { type: "object", properties: { tenant: { type: "string" } } },
          injected: [{ name: "tenant" }],
        }),
      /"tenant" is injected by the host, so take it out of the input schema/,
    ],
  ])("for %s", (_, define, message) => {
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code: "invalid_configuration" }));
  });
});

describe("a definition whose schema is found to be invalid at its first use", () => {
  test.each<[string, ReturnType<typeof defineTool>, RegExp]>([
    [
      "because it is not an object",
      defineTool({ ...base, input: z.string() as never }),
      /must have type: "object"/,
    ],
    [
      "because JSON Schema has no such type",
      defineTool({ ...base, input: z.object({ day: z.date() }) }),
      /x: its input cannot be written as JSON Schema \(Date cannot .*\); write inputSchema beside it/,
    ],
    [
      "AR03 because it has an injected value",
      defineTool({
        ...base,
        input: z.object({ tenant: z.string() }),
        injected: [{ name: "tenant" }],
      }),
      /"tenant" is injected by the host/,
    ],
  ])("%s is the host's defect, not the model's", async (_, tool, message) => {
    const { error } = failed(await executorFor(tool).execute(call("x")));
    expect([error.code, error.audience]).toEqual(["invalid_configuration", "host"]);
    expect(error.message).toMatch(message);
    expect(() => tool.spec.inputSchema).toThrow(message);
  });

  test("in its output says that the call did run", async () => {
    const tool = defineTool({
      ...base,
      output: z.object({ day: z.string().transform((day) => new Date(day)) }),
      execute: () => ({ day: "2026-01-01" }) as never,
    });
    const { error } = failed(await executorFor(tool).execute(call("x")));
    expect(error.code).toBe("invalid_output");
    expect(error.message).toContain("The call did run");
    expect(() => tool.spec.outputSchema).toThrow(/write output as JSON Schema instead/);
  });

  test("in its output is a failed call, not a rejected promise, if a person must approve first", async () => {
    const tool = defineTool({
      ...base,
      needsApproval: true,
      output: z.object({ day: z.date() }),
      execute: () => 1 as never,
    });
    const { error } = failed(await executorFor(tool).execute(call("x")));
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
