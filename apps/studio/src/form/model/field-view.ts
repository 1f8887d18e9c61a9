import { isObject, type SchemaNode } from "@toolweave/core/adapter";
import { countViolations, memberSchema, stringsIn } from "./count-violations.ts";
import { isSameJson, type FormNode, type PathStep } from "../../json/node.ts";
import { schemaParts, type SchemaRoot } from "./schema-parts.ts";
import type { FieldKind } from "./schema-kinds.ts";
import { propertiesIn, viewSchema, type SchemaView } from "./schema-view.ts";
import { fromValue } from "../../json/write-json.ts";

/** The control of a field: of the kind of its schema, or JSON text where that kind cannot display the value. */
type Control = Exclude<FieldKind, "any" | "impossible"> | "json";

/** A field of the form: the view of its schema, and how its value is displayed. */
export interface FieldView extends SchemaView {
  readonly control: Control;
  /** True if the value is not of the kind that the schema has, so that it is displayed as JSON. */
  readonly isMismatch: boolean;
}

/** A member of an object, or an item of an array. */
export interface ChildField {
  readonly step: PathStep;
  readonly schema: SchemaNode | undefined;
  /** Undefined if it is absent. */
  readonly node: FormNode | undefined;
  readonly isRequired: boolean;
  /** True for a member that `properties` does not name, and for an item after those of `prefixItems`. */
  readonly isAdditional: boolean;
}

/** Resolves the field of a schema and a value. */
export function viewField(
  root: SchemaRoot,
  schema: SchemaNode | undefined,
  node: FormNode | undefined,
): FieldView {
  const view = viewSchema(root, schema, node);
  const control = getControl(view, node);
  const isMismatch =
    control === "json" &&
    node !== undefined &&
    view.kind !== "any" &&
    !isJsonDraft(node) &&
    !(view.kind === "text" && node.kind === "text");
  return { ...view, control, isMismatch };
}

function isJsonDraft(node: FormNode): boolean {
  return node.kind === "draft" && node.as === "json";
}

function getControl(view: SchemaView, node: FormNode | undefined): Control {
  const { kind } = view;
  if (node === undefined) return kind === "any" || kind === "impossible" ? "json" : kind;
  if (isJsonDraft(node)) return "json";
  if (node.kind === "literal" && node.value === null && view.isNullable) return "null";
  return canShow(view, node) && kind !== "any" && kind !== "impossible" ? kind : "json";
}

function canShow({ kind, base, options }: SchemaView, node: FormNode): boolean {
  switch (kind) {
    case "const":
      return isSameJson(fromValue(base["const"] ?? null), node);
    case "enum":
      return (
        (node.kind === "draft" && node.as === "option") ||
        options.some(({ value }) => isSameJson(fromValue(value), node))
      );
    case "boolean":
      return node.kind === "literal" && node.value !== null;
    case "number":
      return node.kind === "number" || (node.kind === "draft" && node.as === "number");
    case "text":
      return node.kind === "text" && isPlainText(node.text);
    case "object":
    case "array":
      return node.kind === kind;
    case "null":
      return node.kind === "literal" && node.value === null;
    default:
      return false;
  }
}

// eslint-disable-next-line no-control-regex -- Text fields change these characters, or do not show them.
const unshown = /[\u0000-\u0008\u000b-\u001f\u007f]/;

const loneSurrogate = /\p{Surrogate}/u;

/** True for text that a text field preserves: without control characters other than tab and line feed. */
function isPlainText(text: string): boolean {
  return !unshown.test(text) && !loneSurrogate.test(text);
}

/** The fields below one: the members of an object, or the items of an array. */
export function childFields(
  root: SchemaRoot,
  view: FieldView,
  node: FormNode | undefined,
): readonly ChildField[] {
  if (view.control === "object") return memberFields(root, view, node);
  if (view.control !== "array" || node?.kind !== "array") return [];
  const prefix = prefixSchemas(view);
  return node.items.map((item, index) => ({
    step: index,
    schema: itemSchema(view, index),
    node: item,
    isRequired: true,
    isAdditional: index >= prefix.length,
  }));
}

