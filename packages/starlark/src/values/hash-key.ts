import { StarlarkError } from "./error.ts";
import { charge, spend } from "./budget.ts";
import { StarlarkObject } from "./value.ts";
import type { HashKey, Value } from "./value.ts";

/** The key of a value in a `Map`. Fails for values that cannot be hashed. */
function hashKey(value: Value): HashKey {
  return value instanceof StarlarkObject ? value.hashKey() : value;
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;
const maxDepth = 200;

/**
 * The key of a tuple: a text that is the same for equal tuples. It starts with a character that no string of bytes has, so
 * that it differs from the key of every string. V8 hashes it with a random seed, so that keys cannot be made to collide.
 */
export function tupleKey(elements: readonly Value[], depth: number): string {
  if (depth > maxDepth)
    throw new StarlarkError("limit_exceeded", `a key is nested too deeply (limit ${maxDepth})`);
  let key = "\u0101";
  for (const element of elements) key += elementKey(element, depth);
  key += "\u0103";
  charge(key.length);
  spend(1 + (key.length >> 6));
  return key;
}

function elementKey(element: Value, depth: number): string {
  if (typeof element === "string") return `s${element.length}:${element}`;
  if (typeof element === "number") return `${element};`;
  if (typeof element === "boolean") return element ? "t" : "f";
  if (element === null) return "n";
  if (typeof element === "object" && element.type === "tuple") {
    return tupleKey((element as StarlarkObject).items() as readonly Value[], depth + 1);
  }
  const key = hashKey(element);
  if (typeof key !== "object")
    return typeof key === "string" ? `b${key.length}:${key}` : `${String(key)};`;
  if (key === null) return "n";
  let identity = identities.get(key);
  if (identity === undefined) {
    identity = ++lastIdentity;
    identities.set(key, identity);
  }
  return `o${identity};`;
}
