import { childFields, viewField, type ChildField } from "./field-view.ts";
import { findChild, type FormNode, type FormPath, type SelectedBranch } from "../../json/node.ts";
import type { SchemaRoot } from "./schema-parts.ts";
import type { SchemaNode } from "@toolweave/core/adapter";

/**
 * Stores the selected branches of the values on a path, before the last one of them is edited: an unfinished value could
 * match another branch better, and the field would change while a person types.
 */
export function pinBranches(root: SchemaRoot, value: FormNode, path: FormPath): FormNode {
  return pin(root, root.schema, value, path);
}

function pin(
  root: SchemaRoot,
  schema: SchemaNode | undefined,
  node: FormNode,
  path: FormPath,
): FormNode {
  const view = viewField(root, schema, node);
  const choices = new Map<string, SelectedBranch>(node.choices);
  for (const { key, selected } of view.choices) {
    if (choices.get(key)?.branch !== selected) {
      choices.set(key, { branch: selected, others: choices.get(key)?.others ?? new Map() });
    }
  }
  const isPinned = [...choices].every(([key, choice]) => node.choices?.get(key) === choice);
  const pinned = isPinned ? node : { ...node, choices };
  const [step, ...rest] = path;
  const child = step === undefined ? undefined : findChild(pinned, step);
  const field: ChildField | undefined = childFields(root, view, pinned).find(
    (other) => String(other.step) === String(step),
  );
  if (child === undefined || field === undefined) return pinned;
  const next = pin(root, field.schema, child, rest);
  if (next === child) return pinned;
  if (pinned.kind === "array") return { ...pinned, items: pinned.items.with(Number(step), next) };
  if (pinned.kind !== "object") return pinned;
  return { ...pinned, members: new Map(pinned.members).set(String(step), next) };
}
