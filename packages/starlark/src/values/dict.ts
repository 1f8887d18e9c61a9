import { charge, chargeItems, sizes, spend } from "./budget.ts";
import { Collection } from "./sequence.ts";
import { type HashKey, toHashKey, type Value } from "./value.ts";

/** The base of a dict and a set. Keys are kept in the order of their insertion. */
abstract class HashTable extends Collection {
  protected readonly table: Map<HashKey, Value> = new Map();
  /** Keys whose `Map` key is another value, by their `Map` key. */
  #originals: Map<HashKey, Value> | undefined;

  override get length(): number {
    return this.table.size;
  }

  override items(): readonly Value[] {
    return this.keys();
  }

  protected override parts(): Iterable<Value> {
    return this.entries().flat();
  }

  get(key: Value): Value | undefined {
    return this.table.get(toHashKey(key));
  }

  set(key: Value, value: Value): void {
    this.checkMutable("insert into");
    const hashed = toHashKey(key);
    const { size } = this.table;
    this.table.set(hashed, value);
    if (this.table.size === size) return;
    charge(typeof key === "object" ? sizes.keyedEntry : sizes.entry);
    if (hashed !== key) (this.#originals ??= new Map()).set(hashed, key);
  }

  /** Removes a key. Returns its value, `undefined` if there was none. */
  delete(key: Value): Value | undefined {
    const hashed = toHashKey(key);
    this.checkMutable("delete from");
    const value = this.table.get(hashed);
    this.table.delete(hashed);
    this.#originals?.delete(hashed);
    return value;
  }

  clear(): void {
    this.checkMutable("clear");
    this.table.clear();
    this.#originals = undefined;
  }

  #toKey(hashed: HashKey): Value {
    return this.#originals?.get(hashed) ?? hashed;
  }

  keys(): Value[] {
    chargeItems(this.table.size);
    const keys: Value[] = [...this.table.keys()];
    return this.#originals === undefined ? keys : keys.map((key) => this.#toKey(key as HashKey));
  }

  /** The first entry, if there is one. */
  first(): [key: Value, value: Value] | undefined {
    // A `Map` skips the entries that were deleted before it.
    spend(this.length >> 4);
    for (const [hashed, value] of this.table) return [this.#toKey(hashed), value];
    return undefined;
  }

  entries(): [key: Value, value: Value][] {
    // An entry is an array of its own.
    chargeItems(4 * this.table.size);
    const entries: [Value, Value][] = [...this.table];
    if (this.#originals === undefined) return entries;
    return entries.map(([key, value]) => [this.#toKey(key as HashKey), value]);
  }
}

export class StarlarkDict extends HashTable {
  override readonly type = "dict";

  values(): Value[] {
    chargeItems(this.table.size);
    return [...this.table.values()];
  }

  override binary(operator: string, other: Value, left: boolean): Value | undefined {
    if (operator !== "|" || !left || !(other instanceof StarlarkDict)) return undefined;
    return toDict([...this.entries(), ...other.entries()]);
  }
}

/** A new dict, with its memory charged. */
export function toDict(entries: Iterable<readonly [Value, Value]> = []): StarlarkDict {
  charge(sizes.dict);
  const dict = new StarlarkDict();
  for (const [key, value] of entries) dict.set(key, value);
  return dict;
}

/** A set. Each element is a key, with the value `true`. */
export class StarlarkSet extends HashTable {
  override readonly type = "set";

  has(value: Value): boolean {
    return this.get(value) !== undefined;
  }

  add(value: Value): void {
    this.set(value, true);
  }

  /** Whether every element is in the other set. */
  isSubset(other: StarlarkSet): boolean {
    return this.length <= other.length && this.keys().every((element) => other.has(element));
  }

  /** The elements that the other set has, or lacks. */
  #filter(other: StarlarkSet, has: boolean): Value[] {
    return this.keys().filter((element) => other.has(element) === has);
  }

  override binary(operator: string, other: Value, left: boolean): Value | undefined {
    if (!left || !(other instanceof StarlarkSet)) return undefined;
    if (operator === "|") return toSet([...this.keys(), ...other.keys()]);
    if (operator === "&") return toSet(this.#filter(other, true));
    if (operator === "-") return toSet(this.#filter(other, false));
    if (operator !== "^") return undefined;
    return toSet([...this.#filter(other, false), ...other.#filter(this, false)]);
  }
}

/** A new set, with its memory charged. */
export function toSet(elements: readonly Value[] = []): StarlarkSet {
  charge(sizes.dict);
  const set = new StarlarkSet();
  for (const element of elements) set.add(element);
  return set;
}
