import { ToolError } from "./tool-error.ts";

const maxDepth = 20;

/**
 * A frozen copy of plain JSON, each member read once. Unlike a conversion it refuses what JSON
 * cannot hold: a regular expression that quietly became a text would be a rule without effect.
 *
 * @param where what it is, for errors: `policy.rules[0]`.
 * @throws ToolError `internal`.
 */
export function readPlainJson(where: string, value: unknown): unknown {
  try {
    return copy(where, value, 0);
  } catch (error) {
    if (ToolError.is(error)) throw error;
    throw new ToolError("internal", `${where} cannot be read.`, { cause: error });
  }
}

function copy(where: string, value: unknown, depth: number): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (value === undefined) {
    throw new ToolError("internal", `${where} is undefined: leave it out, or give it a value.`);
  }
  if (typeof value !== "object" || !(Array.isArray(value) || isPlainObject(value))) {
    throw new ToolError("internal", `${where} is no plain JSON: write it as data.`);
  }
  if (depth === maxDepth) throw new ToolError("internal", `${where} is nested too deeply.`);
  if (Array.isArray(value)) {
    return Object.freeze(
      Array.from(value, (item, index) => copy(`${where}[${index}]`, item, depth + 1)),
    );
  }
  // Entries define `__proto__` as a member like any other.
  return Object.freeze(
    Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        copy(`${where}.${key}`, member, depth + 1),
      ]),
    ),
  );
}

/** Of any realm: its prototype has no prototype. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
