import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { compile } from "json-schema-to-typescript-lite";

/** A tool whose types are declared. */
export interface DeclaredTool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
  /** undefined: the tool has no schema for its output. */
  readonly output: JsonSchema | undefined;
}

/** The text of a declaration file, and the tools whose schemas have no equivalent type. */
export interface Declaration {
  readonly text: string;
  readonly untyped: readonly string[];
}

/**
 * Declares the types of tools in the interface `ToolTypes` of `@toolweave/core`, sorted by name: the same tools have
 * the same text.
 *
 * @param command that writes the file, for its header.
 */
export async function declareTools(
  tools: readonly DeclaredTool[],
  command: string,
): Promise<Declaration> {
  const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const untyped = new Set<string>();
  const taken = new Set<string>();
  const members: string[] = [];
  const namespaces: string[] = [];
  for (const { name, description, input, output } of sorted) {
    const typed = async (schema: JsonSchema, type: string): Promise<string> => {
      const text = await declareSchema(schema, type).catch(() => undefined);
      if (text === undefined) untyped.add(name);
      return text ?? `export type ${type} = unknown;`;
    };
    const space = toNamespace(name, taken);
    const parts = [
      await typed(input, "Input"),
      ...(output === undefined ? [] : [await typed(output, "Output")]),
    ];
    namespaces.push(`declare namespace ${space} {\n${indent(parts.join("\n"), 1)}\n}\n`);
    const result = output === undefined ? "unknown" : `${space}.Output`;
    const comment = toComment(description);
    members.push(`${comment}${propertyName(name)}: { input: ${space}.Input; output: ${result} };`);
  }
  const text = `// Written by \`${command}\`. Run it again to update this file: changes are lost.
import "@toolweave/core";

declare module "@toolweave/core" {
  interface ToolTypes {
${indent(members.join("\n"), 2)}
  }
}

${namespaces.join("\n")}
export {};
`;
  return { text, untyped: [...untyped] };
}

/** The types of a schema: one called `name`, and those of its definitions. */
async function declareSchema(schema: JsonSchema, name: string): Promise<string> {
  const text = await compile(toTypeSchema(schema, 0) as never, name, {
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    unreachableDefinitions: false,
    // A reference of a foreign schema must neither read a file nor send a request.
    $refOptions: { resolve: { external: false, file: false, http: false } },
  });
  return text.trim();
}

const maxDepth = 60;

/** Keywords that hold one schema, a list of schemas, and schemas by name. */
const oneSchema = new Set(["additionalProperties", "additionalItems", "items", "not"]);
const schemaLists = new Set(["allOf", "anyOf", "oneOf", "items"]);
const schemaMaps = new Set(["properties", "patternProperties", "$defs", "definitions"]);

/** Keywords that a type has an equivalent for. */
const plainKeywords = new Set(["type", "enum", "const", "required", "description", "$ref"]);

/** Keywords without which a schema accepts anything. */
const typingKeywords = [
  "type",
  "enum",
  "const",
  "properties",
  "items",
  "allOf",
  "anyOf",
  "oneOf",
  "additionalProperties",
  "patternProperties",
];

/**
 * The part of a schema (2020-12) that the generator understands (draft 7). The generator's own extensions, which insert
 * code, and everything that would change names are left out.
 *
 * @throws Error for a schema that is too deep.
 */
function toTypeSchema(schema: JsonValue, depth: number): JsonValue {
  if (depth > maxDepth) throw new Error("The schema is too deep.");
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    return schema !== false;
  const { prefixItems, ...rest } = schema as JsonObject;
  const own: Record<string, JsonValue> = {};
  const source = Array.isArray(prefixItems)
    ? { ...rest, items: prefixItems, additionalItems: rest["items"] ?? true }
    : rest;
  for (const [key, value] of Object.entries(source) as [string, JsonValue][]) {
    if (plainKeywords.has(key)) own[key] = value;
    else if (schemaLists.has(key) && Array.isArray(value)) {
      own[key] = value.map((each: JsonValue) => toTypeSchema(each, depth + 1));
    } else if (schemaMaps.has(key)) own[key] = mapValues(value, depth);
    else if (oneSchema.has(key) && key !== "not") own[key] = toTypeSchema(value, depth + 1);
  }
  const { $ref, description, $defs, definitions, ...typing } = own;
  const isTyped = typingKeywords.some((key) => typing[key] !== undefined);
  if (typeof $ref === "string") {
    if (!isTyped && depth > 0) return { $ref };
    const named = Object.entries({ $defs, definitions, description });
    return {
      ...(Object.fromEntries(named.filter(([, value]) => value !== undefined)) as JsonObject),
      allOf: [{ $ref }, ...(isTyped ? [typing] : [])],
    };
  }
  // Members that a schema does not list are allowed, but no type with names would find a typing error.
  if (own["properties"] !== undefined) own["additionalProperties"] ??= false;
  else if (own["type"] === "object") own["additionalProperties"] ??= true;
  return isTyped ? own : { ...own, type: "any" };
}

function mapValues(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, toTypeSchema(each as JsonValue, depth + 1)]),
  );
}

/** `get_pet` → `GetPet`; a number tells equal names apart. */
function toNamespace(name: string, taken: Set<string>): string {
  const words = name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const base = words.join("").replace(/^(?=\d|$)/, "Tool");
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? base : `${base}${number}`;
    if (taken.has(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** The first line of a description, which can neither end the comment nor continue on another line. */
function toComment(description: string): string {
  const [line = ""] = description.trim().split(/[\r\n\u2028\u2029]/, 1);
  return line === "" ? "" : `/** ${line.replaceAll("*/", "*\\/")} */\n`;
}

function indent(text: string, levels: number): string {
  return text.replace(/^(?=.)/gm, "  ".repeat(levels));
}
