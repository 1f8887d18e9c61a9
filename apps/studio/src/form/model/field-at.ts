import type { SchemaNode } from "@toolweave/core/adapter";
import { childFields, viewField, type ChildField } from "./field-view.ts";
import type { FormNode, FormPath } from "../../json/node.ts";
import type { SchemaRoot } from "./schema-parts.ts";

/** The schema and the value of a field. */
export interface PlacedField {
  readonly schema: SchemaNode | undefined;
  /** Undefined if the value is absent. */
  readonly node: FormNode | undefined;
  /** The steps to the field: fewer than asked for if it has no field of its own. */
  readonly path: FormPath;
}

/** Finds the field at a path, or the nearest one around it, such as an absent object or JSON text. */
export function fieldAt(
  root: SchemaRoot,
  value: FormNode,
  path: readonly (string | number)[],
): PlacedField {
  let found: PlacedField = { schema: root.schema, node: value, path: [] };
  for (const step of path) {
    if (found.node === undefined) return found;
    const view = viewField(root, found.schema, found.node);
    const child: ChildField | undefined = childFields(root, view, found.node).find(
      (field) => String(field.step) === String(step),
    );
    if (child === undefined) return found;
    found = { schema: child.schema, node: child.node, path: [...found.path, child.step] };
  }
  return found;
}
