import type { JsonSchema } from "@toolweave/core";
import {
  subschemas,
  type SchemaNode,
  type SchemaStep,
  isSchemaNode,
  mapSubschemas,
  stepPointer,
} from "@toolweave/core/adapter";
import { isEmpty, asList, asEntries, asTexts, without } from "./keywords.ts";
import { definitionName } from "./prepared-schema.ts";

/**
 * A projected schema of which no definition comes back to itself, but through properties that need
 * not be there. Other ways back end in a schema that accepts everything.
 *
 * @param onCut called with where.
 */
export function withoutRequiredCycles(
  schema: JsonSchema,
  onCut: (path: string) => void,
): JsonSchema {
  const cuts = new Cuts(new Map(asEntries(schema["$defs"]).filter(isDefinition)));
  if (cuts.edges.size === 0) return schema;
  return cut(schema, "", "", cuts.edges, onCut) as JsonSchema;
}

/** The references that lead back, as `from to`, where both are names of definitions. */
class Cuts {
  readonly edges: ReadonlySet<string>;
  readonly #definitions: ReadonlyMap<string, SchemaNode>;
  readonly #found = new Set<string>();
  readonly #done = new Set<string>();

  constructor(definitions: ReadonlyMap<string, SchemaNode>) {
    this.#definitions = definitions;
    for (const name of definitions.keys()) this.#follow(name, new Set());
    this.edges = this.#found;
  }

  #follow(name: string, above: ReadonlySet<string>): void {
    if (this.#done.has(name)) return;
    const here = new Set(above).add(name);
    const targets = new Set<string>();
    eachNeeded(this.#definitions.get(name) ?? true, (target) => targets.add(target));
    for (const target of targets) {
      if (here.has(target)) this.#found.add(`${name} ${target}`);
      else this.#follow(target, here);
    }
    this.#done.add(name);
  }
}

/** Calls back for each reference that is not behind a property that may be absent. */
function eachNeeded(node: SchemaNode, onReference: (name: string) => void): void {
  if (typeof node === "boolean") return;
  const name = definitionName(node["$ref"]);
  if (name !== undefined) onReference(name);
  for (const [sub, step] of subschemas(node)) {
    if (!isFree(node, step)) eachNeeded(sub, onReference);
  }
}

function isFree(node: JsonSchema, [keyword, name]: SchemaStep): boolean {
  return keyword === "properties" && !asTexts(node["required"]).includes(String(name));
}

function cut(
  node: SchemaNode,
  path: string,
  from: string,
  edges: ReadonlySet<string>,
  onCut: (path: string) => void,
): SchemaNode {
  if (typeof node === "boolean") return node;
  const name = definitionName(node["$ref"]);
  if (name !== undefined && edges.has(`${from} ${name}`)) {
    onCut(path);
    return {};
  }
  const rest = mapSubschemas(node, (sub, step) => {
    if (isFree(node, step)) return sub;
    const definition = path === "" && step[0] === "$defs" ? String(step[1]) : from;
    return cut(sub, stepPointer(path, step), definition, edges, onCut);
  });
  // When one of them accepts everything, so do all.
  return asList(rest["anyOf"]).some(isEmpty) ? without(rest, "anyOf") : rest;
}

function isDefinition(member: readonly [string, unknown]): member is readonly [string, SchemaNode] {
  return isSchemaNode(member[1]);
}
