import type { JsonSchema } from "@toolweave/core";
import {
  findInvalidKeyword,
  schemaTypes,
  isObject,
  stepPointer,
  subschemas,
  type SchemaNode,
  resolveReference,
} from "@toolweave/core/adapter";
import type { ProviderRules, RuleName, SchemaSize } from "../rules/provider-rules.ts";
import { schemaSize, tooLarge, asList, asEntries, asTexts } from "./keywords.ts";

/** Where a schema breaks a rule. */
interface SchemaViolation {
  readonly path: string;
  readonly rule: RuleName;
  readonly message: string;
  readonly source: string;
}

const sizeWords: Readonly<Record<keyof SchemaSize, string>> = {
  properties: "properties",
  depth: "levels of objects and arrays",
  enumValues: "enum values",
  characters: "characters of names and values",
  longEnumCharacters: "characters in one enum of more than 250 values",
};

/** Where a schema of arguments breaks a provider's rules. Reads the rules, and nothing of the projection. */
export function* schemaViolations(
  schema: unknown,
  rules: ProviderRules,
): Generator<SchemaViolation> {
  if (!isObject(schema) || schema["type"] !== "object") {
    const { source } = rules.root;
    yield { path: "", rule: "root", message: "the schema is not one of type object", source };
    if (!isObject(schema)) return;
  }
  yield* rootViolations(schema, rules);
  yield* new Check(schema, rules).violations(schema, "");
  if (rules.recursion !== undefined) yield* cycleViolations(schema, rules.recursion.source);
  if (rules.size === undefined) return;
  const size = schemaSize(schema);
  for (const part of tooLarge(size, rules.size)) {
    const message = `${size[part]} ${sizeWords[part]}; at most ${rules.size[part]}`;
    yield { path: "", rule: "size", message, source: rules.size.source };
  }
}

function* rootViolations(
  schema: JsonSchema,
  { root, properties, propertyNames }: ProviderRules,
): Generator<SchemaViolation> {
  for (const keyword of Object.keys(schema)) {
    if (root.without.includes(keyword) || root.only?.includes(keyword) === false) {
      const message = `${keyword} is not allowed at the top`;
      yield { path: stepPointer("", [keyword]), rule: "root", message, source: root.source };
    }
  }
  if (properties !== undefined && !isObject(schema["properties"])) {
    const message = "properties are missing";
    yield { path: "", rule: "properties", message, source: properties.source };
  }
  if (propertyNames === undefined) return;
  for (const [name] of asEntries(schema["properties"])) {
    if (propertyNames.pattern.test(name)) continue;
    const message = `the name does not match ${propertyNames.pattern.source}`;
    const path = stepPointer("", ["properties", name]);
    yield { path, rule: "propertyNames", message, source: propertyNames.source };
  }
}

class Check {
  readonly #root: JsonSchema;
  readonly #rules: ProviderRules;

  constructor(root: JsonSchema, rules: ProviderRules) {
    this.#root = root;
    this.#rules = rules;
  }

