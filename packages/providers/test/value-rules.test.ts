import type { JsonSchema } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { providerRules } from "../src/rules/all-rules.ts";
import { projection } from "../src/schema/projection.ts";
import { schemaViolations } from "../src/schema/schema-violations.ts";
import { brokenRules, sentA, withA } from "./support/projected.ts";

describe("values", () => {
  it("required: Gemini gets no names without a property", () => {
    const schema = { type: "object", properties: { b: { type: "string" } }, required: ["b", "c"] };
    expect(brokenRules(withA(schema), "gemini")).toEqual(["required"]);
    expect(sentA(schema, "gemini").a).toEqual({ ...schema, required: ["b"] });
  });

  it.each([
    [{ enum: ["a", null] }, { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] }],
    [{ enum: [true, "a"] }, { type: ["boolean", "string"] }],
    [{ type: "boolean", const: true }, { type: "boolean" }],
  ])("enumValues: Gemini gets of %j the values that it supports", (schema, sent) => {
    expect(brokenRules(withA(schema), "gemini")).not.toEqual([]);
    expect(sentA(schema, "gemini").a).toEqual(sent);
  });

  it("formats: OpenAI's strict functions get the documented ones", () => {
    const more = { required: ["a"] };
    expect(brokenRules(withA({ type: "string", format: "uri" }), "openai-strict")).toContain(
      "formats",
    );
    expect(sentA({ type: "string", format: "uri" }, "openai-strict", more).a).toEqual({
      type: "string",
    });
    expect(sentA({ type: "string", format: "date" }, "openai-strict", more).a).toEqual({
      type: "string",
      format: "date",
    });
  });

  it("patterns: OpenAI gets none with look-arounds", () => {
    const schema = { type: "string", pattern: "^(?!\\.)\\S+$" };
    expect(brokenRules(withA(schema), "openai")).toEqual(["patterns"]);
    expect(sentA(schema, "openai").a).toEqual({ type: "string" });
    expect(sentA({ ...schema, pattern: "^(?:a|(?<b>b))$" }, "openai").rules).toEqual([]);
    const named = {
      type: "object",
      patternProperties: { "(?<=x)": {} },
      additionalProperties: false,
    };
    expect(sentA(named, "openai").a).toEqual({ type: "object" });
  });

  it("patterns: a `not` around a removed one is removed, too", () => {
    const schema = { not: { type: "string", pattern: "(?=a)" } };
    expect(sentA(schema, "openai").a).toEqual({});
    const $defs = { bad: { type: "string", pattern: "(?=a)" } };
    expect(sentA({ not: { $ref: "#/$defs/bad" } }, "openai", { $defs }).a).toEqual({});
    const either = { oneOf: [{ $ref: "#/$defs/bad" }, { type: "string", maxLength: 1 }] };
    expect(sentA(either, "openai", { $defs }).a).toEqual({ anyOf: either.oneOf });
  });

  it("arrayItems: OpenAI gets an items schema that accepts anything", () => {
    expect(brokenRules(withA({ type: "array" }), "openai")).toEqual(["arrayItems"]);
    expect(sentA({ type: "array" }, "openai").a).toEqual({ type: "array", items: {} });
  });

  it("types: OpenAI's strict functions get the type of an enum's values", () => {
    expect(sentA({ enum: ["a", 1] }, "openai-strict", { required: ["a"] }).a).toEqual({
      type: ["string", "number"],
      enum: ["a", 1],
    });
  });
});

describe("size", () => {
  const many = Object.fromEntries(
    Array.from({ length: 5001 }, (_, index) => [`p${index}`, { type: "string" }]),
  );
  let deep: JsonSchema = { type: "string" };
  for (let level = 0; level < 11; level++) {
    deep = {
      type: "object",
      properties: { a: deep },
      required: ["a"],
      additionalProperties: false,
    };
  }
  const values = (count: number, length: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => String(index).padStart(length, "x"));
  const one = (a: JsonSchema): JsonSchema =>
    withA(a, { required: ["a"], additionalProperties: false });

  it("a definition counts its own levels", () => {
    const ofTen = (deep["properties"] as { readonly a: JsonSchema }).a;
    const schema = { ...one({ $ref: "#/$defs/ten" }), $defs: { ten: ofTen } };
    expect(brokenRules(schema, "openai-strict")).toEqual([]);
  });

  it.each([
    [
      "properties",
      {
        type: "object",
        properties: many,
        required: Object.keys(many),
        additionalProperties: false,
      },
    ],
    ["levels", deep],
    ["enum values", one({ type: "string", enum: values(1001, 4) })],
    ["characters in one enum", one({ type: "string", enum: values(300, 60) })],
    ["characters of names", one({ type: "string", const: "x".repeat(120_000) })],
  ])("a schema with too many %s is not sent as strict", (words, schema) => {
    const [violation] = schemaViolations(schema, providerRules["openai-strict"]);
    expect(violation).toMatchObject({ rule: "size" });
    expect(violation?.message).toContain(words);
    expect(() => projection(schema, providerRules["openai-strict"])).toThrow("size");
  });
});
