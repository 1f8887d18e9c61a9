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
} from "./node.ts";
import { schemaParts, type SchemaRoot } from "./schema-parts.ts";
import { propertiesIn, viewSchema } from "./schema-view.ts";
import { fromValue } from "./write-json.ts";

const maxDepth = 8;

/**
 * The value of a field that has just been added: empty, except for required constants, which have no other value.
 * Defaults and examples are not inserted.
 */
export function initialNode(root: SchemaRoot, schema: SchemaNode | undefined, depth = 0): FormNode {
  const view = viewSchema(root, schema, undefined);
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
      return initialObject(root, view.schema, depth);
    case "array":
      return arrayNode();
    case "null":
      return literalNode(null);
    case "unselected": {
      const [first] = view.choices.at(-1)?.branches ?? [];
      return depth < maxDepth && first !== undefined
        ? initialNode(root, first.schema, depth + 1)
        : draftNode("", "json", "Enter JSON, or remove the field.");
    }
    default:
      return draftNode("", "json", "Enter JSON, or remove the field.");
  }
}

function initialObject(root: SchemaRoot, schema: SchemaNode, depth: number): FormNode {
  const { base } = schemaParts(root, schema);
  const required = new Set(stringsIn(base["required"]));
  const members: [string, FormNode][] = [];
  for (const [name, property] of propertiesIn(base)) {
    if (!required.has(name) || depth >= maxDepth) continue;
    const { kind, options } = viewSchema(root, property, undefined);
    const isConstant = kind === "const" || (kind === "enum" && options.length === 1);
    if (isConstant) members.push([name, initialNode(root, property, depth + 1)]);
  }
  return objectNode(members);
}