  *violations(node: SchemaNode, path: string): Generator<SchemaViolation> {
    if (typeof node === "boolean") {
      const keyword = path.split("/").at(-1);
      if (this.#rules.keywords === undefined || keyword === "additionalProperties") return;
      yield* this.#found("keywords", path, "a schema is an object");
      return;
    }
    const { dialect } = this.#rules;
    if (dialect !== undefined && Array.isArray(node["items"])) {
      yield* this.#found("dialect", stepPointer(path, ["items"]), "items is not a schema.");
    }
    const invalid = dialect && findInvalidKeyword(node);
    if (invalid !== undefined) {
      const { keyword, expected } = invalid;
      const message = `${keyword} is not ${expected}.`;
      yield* this.#found("dialect", stepPointer(path, [keyword]), message);
    }
    yield* this.#keywords(node, path);
    yield* this.#values(node, path);
    yield* this.#objects(node, path);
    for (const [sub, step] of subschemas(node))
      yield* this.violations(sub, stepPointer(path, step));
  }

  *#keywords(node: JsonSchema, path: string): Generator<SchemaViolation> {
    const { keywords, references, types } = this.#rules;
    const names = Object.keys(node);
    for (const keyword of names) {
      if (keywords === undefined || keywords.allowed.has(keyword)) continue;
      yield* this.#found("keywords", stepPointer(path, [keyword]), `${keyword} is not supported`);
    }
    const reference = node["$ref"];
    if (reference !== undefined) {
      if (references?.take === "none")
        yield* this.#found("references", path, "$ref is not supported");
      if (references?.take === "alone" && names.some((name) => !name.startsWith("$"))) {
        yield* this.#found("references", path, "$ref stands beside other keywords");
      }
      if (resolveReference(this.#root, reference) === undefined) {
        const message = `${JSON.stringify(reference)} leads nowhere`;
        yield {
          path,
          rule: "references",
          message,
          source: references?.source ?? this.#rules.root.source,
        };
      }
    }
    if (
      types !== undefined &&
      !["type", "anyOf", "enum", "const", "$ref"].some((one) => names.includes(one))
    ) {
      yield* this.#found("types", path, "the schema has no type");
    }
    for (const type of [node["type"] ?? []].flat()) {
      if (types === undefined || schemaTypes.has(type)) continue;
      yield* this.#found("types", path, `${JSON.stringify(type)} is not a type`);
    }
  }

  *#values(node: JsonSchema, path: string): Generator<SchemaViolation> {
    const { enumValues, formats, patterns, arrayItems } = this.#rules;
    const { format, pattern, type } = node;
    for (const value of asList(node["enum"])) {
      if (enumValues === undefined || enumValues.types.includes(typeof value)) continue;
      yield* this.#found(
        "enumValues",
        stepPointer(path, ["enum"]),
        `${JSON.stringify(value)} in an enum`,
      );
    }
    if (formats !== undefined && typeof format === "string" && !formats.allowed.has(format)) {
      yield* this.#found(
        "formats",
        stepPointer(path, ["format"]),
        `the format ${format} is not supported`,
      );
    }
    const texts = [pattern, ...asEntries(node["patternProperties"]).map(([name]) => name)];
    for (const text of texts) {
      if (patterns === undefined || typeof text !== "string" || !patterns.without.test(text))
        continue;
      yield* this.#found("patterns", path, `the pattern ${text} is not supported`);
    }
    const isArray = type === "array" || asTexts(type).includes("array");
    if (arrayItems !== undefined && isArray && node["items"] === undefined) {
      yield* this.#found("arrayItems", path, "an array has no items schema");
    }
  }

  *#objects(node: JsonSchema, path: string): Generator<SchemaViolation> {
    const { closedObjects, required } = this.#rules;
    const names = asEntries(node["properties"]).map(([name]) => name);
    const needed = asTexts(node["required"]);
    for (const name of needed) {
      if (required === undefined || names.includes(name)) continue;
      yield* this.#found("required", stepPointer(path, ["required"]), `${name} is no property`);
    }
    const { type } = node;
    const isOne = type === "object" || asTexts(type).includes("object") || names.length > 0;
    if (closedObjects === undefined || !isOne) return;
    if (node["additionalProperties"] !== false) {
      yield* this.#found("closedObjects", path, "additionalProperties is not false");
    }
    const missing = names.filter((name) => !needed.includes(name));
    if (missing.length > 0) {
      yield* this.#found("closedObjects", path, `not required: ${missing.slice(0, 5).join(", ")}`);
    }
    const unknown = needed.filter((name) => !names.includes(name));
    if (unknown.length > 0) {
      const message = `required, and no property: ${unknown.slice(0, 5).join(", ")}`;
      yield* this.#found("closedObjects", path, message);
    }
  }

  *#found(rule: RuleName, path: string, message: string): Generator<SchemaViolation> {
    yield { path, rule, message, source: (this.#rules[rule] as { source: string }).source };
  }
}

/** Definitions that come back to themselves without a property that may be absent in between. */
function* cycleViolations(schema: JsonSchema, source: string): Generator<SchemaViolation> {
  const definitions = new Map(asEntries(schema["$defs"]));
  for (const start of definitions.keys()) {
    const seen = new Set<string>();
    const waiting = neededBy(definitions.get(start));
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (name === start) {
        const path = stepPointer("", ["$defs", start]);
        const message = "a required part of the definition is the definition itself";
        yield { path, rule: "recursion", message, source };
        break;
      }
      if (seen.has(name)) continue;
      seen.add(name);
      waiting.push(...neededBy(definitions.get(name)));
    }
  }
}

function neededBy(node: unknown): string[] {
  if (!isObject(node)) return [];
  const reference = node["$ref"];
  const names = typeof reference === "string" ? [reference.replace("#/$defs/", "")] : [];
  for (const [sub, [keyword, name]] of subschemas(node)) {
    const isFree = keyword === "properties" && !asTexts(node["required"]).includes(String(name));
    if (!isFree) names.push(...neededBy(sub));
  }
  return names;
}
