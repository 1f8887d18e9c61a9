import type { JsonSchema } from "@toolweave/core";
import { expect } from "vitest";
import { providerRules } from "../../src/rules/all-rules.ts";
import type { ProviderName, RuleName } from "../../src/rules/provider-rules.ts";
import { projection } from "../../src/schema/projection.ts";
import { schemaViolations } from "../../src/schema/schema-violations.ts";

/** The rules that a schema breaks, once for each place. */
export function brokenRules(schema: JsonSchema, provider: ProviderName): readonly RuleName[] {
  return [...schemaViolations(schema, providerRules[provider])].map(({ rule }) => rule);
}

/** The root's one property `a`, with that schema. */
export function withA(a: JsonSchema, more: JsonSchema = {}): JsonSchema {
  return { type: "object", properties: { a }, ...more };
}

/**
 * The sent schema of the property `a`, and the rules that are the reason for weaker constraints.
 */
export function sentA(
  a: JsonSchema,
  provider: ProviderName,
  more: JsonSchema = {},
): { readonly a: JsonSchema | undefined; readonly rules: readonly string[] } {
  const { schema, simplified } = projection(withA(a, more), providerRules[provider]);
  expect(brokenRules(schema, provider)).toEqual([]);
  const properties = schema["properties"] as Record<string, JsonSchema>;
  return { a: properties["a"], rules: simplified.map(({ rule, path }) => `${rule} ${path}`) };
}
