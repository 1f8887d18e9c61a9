import { isObject, type JsonSchema, type JsonValue } from "../json/json.ts";
import { childPointer } from "../json/json-pointer.ts";
import { nearNames } from "../contract/tool-names.ts";
import { formatValue } from "../text/format-value.ts";
import {
  findInvalidKeyword,
  getDialect,
  hasValidKeywords,
  schemaTypes,
} from "../json-schema/keywords.ts";
import { isSchemaNode, resolveReference, walkSubschemas } from "../json-schema/subschemas.ts";

/** Larger schemas are checked when they are compiled, within the budget of that. */
const maxSchemas = 20_000;

/** Keywords by which references are resolved in another way than by the path in the document. */
const rebasing: readonly string[] = ["$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"];

/** Schemas without a fault: a tool's is checked when it is defined, and again when it is listed. */
const faultless = new WeakSet<JsonSchema>();

/**
 * Finds the first fault for which no validator can use a schema: a keyword with a value that is not of its kind, or a
 * reference that leads nowhere. Takes a small part of the time that compiling takes.
 *
 * @returns a text such as `/properties/a/type is "strng"; use a type, or a list of types (did you mean "string"?)`, or
 * `undefined` when there is none. A schema without a fault can still be too large to compile.
 */
export function findSchemaFault(schema: unknown): string | undefined {
  if (!isSchemaNode(schema)) return `it is ${formatValue(schema)}, and no schema`;
  if (typeof schema === "boolean" || faultless.has(schema)) return undefined;
  const fault = findFault(schema);
  if (fault === undefined) faultless.add(schema);
  return fault;
}

function findFault(schema: JsonSchema): string | undefined {
  const dialect = getDialect(schema["$schema"]);
  if (isPlain(schema)) return undefined;
  const references: (readonly [pointer: string, reference: string])[] = [];
  let isRebased = false;
  for (const { schema: node, pointer } of walkSubschemas(schema, maxSchemas)) {
    const invalid = findInvalidKeyword(node, dialect);
    if (invalid !== undefined) {
      const { keyword, expected } = invalid;
      const value = node[keyword];
      const place = childPointer(pointer, keyword);
      return `${place} is ${formatValue(value)}; use ${expected}${typeHint(keyword, value)}`;
    }
    isRebased ||= rebasing.some((keyword) => Object.hasOwn(node, keyword));
    const { $ref } = node;
    if (typeof $ref === "string" && /^#(?:\/|$)/.test($ref)) references.push([pointer, $ref]);
  }
  if (isRebased) return undefined;
  const dangling = references.find(([, reference]) => !leadsToSchema(schema, reference));
  if (dangling === undefined) return undefined;
  const [pointer, reference] = dangling;
  return `${childPointer(pointer, "$ref")} is "${reference.slice(0, 200)}", and there is no schema at that place`;
}

/** Schemas of more parts are searched with a path to each part. */
const maxPlainSchemas = 1_000;

/** True for a schema of few parts without references in which every keyword has a value of its kind: for most. */
function isPlain(root: JsonSchema): boolean {
  let left = maxPlainSchemas;
  const test = (value: JsonValue): boolean => {
    if (!isObject(value)) return typeof value === "boolean";
    // Also ends circles of objects.
    if (--left < 0) return false;
    return !Object.hasOwn(value, "$ref") && hasValidKeywords(value, test);
  };
  return test(root);
}

function leadsToSchema(root: JsonSchema, reference: string): boolean {
  return isSchemaNode(resolveReference(root, reference));
}

function typeHint(keyword: string, value: unknown): string {
  if (keyword !== "type" || typeof value !== "string") return "";
  const [near] = nearNames(value, schemaTypes as ReadonlySet<string>, 1);
  return near === undefined ? "" : ` (did you mean "${near}"?)`;
}
