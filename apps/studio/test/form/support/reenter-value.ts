import type { SchemaNode } from "@toolweave/core/adapter";
import { editAt, setJson } from "../../../src/form/model/edit.ts";
import { childFields, viewField } from "../../../src/form/model/field-view.ts";
import {
  literalNode,
  nodeAt,
  textNode,
  toNumberNode,
  type FormNode,
  type FormPath,
} from "../../../src/json/node.ts";
import type { SchemaRoot } from "../../../src/form/model/schema-parts.ts";
import { fromValue, jsonText } from "../../../src/json/write-json.ts";

/** The result of entering into every field what it shows. */
export interface Reentered {
  readonly node: FormNode;
  /** The number of values that fields show, and of those that the value has. */
  readonly displayed: number;
  /** The pointers of fields whose value is not of the kind that the schema has. */
  readonly mismatches: readonly string[];
}

/** Enters what each field shows into the same field again. */
export function reenterValue(root: SchemaRoot, value: FormNode): Reentered {
  let node = value;
  let displayed = 0;
  const mismatches: string[] = [];
  const visit = (path: FormPath, schema: SchemaNode | undefined): void => {
    const at = nodeAt(node, path);
    if (at === undefined) return;
    const view = viewField(root, schema, at);
    displayed++;
    if (view.isMismatch) mismatches.push(path.join("/"));
    const set = (next: FormNode): void => {
      node = editAt(node, path, () => next);
    };
    switch (view.control) {
      case "text":
        if (at.kind === "text") set(textNode(at.text));
        break;
      case "number":
        if (at.kind === "number") set(toNumberNode(at.text));
        break;
      case "boolean":
        if (at.kind === "literal") set(literalNode(at.value));
        break;
      case "enum": {
        const text = jsonText(at);
        const option = view.options.find(({ value: other }) => JSON.stringify(other) === text);
        if (option !== undefined) set(fromValue(option.value));
        break;
      }
      case "object":
      case "array":
        for (const child of childFields(root, view, at)) visit([...path, child.step], child.schema);
        break;
      case "json":
        displayed += countBelow(at);
        node = editAt(node, path, setJson(jsonText(at), false));
        break;
      default:
        break;
    }
  };
  visit([], root.schema);
  return { node, displayed, mismatches };
}

/** The number of values below a node. */
export function countBelow(node: FormNode): number {
  const children =
    node.kind === "array" ? node.items : node.kind === "object" ? [...node.members.values()] : [];
  return children.reduce((sum, child) => sum + 1 + countBelow(child), 0);
}
