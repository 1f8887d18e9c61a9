import { charge, chargeItems, spend } from "./budget.ts";
import { sliceItems } from "./collection.ts";
import { failLimit } from "./error.ts";
import { type HashKey, StarlarkObject, type Value, type ValueWriter } from "./value.ts";

export class StarlarkTuple extends StarlarkObject {
  override readonly type = "tuple";
  readonly elements: readonly Value[];
  #key: string | undefined;

  /** Takes the array over. */
  constructor(elements: readonly Value[]) {
    super();
    this.elements = elements;
  }

  override get length(): number {
    return this.elements.length;
  }

  override items(): readonly Value[] {
    return this.elements;
  }

  override freeze(pending: Value[]): void {
    for (const element of this.elements) pending.push(element);
  }

  override hashKey(): HashKey {
    return (this.#key ??= tupleKey(this.elements, 0));
  }

  override itemAt(index: number): Value {
    return this.elements[index] as Value;
  }

  override slice(start: number, count: number, step: number): Value {
    return new StarlarkTuple(sliceItems(this.elements, start, count, step));
  }

  override write(writer: ValueWriter): void {
    writer.container(this, "(", this.length === 1 ? ",)" : ")", () => this.elements);
  }
}

/** A new tuple, with its memory charged. Takes the array over. */
export function toTuple(elements: readonly Value[]): StarlarkTuple {
  chargeItems(elements.length);
  return new StarlarkTuple(elements);
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;
const maxDepth = 200;

/**
 * The key of a tuple: a text that is the same for equal tuples. It starts with a character that no string of bytes has, so
 * that it differs from the key of every string. V8 hashes it with a random seed, so that keys cannot be made to collide.
 */
function tupleKey(elements: readonly Value[], depth: number): string {
  if (depth > maxDepth) failLimit(`a key is nested too deeply (limit ${maxDepth})`);
  let key = "\u0101";
  for (const element of elements) {
    if (typeof element === "number") key += `${element};`;
    else if (element instanceof StarlarkTuple) key += tupleKey(element.elements, depth + 1);
    else if (element instanceof StarlarkObject) key += partKey(element.hashKey());
    else key += partKey(element);
  }
  key += "\u0103";
  charge(key.length);
  spend(1 + (key.length >> 6));
  return key;
}

function partKey(key: HashKey): string {
  if (typeof key === "string") return `${key.length}:${key}`;
  if (typeof key !== "object" || key === null) return `${String(key)};`;
  let identity = identities.get(key);
  if (identity === undefined) identities.set(key, (identity = ++lastIdentity));
  return `o${identity};`;
}