function memberFields(
  root: SchemaRoot,
  { base, alternatives }: FieldView,
  node: FormNode | undefined,
): readonly ChildField[] {
  const members = node?.kind === "object" ? node.members : new Map<string, FormNode>();
  const required = new Set(requiredNames(base, members));
  const named = new Map(propertiesIn(base));
  // A name that is only required has a field, too.
  for (const name of [...stringsIn(base["required"]), ...alternatives.flat()]) {
    if (!named.has(name)) named.set(name, memberSchema(base, name) ?? true);
  }
  const fields: ChildField[] = [];
  for (const [name] of named) {
    const member = members.get(name);
    const schema = memberSchema(base, name);
    if (member === undefined && isHidden(root, schema)) continue;
    const isRequired = required.has(name);
    fields.push({ step: name, schema, node: member, isRequired, isAdditional: false });
  }
  for (const [name, member] of members) {
    if (named.has(name)) continue;
    const schema = memberSchema(base, name);
    const isRequired = required.has(name);
    fields.push({ step: name, schema, node: member, isRequired, isAdditional: true });
  }
  return fields;
}

function requiredNames(
  base: FieldView["base"],
  members: ReadonlyMap<string, FormNode>,
): readonly string[] {
  const { dependentRequired } = base;
  const dependent = Object.entries(isObject(dependentRequired) ? dependentRequired : {})
    .filter(([name]) => members.has(name))
    .flatMap(([, names]) => stringsIn(names));
  return [...stringsIn(base["required"]), ...dependent];
}

/** True for members that the server sets, and for those that no value matches. */
function isHidden(root: SchemaRoot, schema: SchemaNode | undefined): boolean {
  const { base, isImpossible } = schemaParts(root, schema);
  return isImpossible || base["readOnly"] === true;
}

/** The schemas of the first items of an array. */
export function prefixSchemas({ base }: SchemaView): readonly SchemaNode[] {
  const { prefixItems } = base;
  return Array.isArray(prefixItems) ? (prefixItems as readonly SchemaNode[]) : [];
}

/** The schema of an item. Undefined: any value. */
export function itemSchema(view: SchemaView, index: number): SchemaNode | undefined {
  const { items, unevaluatedItems } = view.base;
  const rest = items ?? unevaluatedItems;
  const schema = prefixSchemas(view)[index] ?? rest;
  return typeof schema === "boolean" || isObject(schema) ? schema : undefined;
}

/** True if the array may have another item. */
export function canAddItem(view: SchemaView, node: FormNode | undefined): boolean {
  const { maxItems } = view.base;
  const count = node?.kind === "array" ? node.items.length : 0;
  if (typeof maxItems === "number" && count >= maxItems) return false;
  return itemSchema(view, count) !== false;
}

/** True if the schema describes members other than those of `properties`, or no members at all. */
export function canAddMember({ base }: SchemaView): boolean {
  const { additionalProperties, patternProperties, unevaluatedProperties } = base;
  if (isObject(patternProperties) && Object.keys(patternProperties).length > 0) return true;
  if (additionalProperties === false || unevaluatedProperties === false) return false;
  if (additionalProperties !== undefined || unevaluatedProperties !== undefined) return true;
  return propertiesIn(base).length === 0;
}

/** Returns why a member cannot be added under a name; undefined if it can. */
export function memberNameProblem(
  root: SchemaRoot,
  view: SchemaView,
  node: FormNode | undefined,
  name: string,
): string | undefined {
  if (name === "") return "Enter a name.";
  if (node?.kind === "object" && node.members.has(name)) return "This name is already in use.";
  if (memberSchema(view.base, name) === false) return "The schema does not permit this name.";
  const { propertyNames } = view.base;
  if (propertyNames === undefined) return undefined;
  const isPermitted = countViolations(root, propertyNames as SchemaNode, fromValue(name)) === 0;
  return isPermitted ? undefined : "The schema does not permit this name.";
}
