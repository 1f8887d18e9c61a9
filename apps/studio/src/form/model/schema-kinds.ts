import type { JsonObject, JsonValue } from "@toolweave/core";
import { inferType } from "./branch-names.ts";
import { stringsIn } from "./count-violations.ts";
import type { SchemaParts } from "./schema-parts.ts";

/**
 * The kind of field that a schema has. `any`: any JSON; `unselected`: a branch has to be selected first; `impossible`: no
 * value matches.
 */
export type FieldKind =
  | "const"
  | "enum"
  | "boolean"
  | "number"
  | "text"
  | "object"
  | "array"
  | "null"
  | "any"
  | "unselected"
  | "impossible";

/** A value that can be selected. */
export interface FieldOption {
  readonly value: JsonValue;
  readonly label: string;
  readonly description?: string;
}

/** The kind of field of a schema without choices. */
export function getKind(base: JsonObject, options: readonly FieldOption[]): FieldKind {
  if ("const" in base) return "const";
  if (options.length > 0) return "enum";
  const types = stringsIn([base["type"]].flat());
  const [type = types.includes("null") ? "null" : inferType(base)] = toValueTypes(types);
  switch (type) {
    case "string":
      return "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
    case "object":
    case "array":
    case "null":
      return type;
    default:
      return "any";
  }
}

/** The types without `null`, and without `integer` where it is a `number`, too. */
export function toValueTypes(types: readonly string[]): readonly string[] {
  return types.filter(
    (type) => type !== "null" && !(type === "integer" && types.includes("number")),
  );
}

export function permitsNull({ type }: JsonObject): boolean {
  return type === undefined || [type].flat().includes("null");
}

export function isNullOnly(base: JsonObject): boolean {
  if (base["const"] === null) return true;
  const { enum: members, type } = base;
  if (Array.isArray(members) && members.length === 1 && members[0] === null) return true;
  const types = [type].flat();
  return types.length === 1 && types[0] === "null";
}

const constraints: ReadonlySet<string> = new Set([
  "required",
  "title",
  "description",
  "minProperties",
  "maxProperties",
  "dependentRequired",
]);

/** True for a branch that only requires some members or forbids values, so that it has no fields of its own. */
export function isConstraint(parts: SchemaParts): boolean {
  if (parts.choices.length > 0 || parts.conditions.length > 0) return false;
  if (parts.dependent.length > 0 || parts.dangling.length > 0) return false;
  const { required } = parts.base;
  return (
    Object.keys(parts.base).every((keyword) => constraints.has(keyword)) &&
    (required !== undefined || parts.excluded.length > 0)
  );
}

/** True for a branch that is a constant, or a list of them, so that all together are one list. */
export function isConstant(parts: SchemaParts): boolean {
  const options = optionsIn(parts.base);
  return (
    parts.choices.length === 0 &&
    options !== undefined &&
    options.every(({ value }) => typeof value !== "object" || value === null)
  );
}

export function hasOptions(base: JsonObject, options: readonly FieldOption[] | undefined): boolean {
  return "const" in base || Array.isArray(base["enum"]) || options !== undefined;
}

export function hasNullOption({ enum: members }: JsonObject): boolean {
  return Array.isArray(members) && members.includes(null);
}

export function optionsIn(base: JsonObject): readonly FieldOption[] | undefined {
  const { title, description } = base;
  if ("const" in base) {
    const value = base["const"] as JsonValue;
    return [
      {
        value,
        label: typeof title === "string" ? `${toLabel(value)} – ${title}` : toLabel(value),
        ...(typeof description === "string" && { description }),
      },
    ];
  }
  const members = base["enum"];
  if (!Array.isArray(members)) return undefined;
  return (members as readonly JsonValue[]).map((value) => ({ value, label: toLabel(value) }));
}

/** A string as it is, unless it would look like another value or like nothing. */
function toLabel(value: JsonValue): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return value.trim() === "" || /^(?:-?[0-9]+(?:\.[0-9]+)?|true|false|null)$/.test(value)
    ? JSON.stringify(value)
    : value;
}
