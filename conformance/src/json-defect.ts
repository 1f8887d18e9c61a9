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
  return defectAt(value, "", []);
}

function defectAt(
  value: unknown,
  path: string,
  parents: readonly object[],
): JsonDefect | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : { path, what: String(value) };
    case "object":
      return value === null ? undefined : objectDefect(value, path, parents);
    default:
      return { path, what: typeof value };
  }
}

function objectDefect(
  value: object,
  path: string,
  parents: readonly object[],
): JsonDefect | undefined {
  if (parents.includes(value)) return { path, what: "a cycle" };
  const within = [...parents, value];
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const defect = defectAt(value[index], `${path}/${index}`, within);
      if (defect !== undefined) return defect;
    }
    return undefined;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return { path, what: `an instance of ${value.constructor?.name ?? "a class"}` };
  }
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const pointer = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const defect = defectAt(member, pointer, within);
    if (defect !== undefined) return defect;
  }
  return undefined;
}
