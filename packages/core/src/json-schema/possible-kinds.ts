import { canonicalJson } from "../json/canonical-json.ts";
import type { JsonValue } from "../json/json.ts";
import type { SchemaNode } from "./subschemas.ts";

/** A place of a schema for which no value is valid. */
export interface UnsatisfiablePlace {
  /** A JSON pointer into the schema (RFC 6901); empty for the whole. */
  readonly pointer: string;
  /** The contradiction, as a text that continues "No value is valid here: ". */
  readonly reason: string;
}

/** A schema and its place. */
export interface Part {
  readonly schema: SchemaNode;
  readonly pointer: string;
}

export interface Fault extends UnsatisfiablePlace {
  /** Reported elsewhere, or written as such. */
  readonly isKnown?: boolean;
}

export type Kind = "array" | "boolean" | "fraction" | "integer" | "null" | "object" | "string";

const kindsByType: Readonly<Record<string, readonly Kind[]>> = {
  array: ["array"],
  boolean: ["boolean"],
  integer: ["integer"],
  null: ["null"],
  number: ["integer", "fraction"],
  object: ["object"],
  string: ["string"],
};
export const allKinds: readonly Kind[] = [...new Set(Object.values(kindsByType).flat())];

const numeric: readonly Kind[] = ["integer", "fraction"];
const sizes: readonly (readonly [kind: Kind, lower: string, upper: string])[] = [
  ["array", "minItems", "maxItems"],
  ["object", "minProperties", "maxProperties"],
  ["string", "minLength", "maxLength"],
];

/**
 * Restricts the kinds of values to those that the types, constants and bounds of schemas of the same value leave.
 *
 * @returns the contradiction, if none is left.
 */
export function restrictKinds(parts: readonly Part[], kinds: Set<Kind>): Fault | undefined {
  return (
    restrictByType(parts, kinds) ?? restrictByValues(parts, kinds) ?? restrictByBounds(parts, kinds)
  );
}

function restrictByType(parts: readonly Part[], kinds: Set<Kind>): Fault | undefined {
  let before: JsonValue | undefined;
  for (const { schema, pointer } of parts) {
    const type = readKeyword(schema, "type");
    if (type === undefined) continue;
    const allowed = [type].flat().flatMap((name) => kindsByType[String(name)] ?? allKinds);
    for (const kind of kinds) if (!allowed.includes(kind)) kinds.delete(kind);
    if (kinds.size === 0) {
      return {
        pointer,
        reason: `no value is of the type ${quote(type)} and ${quote(before ?? type)}`,
      };
    }
    before = type;
  }
  return undefined;
}

function restrictByValues(parts: readonly Part[], kinds: Set<Kind>): Fault | undefined {
  let values: readonly JsonValue[] | undefined;
  for (const { schema, pointer } of parts) {
    for (const keyword of ["enum", "const"]) {
      const value = readKeyword(schema, keyword);
      const listed = keyword === "const" ? [value as JsonValue] : value;
      if (value === undefined || !Array.isArray(listed)) continue;
      const own = new Set((listed as JsonValue[]).map((each) => canonicalJson(each)));
      if (own.size === 0) return { pointer, reason: "its enum is empty" };
      values = (values ?? (listed as JsonValue[])).filter((each) => own.has(canonicalJson(each)));
      if (values.length === 0) {
        return { pointer, reason: `its ${keyword} has no value in common with the others` };
      }
      if (values.every((each) => !kinds.has(toKind(each)))) {
        const types = [...new Set(kinds)].map((kind) => (kind === "fraction" ? "number" : kind));
        const expected = [...new Set(types)].join(" or ");
        return { pointer, reason: `no value of its ${keyword} is of the type ${expected}` };
      }
    }
  }
  if (values !== undefined) {
    const present = new Set(values.map(toKind));
    for (const kind of kinds) if (!present.has(kind)) kinds.delete(kind);
  }
  return undefined;
}

function restrictByBounds(parts: readonly Part[], kinds: Set<Kind>): Fault | undefined {
  const found: (readonly [readonly Kind[], Fault])[] = [];
  const compare = (affected: readonly Kind[], lower: Bound, upper: Bound): void => {
    if (
      !(
        lower.value > upper.value ||
        (lower.value === upper.value && (lower.isOpen || upper.isOpen))
      )
    )
      return;
    const { pointer } = upper;
    found.push([
      affected,
      {
        pointer,
        reason: `${lower.keyword} ${lower.value} and ${upper.keyword} ${upper.value} exclude each other`,
      },
    ]);
  };
  compare(
    numeric,
    tightest(parts, ["minimum", "exclusiveMinimum"], 1),
    tightest(parts, ["maximum", "exclusiveMaximum"], -1),
  );
  for (const [kind, lower, upper] of sizes) {
    compare([kind], tightest(parts, [lower], 1), tightest(parts, [upper], -1));
  }
  for (const [affected, fault] of found) {
    for (const kind of affected) kinds.delete(kind);
    if (kinds.size === 0) return fault;
  }
  return undefined;
}

interface Bound {
  readonly keyword: string;
  readonly value: number;
  readonly isOpen: boolean;
  readonly pointer: string;
}

function tightest(parts: readonly Part[], keywords: readonly string[], sign: 1 | -1): Bound {
  let bound: Bound = { keyword: "", value: -sign * Infinity, isOpen: false, pointer: "" };
  for (const { schema, pointer } of parts) {
    for (const keyword of keywords) {
      const value = readKeyword(schema, keyword);
      if (typeof value !== "number") continue;
      const isOpen = keyword.startsWith("exclusive");
      if (value * sign > bound.value * sign || (value === bound.value && isOpen)) {
        bound = { keyword, value, isOpen, pointer };
      }
    }
  }
  return bound;
}

function toKind(value: JsonValue): Kind {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "fraction";
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as Kind);
}

/** Returns the value of a keyword. Undefined: there is none. */
export function readKeyword(schema: SchemaNode, keyword: string): JsonValue | undefined {
  if (typeof schema === "boolean" || !Object.hasOwn(schema, keyword)) return undefined;
  return schema[keyword];
}

function quote(value: JsonValue): string {
  return [value]
    .flat()
    .map((each) => JSON.stringify(each))
    .join(" or ");
}
