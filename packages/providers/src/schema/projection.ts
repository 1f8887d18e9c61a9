import type { JsonSchema, JsonValue } from "@toolweave/core";
import {
  isObject,
  stepPointer,
  subschemas,
  type SchemaNode,
  cleanName,
  uniqueNames,
} from "@toolweave/core/adapter";
import type { ProviderRules } from "../rules/provider-rules.ts";
import { BadSchema, Unprojectable, type SimplifiedPart } from "./projection-errors.ts";
import { demands, asTexts, without, schemaSize, tooLarge } from "./keywords.ts";
import { definitionName, preparedSchema } from "./prepared-schema.ts";
import { ProjectedNodes } from "./projected-nodes.ts";
import { mergeContext } from "./merged-schemas.ts";
import { toObjectSchema, withoutRequiredCycles } from "./united-variants.ts";

/** A tool's schema as one provider takes it. */
export interface Projection {
  readonly schema: JsonSchema;
  /** Where a model may write what the tool's own schema refuses. The executor validates against that one. */
  readonly simplified: readonly SimplifiedPart[];
  /** The arguments that have another name in the projected schema: their own names, by that. */
  readonly names: ReadonlyMap<string, string>;
  /** By object of the projected schema: the properties that are `null` when they are absent. */
  readonly nullForAbsent: WeakMap<JsonSchema, ReadonlySet<string>>;
}

/** At a root whose properties have other names, these would speak of the old ones. */
const speaksOfNames = [
  "dependentRequired",
  "dependentSchemas",
  "else",
  "if",
  "not",
  "patternProperties",
  "propertyNames",
  "then",
  "unevaluatedProperties",
];

/**
 * A schema as a provider's rules allow it. It accepts every value that the original accepts, with two
 * changes that can be undone: arguments whose names the provider refuses have others, and with
 * `closedObjects` what is absent is `null`. Keys that the original does not name are no part of that:
 * where objects have to be closed they cannot be sent. Projecting a projected schema changes nothing.
 *
 * @throws BadSchema when it is no schema of an object, or refers to what is not in it.
 * @throws Unprojectable when the rules cannot be followed without refusing what the original accepts.
 */
export function projection(schema: unknown, rules: ProviderRules): Projection {
  const prepared = preparedSchema(schema);
  const simplified: SimplifiedPart[] = [];
  const lose = (keyword: string): void => {
    simplified.push({ path: stepPointer("", [keyword]), rule: "root" });
  };
  const object = toObjectSchema(prepared.root, mergeContext(prepared, lose), lose);
  if (object === undefined) throw new BadSchema("", "The schema accepts no object.");
  const nodes = new ProjectedNodes(prepared, rules);
  const projected = nodes.projected(allowedRoot(object, rules, lose));
  simplified.push(...projected.simplified);
  const acyclic = rules.recursion
    ? withoutRequiredCycles(projected.schema, (path) =>
        simplified.push({ path, rule: "recursion" }),
      )
    : projected.schema;
  const needed = withNeededDefinitions(acyclic);
  const { schema: named, names } = withAllowedNames(needed, rules, simplified);
  if (rules.size !== undefined && tooLarge(schemaSize(named), rules.size).length > 0) {
    throw new Unprojectable("", "size");
  }
  const { nullForAbsent } = nodes;
  const ofRoot = nullForAbsent.get(projected.schema);
  if (ofRoot !== undefined) nullForAbsent.set(named, ofRoot);
  return { schema: named, simplified: distinct(simplified), names, nullForAbsent };
}

/** The root as an explicit object, with its allowed keywords. */
function allowedRoot(
  object: JsonSchema,
  { root }: ProviderRules,
  lose: (keyword: string) => void,
): JsonSchema {
  const entries: [string, JsonValue][] = [
    ["type", "object"],
    ["properties", isObject(object["properties"]) ? object["properties"] : {}],
  ];
  for (const [keyword, value] of Object.entries(object)) {
    if (keyword === "type" || keyword === "properties") continue;
    const isAllowed = !root.without.includes(keyword) && (root.only?.includes(keyword) ?? true);
    if (isAllowed) entries.push([keyword, value]);
    else if (demands(keyword, value)) lose(keyword);
  }
  return Object.fromEntries(entries);
}

/** Without definitions that nothing refers to any more. */
function withNeededDefinitions(schema: JsonSchema): JsonSchema {
  const definitions = schema["$defs"];
  if (!isObject(definitions)) return schema;
  const needed = new Set<string>();
  const waiting: SchemaNode[] = [without(schema, "$defs")];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node === "boolean") continue;
    const name = definitionName(node["$ref"]);
    if (name !== undefined && !needed.has(name)) {
      needed.add(name);
      waiting.push(definitions[name] as SchemaNode);
    }
    for (const [sub] of subschemas(node)) waiting.push(sub);
  }
  const remaining = Object.entries(definitions).filter(([name]) => needed.has(name));
  if (remaining.length === Object.keys(definitions).length) return schema;
  const rest = without(schema, "$defs");
  return remaining.length === 0 ? rest : { ...rest, $defs: Object.fromEntries(remaining) };
}

/** The root with arguments that are called as the rules allow it. */
function withAllowedNames(
  schema: JsonSchema,
  { propertyNames }: ProviderRules,
  simplified: SimplifiedPart[],
): { readonly schema: JsonSchema; readonly names: ReadonlyMap<string, string> } {
  const properties = schema["properties"] as JsonSchema;
  const originals = Object.keys(properties);
  const names = new Map<string, string>();
  if (propertyNames === undefined) return { schema, names };
  const { pattern } = propertyNames;
  if (originals.every((name) => pattern.test(name))) return { schema, names };
  const allowed = uniqueNames(originals, (name) =>
    pattern.test(name) ? name : cleanName(name).replaceAll("-", "_"),
  );
  const renamed = new Map<string, string>();
  for (const [index, original] of originals.entries()) {
    const name = allowed[index] as string;
    renamed.set(original, name);
    if (name !== original) names.set(name, original);
  }
  let at = schema;
  for (const keyword of speaksOfNames) {
    if (!demands(keyword, at[keyword])) continue;
    simplified.push({ path: stepPointer("", [keyword]), rule: "propertyNames" });
    if (keyword === "patternProperties") at = without(at, "additionalProperties");
    at = without(at, keyword);
  }
  const required = asTexts(at["required"]).map((name) => renamed.get(name) ?? name);
  return {
    schema: {
      ...at,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [renamed.get(name) ?? name, member]),
      ),
      ...(required.length > 0 && { required }),
    },
    names,
  };
}

function distinct(parts: readonly SimplifiedPart[]): readonly SimplifiedPart[] {
  return [...new Map(parts.map((part) => [`${part.rule} ${part.path}`, part])).values()];
}
