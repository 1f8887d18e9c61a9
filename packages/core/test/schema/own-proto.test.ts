import { describe, expect, test } from "vitest";
import { ajvValidator, type JsonObject, type JsonSchema } from "@toolweave/core";
import { canonicalJson } from "@toolweave/core/adapter";
import { interpretedValidator } from "@toolweave/core/interpreted-validator";
import { cloneJson } from "../../src/json/clone-json.ts";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed, failed } from "../support/outcomes.ts";

const parsed = (text: string): never => JSON.parse(text) as never;

const draft7 = '"$schema":"http://json-schema.org/draft-07/schema#"';

describe.each([
  ["Ajv", ajvValidator()],
  ["the interpreted validator", interpretedValidator()],
])("a property named __proto__ is checked like any other by %s", (_, validator) => {
  test.each<[string, string, string, boolean]>([
    ["properties", '{"properties":{"__proto__":{"type":"string"}}}', '{"__proto__":1}', false],
    ["properties", '{"properties":{"__proto__":{"type":"string"}}}', '{"__proto__":"x"}', true],
    ["properties", '{"properties":{"__proto__":{"type":"string"}}}', "{}", true],
    ["properties", '{"properties":{"__proto__":false}}', '{"__proto__":"x"}', false],
    [
      "properties of properties",
      '{"properties":{"a":{"properties":{"__proto__":{"properties":{"b":{"type":"number"}}}}}}}',
      '{"a":{"__proto__":{"b":"x"}}}',
      false,
    ],
    [
      "additionalProperties",
      '{"properties":{"__proto__":{}},"additionalProperties":false}',
      '{"__proto__":"x"}',
      true,
    ],
    [
      "additionalProperties",
      '{"properties":{"a":{}},"additionalProperties":false}',
      '{"__proto__":"x"}',
      false,
    ],
    [
      "additionalProperties",
      '{"additionalProperties":{"type":"number"}}',
      '{"__proto__":"x"}',
      false,
    ],
    ["required", '{"required":["__proto__"]}', "{}", false],
    ["required", '{"required":["__proto__"]}', '{"__proto__":null}', true],
    ["patterns", '{"patternProperties":{"^__":{"type":"number"}}}', '{"__proto__":"x"}', false],
    [
      "a pattern of that name",
      '{"patternProperties":{"__proto__":{"type":"number"}}}',
      '{"a__proto__b":"x"}',
      false,
    ],
    [
      "patterns beside it",
      '{"properties":{"__proto__":{"type":"string"}},"patternProperties":{"^__proto__$":{"minLength":2}}}',
      '{"__proto__":"x"}',
      false,
    ],
    ["propertyNames", '{"propertyNames":{"pattern":"^[a-z]"}}', '{"__proto__":"x"}', false],
    [
      "unevaluatedProperties",
      '{"properties":{"a":{}},"unevaluatedProperties":false}',
      '{"__proto__":1}',
      false,
    ],
    [
      "unevaluatedProperties",
      '{"properties":{"__proto__":{}},"unevaluatedProperties":false}',
      '{"__proto__":1}',
      true,
    ],
    [
      "unevaluatedProperties after allOf",
      '{"allOf":[{"properties":{"__proto__":{}}}],"unevaluatedProperties":false}',
      '{"__proto__":1}',
      true,
    ],
    [
      "unevaluatedProperties after anyOf",
      '{"anyOf":[{"properties":{"__proto__":{"type":"number"}}},{"properties":{"a":true}}],"unevaluatedProperties":false}',
      '{"__proto__":1}',
      true,
    ],
    [
      "unevaluatedProperties after $ref",
      '{"$defs":{"x":{"properties":{"__proto__":{}}}},"$ref":"#/$defs/x","unevaluatedProperties":false}',
      '{"__proto__":1}',
      true,
    ],
    ["dependentRequired", '{"dependentRequired":{"__proto__":["b"]}}', '{"__proto__":1}', false],
    ["dependentRequired", '{"dependentRequired":{"__proto__":["b"]}}', "{}", true],
    [
      "dependentSchemas",
      '{"dependentSchemas":{"__proto__":{"required":["b"]}}}',
      '{"__proto__":1}',
      false,
    ],
    [
      "dependencies",
      `{${draft7},"dependencies":{"__proto__":["b"]},"allOf":[true]}`,
      '{"__proto__":1}',
      false,
    ],
    [
      "dependencies",
      `{${draft7},"dependencies":{"__proto__":{"required":["b"]}}}`,
      '{"__proto__":1}',
      false,
    ],
    ["dependencies", `{${draft7},"dependencies":{"__proto__":["b"]}}`, "{}", true],
    ["maxProperties", '{"maxProperties":0}', '{"__proto__":1}', false],
    ["const", '{"const":{"__proto__":1}}', '{"__proto__":1}', true],
    ["const", '{"const":{"__proto__":1}}', '{"__proto__":2}', false],
    ["const", '{"const":{"__proto__":1}}', "{}", false],
    [
      "const, whose value is not a schema",
      '{"const":{"properties":{"__proto__":1}}}',
      '{"properties":{"__proto__":1}}',
      true,
    ],
    ["enum", '{"enum":[{"__proto__":{"a":1}}]}', '{"__proto__":{"a":2}}', false],
    ["uniqueItems", '{"uniqueItems":true}', '[{"__proto__":1},{"__proto__":2}]', true],
    ["uniqueItems", '{"uniqueItems":true}', '[{"__proto__":1},{"__proto__":1}]', false],
    ["$defs", '{"$defs":{"__proto__":{"type":"number"}},"$ref":"#/$defs/__proto__"}', '"x"', false],
    [
      "$ref into properties",
      '{"properties":{"__proto__":{"type":"number"},"a":{"$ref":"#/properties/__proto__"}}}',
      '{"a":"x"}',
      false,
    ],
    [
      "a condition",
      '{"if":{"properties":{"__proto__":{"const":1}},"required":["__proto__"]},"then":false}',
      '{"__proto__":1}',
      false,
    ],
  ])("%s: %s, %s", async (_, schema, value, isValid) => {
    const check = await validator.compile(parsed(schema));
    expect(check(parsed(value)) === undefined).toBe(isValid);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

function asValue(args: unknown): unknown {
  return typeof args === "string" ? JSON.parse(args) : args;
}

describe("an argument named __proto__", () => {
  const input = parsed(
    '{"type":"object","properties":{"__proto__":{"type":"object"}},"additionalProperties":false}',
  ) as JsonSchema;
  const sent = '{"__proto__":{"b":["s3cret-4711"]}}';

  test("reaches the tool, hooks, approvers and events as an own member, and nothing else", async () => {
    const seen: string[] = [];
    const note = (value: unknown): void => void seen.push(JSON.stringify(value));
    const ask = tool("t", (args) => (note(args), "ran"), { input, needsApproval: true });
    const executor = executorFor(ask, {
      hooks: [{ beforeCall: ({ arguments: args }) => note(args) }],
      onAsk: (question) => (note(question.arguments), { approved: true }),
      eventPayloads: true,
    });
    executor.on((event) => {
      if (event.type === "tool.requested") note(asValue(event.arguments));
    });
    for (const args of [sent, parsed(sent) as JsonObject]) {
      completed(await executor.execute(call("t", args)));
    }
    // The model's text stays a text in the event.
    expect(seen).toEqual(Array.from({ length: 8 }, () => sent));
  });

  test("is refused if the schema has no such property", async () => {
    const closed = { type: "object", additionalProperties: false } as const;
    const executor = executorFor(tool("t", () => "ran", { input: closed }));
    expect(failed(await executor.execute(call("t", sent))).error.message).toContain("__proto__");
  });

  test("changes the hash and the copy", () => {
    const other = parsed('{"__proto__":{"b":["other"]}}');
    expect(canonicalJson(parsed(sent))).toBe(sent);
    expect(canonicalJson(parsed(sent))).not.toBe(canonicalJson(other));
    expect(canonicalJson(parsed(sent))).not.toBe(canonicalJson({}));
    expect(JSON.stringify(cloneJson(parsed(sent)))).toBe(sent);
  });

  test("is searched for secrets in a result, wherever the result contains it", async () => {
    const redact = { secrets: ["s3cret-4711"] };
    const result = tool("t", () => parsed(`{"a":[${sent}]}`));
    const outcome = await executorFor(result, { redact }).execute(call("t"));
    expect(JSON.stringify(completed(outcome).result.value)).toBe(
      '{"a":[{"__proto__":{"b":["[redacted]"]}}]}',
    );
  });
});
