import type { JsonObject } from "@toolweave/core";
import { formatValue, isObject, type SchemaNode } from "@toolweave/core/adapter";
import { stringsIn } from "./count-violations.ts";
import { schemaParts, type SchemaRoot } from "./schema-parts.ts";

/**
 * Names the branches of a choice: by title, by the constant that distinguishes them, by the name of the definition, or by
 * what values they have. Equal names are numbered.
 */
export function branchNames(root: SchemaRoot, branches: readonly SchemaNode[]): readonly string[] {
  const bases = branches.map((branch) => schemaParts(root, branch).base);
  const discriminator = findDiscriminator(bases);
  const names = branches.map((branch, index) => {
    const base = bases[index] as JsonObject;
    if (typeof base["title"] === "string" && base["title"].trim() !== "") return base["title"];
    if (discriminator !== undefined) {
      return `${discriminator}: ${formatValue(constantIn(base, discriminator))}`;
    }
    return definitionName(branch) ?? describeValues(base);
  });
  return names.map((name, index) => {
    const isUnique = names.filter((other) => other === name).length === 1;
    return isUnique ? name : `${name} (${index + 1})`;
  });
}

/** Describes the values of a schema in a few words: `string`, `array of integer`, `object with a and b`. */
function describeValues(base: JsonObject): string {
  if ("const" in base) return formatValue(base["const"]);
  if (Array.isArray(base["enum"])) {
    const values = base["enum"].slice(0, 3).map((value) => formatValue(value));
    return base["enum"].length > 3 ? `${values.join(", ")}, …` : values.join(", ");
  }
  const types = stringsIn([base["type"]].flat());
  const type = types.length > 0 ? types.join(" or ") : inferType(base);
  if (type === "object") {
    const required = stringsIn(base["required"]);
    const names = required.length > 0 ? required : Object.keys(toMembers(base["properties"]));
    if (names.length === 0) return "object";
    return `object with ${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}`;
  }
  if (type === "array" && isObject(base["items"])) {
    const item = stringsIn([base["items"]["type"]].flat());
    if (item.length > 0) return `array of ${item.join(" or ")}`;
  }
  if (type === "string" && typeof base["format"] === "string") return `string, ${base["format"]}`;
  return type ?? "any JSON";
}

const keywordsByType: readonly (readonly [string, readonly string[]])[] = [
  [
    "object",
    ["properties", "required", "additionalProperties", "patternProperties", "propertyNames"],
  ],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]],
  ["string", ["pattern", "minLength", "maxLength", "format", "contentEncoding"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** The type that a schema without `type` has by its keywords. */
export function inferType(base: JsonObject): string | undefined {
  return keywordsByType.find(([, keywords]) => keywords.some((keyword) => keyword in base))?.[0];
}

/** The member that is another constant in each of the schemas. */
function findDiscriminator(bases: readonly JsonObject[]): string | undefined {
  const [first] = bases;
  if (first === undefined || bases.length < 2) return undefined;
  return Object.keys(toMembers(first["properties"])).find((name) => {
    const constants = bases.map((base) => JSON.stringify(constantIn(base, name)));
    return !constants.includes(undefined as never) && new Set(constants).size === bases.length;
  });
}

function constantIn(base: JsonObject, name: string): JsonObject[string] | undefined {
  const member = toMembers(base["properties"])[name];
  if (!isObject(member)) return undefined;
  if ("const" in member) return member["const"];
  const values = member["enum"];
  return Array.isArray(values) && values.length === 1 ? (values[0] as string) : undefined;
}

function definitionName(branch: SchemaNode): string | undefined {
  if (!isObject(branch) || typeof branch["$ref"] !== "string") return undefined;
  const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(branch["$ref"])?.[1];
  return name?.replaceAll("~1", "/").replaceAll("~0", "~");
}

function toMembers(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
