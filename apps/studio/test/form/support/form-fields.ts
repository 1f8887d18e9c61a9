import { expect } from "vitest";
import type { JsonSchema } from "@toolweave/core";
import { fieldAt } from "../../../src/form/model/field-at.ts";
import { childFields, viewField, type FieldView } from "../../../src/form/model/field-view.ts";
import type { Form } from "../../../src/form/form.ts";

/** The view of the field at a path, which must have one. */
export function viewAt(form: Form, ...path: (string | number)[]): FieldView {
  const { schema, node, path: found } = fieldAt(form.root, form.value, path);
  expect(found).toEqual(path);
  return viewField(form.root, schema, node);
}

/** The names of the fields below one. */
export function namesAt(form: Form, ...path: (string | number)[]): readonly (string | number)[] {
  const { node } = fieldAt(form.root, form.value, path);
  return childFields(form.root, viewAt(form, ...path), node).map(({ step }) => step);
}

/** The schema of an object. */
export function object(
  properties: Readonly<Record<string, JsonSchema | boolean>>,
  more: JsonSchema = {},
): JsonSchema {
  return { type: "object", properties, ...more };
}
