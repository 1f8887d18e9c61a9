import type { JsonValue } from "@toolweave/core";
import type { SchemaNode } from "@toolweave/core/adapter";
import { stringsIn } from "./count-violations.ts";
import {
  arrayNode,
  draftNode,
  literalNode,
  objectNode,
  textNode,
  toNumberNode,
  type FormNode,
} from "../../json/node.ts";
import type { SchemaRoot } from "./schema-parts.ts";
import { propertiesIn, viewSchema, type BranchPicks, type SchemaView } from "./schema-view.ts";
import { fromValue } from "../../json/write-json.ts";

const maxDepth = 8;

/**
 * The value of a field that has just been added: empty, except for required constants, which have no other value.
 * Defaults and examples are not inserted. Of a choice, the first branch is selected.
 *
 * @param picks selects other branches, by the key of the choice.
 */
export function initialNode(
  root: SchemaRoot,
  schema: SchemaNode | undefined,
  picks: BranchPicks = new Map(),
  depth = 0,
): FormNode {
  const view = viewSchema(root, schema, undefined, picks);
  const open = view.choices.find(({ selected }) => selected === undefined);
  const [first] = open?.branches ?? [];
  if (open !== undefined && first !== undefined && depth < maxDepth) {
    return initialNode(root, schema, new Map([...picks, [open.key, first.index]]), depth + 1);
  }
  const node = initialNodeOfKind(root, view, depth);
  if (picks.size === 0) return node;
  const choices = [...picks].map(
    ([key, branch]) => [key, { branch, others: new Map<number, FormNode>() }] as const,
  );
  return { ...node, choices: new Map(choices) };
}

function initialNodeOfKind(root: SchemaRoot, view: SchemaView, depth: number): FormNode {
  switch (view.kind) {
    case "const":
      return fromValue(view.base["const"] as JsonValue);
    case "enum": {
      const [only, ...others] = view.options;
      if (only !== undefined && others.length === 0) return fromValue(only.value);
      return draftNode("", "option", "Select a value, or remove the field.");
    }
    case "boolean":
      return literalNode(false);
    case "number":
      return toNumberNode("");
    case "text":
      return textNode("");
    case "object":
      return initialObject(root, view.base, depth);
    case "array":
      return arrayNode();
    case "null":
      return literalNode(null);
    default:
      return draftNode("", "json", "Enter JSON, or remove the field.");
  }
}

function initialObject(root: SchemaRoot, base: SchemaView["base"], depth: number): FormNode {
  const required = new Set(stringsIn(base["required"]));
  const members: [string, FormNode][] = [];
  for (const [name, property] of propertiesIn(base)) {
    if (!required.has(name) || depth >= maxDepth) continue;
    const { kind, options } = viewSchema(root, property, undefined);
    const isConstant = kind === "const" || (kind === "enum" && options.length === 1);
    if (isConstant) members.push([name, initialNode(root, property, new Map(), depth + 1)]);
  }
  return objectNode(members);
}
