import { childPointer } from "@toolweave/core/adapter";

/** The place of a value that is not plain JSON data. */
export interface JsonDefect {
  /** A JSON pointer (RFC 6901). */
  readonly path: string;
  readonly what: string;
}

/**
 * Finds the first value that JSON cannot represent. A property that is `undefined` counts as
 * absent.
 */
export function findJsonDefect(value: unknown): JsonDefect | undefined {
  return findDefect(value, new Map());
}

/**
 * The visited objects, with whether their members are done. An object that is not done contains
 * itself.
 */
type Visited = Map<object, boolean>;

function findDefect(value: unknown, met: Visited): JsonDefect | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : { path: "", what: String(value) };
    case "object":
      return value === null ? undefined : findObjectDefect(value, met);
    default:
      return { path: "", what: typeof value };
  }
}

function findObjectDefect(value: object, met: Visited): JsonDefect | undefined {
  const isDone = met.get(value);
  if (isDone !== undefined) return isDone ? undefined : { path: "", what: "a cycle" };
  met.set(value, false);
  const defect = Array.isArray(value) ? findItemDefect(value, met) : findMemberDefect(value, met);
  met.set(value, true);
  return defect;
}

function findItemDefect(items: readonly unknown[], met: Visited): JsonDefect | undefined {
  // Not `entries`: a hole in an array is `undefined`, which JSON cannot represent there.
  for (let index = 0; index < items.length; index++) {
    const defect = findDefect(items[index], met);
    if (defect !== undefined) return { ...defect, path: `/${index}${defect.path}` };
  }
  return undefined;
}

function findMemberDefect(value: object, met: Visited): JsonDefect | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return { path: "", what: `an instance of ${value.constructor?.name ?? "a class"}` };
  }
  for (const key of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (member === undefined) continue;
    const defect = findDefect(member, met);
    if (defect !== undefined) {
      return { ...defect, path: `${childPointer("", key)}${defect.path}` };
    }
  }
  return undefined;
}

/** True for a JSON pointer (RFC 6901). */
export function isPointer(path: unknown): path is string {
  return typeof path === "string" && /^(?:\/(?:[^~/]|~[01])*)*$/.test(path);
}
