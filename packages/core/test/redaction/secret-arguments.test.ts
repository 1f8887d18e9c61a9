import { describe, expect, test } from "vitest";
import type { JsonObject, JsonSchema } from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { getInterruption } from "../support/outcomes.ts";

/** The arguments as displayed to a person. */
async function displayedArguments(input: object, args: JsonObject): Promise<unknown> {
  const executor = executorFor(
    tool("t", undefined, {
      input: { type: "object", ...input } as JsonSchema,
      annotations: { needsApprovalHint: true },
    }),
  );
  return getInterruption(await executor.execute(call("t", args))).call.arguments;
}

const hidden = { writeOnly: true };
const mask = "[redacted]";

describe("SE09: a value that a schema marks as secret is masked", () => {
  test.each<[string, object, JsonObject, JsonObject]>([
    [
      "by a pattern, even if the member is declared",
      { properties: { pass: {} }, patternProperties: { "^pass": hidden } },
      { pass: "p" },
      { pass: mask },
    ],
    [
      "by a reference with escapes",
      { properties: { a: { $ref: "#/$defs/a%20b" } }, $defs: { "a b": hidden } },
      { a: "p", b: "q" },
      { a: mask, b: "q" },
    ],
    [
      "by a reference to an anchor, since it may be secret",
      { properties: { a: { $ref: "#x" } }, $defs: { x: { $anchor: "x", ...hidden } } },
      { a: "p", b: "q" },
      { a: mask, b: "q" },
    ],
    [
      "by a dependent schema",
      { dependentSchemas: { a: { properties: { b: hidden } } } },
      { a: "p", b: "q" },
      { a: "p", b: mask },
    ],
    [
      "by additional or unevaluated properties",
      { properties: { a: {} }, unevaluatedProperties: hidden },
      { a: "p", b: "q" },
      { a: "p", b: mask },
    ],
  ])("%s", async (_, input, args, expected) => {
    expect(await displayedArguments(input, args)).toEqual(expected);
  });

  test("a hundred levels down", async () => {
    let args: JsonObject = { token: "tok_deep" };
    for (let level = 0; level < 100; level++) args = { next: args };
    const node = { properties: { next: { $ref: "#/$defs/node" }, token: hidden } };
    const seen = await displayedArguments({ $ref: "#/$defs/node", $defs: { node } }, args);
    expect(JSON.stringify(seen)).not.toContain("tok_deep");
  });

  test("completely, if a schema leads to more places than can be searched", async () => {
    const twice = { allOf: [{ $ref: "#/$defs/twice" }, { $ref: "#/$defs/twice" }] };
    const a = JSON.parse('{ "if": { "type": "number" }, "then": { "$ref": "#/$defs/twice" } }');
    const input = {
      properties: { a: a as object, b: hidden },
      $defs: { twice },
    };
    // A complete search would have 2^64 places, and this test would not end.
    expect(await displayedArguments(input, { a: "p" })).toEqual({ a: mask });
  });
});
