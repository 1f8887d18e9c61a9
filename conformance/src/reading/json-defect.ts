import { escapePointer } from "../schema/subschemas.ts";

/** Where a value is not plain JSON data, and what is there instead. */
export interface JsonDefect {
  /** A JSON pointer (RFC 6901). */
  readonly path: string;
  readonly what: string;
}

/**
 * Finds the first thing that JSON cannot hold. A property that is `undefined` counts as absent.
 */
export function jsonDefect(value: unknown): JsonDefect | undefined {
  return defectOf(value, new Map());
}

/** Of each object that was met: whether all of it has been looked at. One that is not holds itself. */
type Met = Map<object, boolean>;

function defectOf(value: unknown, met: Met): JsonDefect | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : { path: "", what: String(value) };
    case "object":
      return value === null ? undefined : objectDefect(value, met);
    default:
      return { path: "", what: typeof value };
  }
}

function objectDefect(value: object, met: Met): JsonDefect | undefined {
  const isDone = met.get(value);
  if (isDone !== undefined) return isDone ? undefined : { path: "", what: "a cycle" };
  met.set(value, false);
  const defect = Array.isArray(value) ? itemDefect(value, met) : memberDefect(value, met);
  met.set(value, true);
  return defect;
}

function itemDefect(items: readonly unknown[], met: Met): JsonDefect | undefined {
  // Not `entries`: what is missing in a list is `undefined`, which JSON cannot hold there.
  for (let index = 0; index < items.length; index++) {
    const defect = defectOf(items[index], met);
    if (defect !== undefined) return { ...defect, path: `/${index}${defect.path}` };
  }
  return undefined;
}

function memberDefect(value: object, met: Met): JsonDefect | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return { path: "", what: `an instance of ${value.constructor?.name ?? "a class"}` };
  }
  for (const key of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (member === undefined) continue;
    const defect = defectOf(member, met);
    if (defect !== undefined) {
      return { ...defect, path: `/${escapePointer(key)}${defect.path}` };
    }
  }
  return undefined;
}
