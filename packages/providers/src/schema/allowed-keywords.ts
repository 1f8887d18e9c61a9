import type { JsonSchema, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import type { ProviderRules, RuleName } from "../rules/provider-rules.ts";
import {
  annotations,
  demands,
  jsonType,
  schemaTypesIn,
  asList,
  asTexts,
  without,
} from "./keywords.ts";

/** Called for each keyword that was removed, with the rule that requires it. */
export type OnSimplified = (keyword: string, rule: RuleName) => void;

/**
 * The keywords of one schema that the rules allow, without the schemas below. A removed keyword is replaced by a weaker
 * constraint if there is one.
 */
export function allowedKeywords(
  node: JsonSchema,
  rules: ProviderRules,
  onSimplified: OnSimplified,
): JsonSchema {
  let at = node;
  if (rules.keywords !== undefined) {
    at = withKnownKeywords(at, rules.keywords.allowed, onSimplified);
  }
  if (rules.enumValues !== undefined) at = restrictEnum(at, rules.enumValues.types, onSimplified);
  const { format, pattern } = at;
  if (rules.formats !== undefined && typeof format === "string") {
    if (!rules.formats.allowed.has(format)) {
      onSimplified("format", "formats");
      at = without(at, "format");
    }
  }
  if (rules.patterns !== undefined) {
    if (typeof pattern === "string" && rules.patterns.without.test(pattern)) {
      onSimplified("pattern", "patterns");
      at = without(at, "pattern");
    }
    at = removeRefusedPatterns(at, rules.patterns.without, onSimplified);
  }
  if (rules.required !== undefined) at = withDeclaredRequired(at, onSimplified);
  return at;
}

function withKnownKeywords(
  node: JsonSchema,
  allowed: ReadonlySet<string>,
  onSimplified: OnSimplified,
): JsonSchema {
  const entries: [string, JsonValue][] = [];
  const add = (keyword: string, value: JsonValue): void => {
    if (node[keyword] === undefined) entries.push([keyword, value]);
  };
  for (const [keyword, value] of Object.entries(node)) {
    if (allowed.has(keyword)) {
      entries.push([keyword, value]);
      continue;
    }
    switch (keyword) {
      case "const":
        // The same demand in another word.
        add("enum", [value]);
        continue;
      case "exclusiveMinimum":
        add("minimum", value);
        break;
      case "exclusiveMaximum":
        add("maximum", value);
        break;
    }
    if (demands(keyword, value)) onSimplified(keyword, "keywords");
  }
  const remaining = Object.fromEntries(entries);
  // It applies to the names that these do not match: without them it would apply to more.
  if (node["patternProperties"] !== undefined && remaining["patternProperties"] === undefined) {
    return without(remaining, "additionalProperties");
  }
  return node["prefixItems"] !== undefined && remaining["prefixItems"] === undefined
    ? without(remaining, "items")
    : remaining;
}

/** An `enum` of only such types; `null` becomes a schema of its own. */
function restrictEnum(
  node: JsonSchema,
  types: readonly string[],
  onSimplified: OnSimplified,
): JsonSchema {
  const values = asList(node["enum"]);
  const remaining = values.filter((value) => types.includes(jsonType(value)));
  if (remaining.length === values.length) return node;
  const rest = without(node, "enum", ...annotations);
  const isNullable = remaining.length === values.length - 1 && values.includes(null);
  if (isNullable && remaining.length > 0 && node["anyOf"] === undefined) {
    const type = (schemaTypesIn(node) ?? []).filter((one) => one !== "null");
    // No type is left for the others: null alone is valid.
    if (type.length === 0) return { ...without(node, "enum"), type: "null" };
    const withType = type.length === 1 ? { type: type[0] as string } : { type };
    const annotationEntries = Object.entries(node).filter(([keyword]) => annotations.has(keyword));
    const branch = { ...without(rest, "type"), ...withType, enum: remaining };
    return { ...Object.fromEntries(annotationEntries), anyOf: [branch, { type: "null" }] };
  }
  onSimplified("enum", "enumValues");
  const known = schemaTypesIn(node) ?? [];
  return { ...without(node, "enum"), type: known.length === 1 ? (known[0] as string) : known };
}

function removeRefusedPatterns(
  node: JsonSchema,
  refused: RegExp,
  onSimplified: OnSimplified,
): JsonSchema {
  const { patternProperties } = node;
  if (!isObject(patternProperties)) return node;
  const remaining = Object.entries(patternProperties).filter(([pattern]) => !refused.test(pattern));
  if (remaining.length === Object.keys(patternProperties).length) return node;
  onSimplified("patternProperties", "patterns");
  return {
    ...without(node, "patternProperties", "additionalProperties"),
    ...(remaining.length > 0 && { patternProperties: Object.fromEntries(remaining) }),
  };
}

function withDeclaredRequired(node: JsonSchema, onSimplified: OnSimplified): JsonSchema {
  const { properties, required } = node;
  if (required === undefined) return node;
  const names = asTexts(required);
  const declared = names.filter((name) => isObject(properties) && Object.hasOwn(properties, name));
  if (declared.length < names.length) onSimplified("required", "required");
  else if (declared.length > 0) return node;
  return { ...without(node, "required"), ...(declared.length > 0 && { required: declared }) };
}
