import type { JsonSchema, JsonValue } from "@toolweave/core";
import { subschemas } from "@toolweave/core/adapter";
import { getDefinitionName } from "../schema/resolve-schema.ts";
import { toShortJson } from "./schema-parts.ts";

type Node = Record<string, JsonValue>;

/** Minimum length of a definition: a shorter one is inlined, because a reference takes as many characters. */
const minDefinitionLength = 60;

/** Inlines definitions that are used once or are short; the others become `$defs`. */
export function inlineDefinitions(root: Node, definitions: ReadonlyMap<string, Node>): JsonSchema {
  if (definitions.size === 0) return root;
  const inlining = new Inlining(definitions);
  inlining.count(root);
  return inlining.write(root);
}

class Inlining {
  readonly #definitions: ReadonlyMap<string, Node>;
  readonly #mentions = new Map<string, number>();
  readonly #counting = (node: Node): void => this.count(node);
  readonly #filling = (node: Node): void => this.#fill(node);

  constructor(definitions: ReadonlyMap<string, Node>) {
    this.#definitions = definitions;
  }

  /** Counts the uses of each definition in the remaining schema. */
  count(node: Node): void {
    const name = getDefinitionName(node["$ref"]);
    if (name !== undefined) {
      const before = this.#mentions.get(name) ?? 0;
      this.#mentions.set(name, before + 1);
      if (before === 0) this.count(this.#definitions.get(name) as Node);
    }
    eachInner(node, this.#counting);
  }

  write(root: Node): JsonSchema {
    this.#fill(root);
    const shared: [string, JsonValue][] = [];
    for (const [name, definition] of this.#definitions) {
      if (!this.#mentions.has(name) || this.#isInline(name, definition)) continue;
      this.#fill(definition);
      shared.push([name, definition]);
    }
    if (shared.length === 0) return root;
    shared.sort(([a], [b]) => (a < b ? -1 : 1));
    return { ...root, $defs: Object.fromEntries(shared) };
  }

  /** Modifies the schemas in place: they are not shared yet. */
  #fill(node: Node): void {
    const name = getDefinitionName(node["$ref"]);
    const definition = name === undefined ? undefined : this.#definitions.get(name);
    if (name !== undefined && definition !== undefined && this.#isInline(name, definition)) {
      replaceReference(node, definition);
      this.#fill(node);
      return;
    }
    eachInner(node, this.#filling);
  }

  #isInline(name: string, definition: Node): boolean {
    return this.#mentions.get(name) === 1 || isShort(definition);
  }
}

function isShort(schema: Node): boolean {
  if (schema["properties"] !== undefined || schema["$ref"] !== undefined) return false;
  return toShortJson(schema, minDefinitionLength - 1)?.includes('"$ref"') === false;
}

/** Replaces a reference by its definition; a description beside the reference takes precedence. */
function replaceReference(node: Node, definition: Node): void {
  const { $ref: _, description, ...beside } = node;
  delete node["$ref"];
  if (Object.keys(beside).some((key) => key in definition)) {
    for (const key of Object.keys(node)) delete node[key];
    node["allOf"] = [structuredClone(definition), beside];
  } else {
    Object.assign(node, definition);
  }
  if (description !== undefined) node["description"] = description;
}

function eachInner(node: Node, visit: (inner: Node) => void): void {
  for (const [inner] of subschemas(node)) if (typeof inner !== "boolean") visit(inner as Node);
}
