import { fail } from "./error.ts";
import { charge, chargeItems, sizes, spend } from "./budget.ts";
import { StarlarkObject } from "./value.ts";
import type { HashKey, Value, ValueWriter } from "./value.ts";

/** The rules of mutation, which a dict and a set share. */
abstract class HashTable extends StarlarkObject {
  #frozen = false;
  #iterations = 0;

  /** The keys in the order of their insertion. */
  abstract keys(): Value[];

  override items(): readonly Value[] {
    return this.keys();
  }

  override beginIteration(): void {
    this.#iterations++;
  }

  override endIteration(): void {
    this.#iterations--;
  }

  protected freezeTable(): boolean {
    if (this.#frozen) return false;
    this.#frozen = true;
    return true;
  }

  protected get mutable(): boolean {
    return !this.#frozen && this.#iterations === 0;
  }

  /** Fails if the table is frozen or iterated. `verb` is what was tried. */
  checkMutable(verb: "insert into" | "delete from" | "clear"): void {
    if (this.#frozen) fail(`cannot ${verb} frozen hash table`);
    if (this.#iterations > 0) fail(`cannot ${verb} hash table during iteration`);
  }
}

/** Keys whose `Map` key is another value, by their `Map` key. */
type Originals = Map<HashKey, Value>;

/** A dict. Keys are kept in the order of their insertion. */
export class StarlarkDict extends HashTable {
  override readonly type = "dict";
  readonly #values = new Map<HashKey, Value>();
  #originals: Originals | undefined;

  override truth(): boolean {
    return this.#values.size > 0;
  }

  override get length(): number {
    return this.#values.size;
  }

  override hashKey(): never {
    return fail("unhashable type: dict");
  }

  override freeze(pending: Value[]): void {
    if (!this.freezeTable()) return;
    for (const value of this.#values.values()) pending.push(value);
    for (const key of this.#originals?.values() ?? []) pending.push(key);
  }

  get(key: Value): Value | undefined {
    return this.#values.get(typeof key === "object" && key !== null ? key.hashKey() : key);
  }

  set(key: Value, value: Value): void {
    if (!this.mutable) this.checkMutable("insert into");
    const isObject = typeof key === "object" && key !== null;
    const hashed: HashKey = isObject ? key.hashKey() : key;
    const { size } = this.#values;
    this.#values.set(hashed, value);
    if (this.#values.size === size) return;
    if (isObject) {
      charge(sizes.keyedEntry);
      if (hashed !== key) (this.#originals ??= new Map()).set(hashed, key);
    } else charge(sizes.entry);
  }

  /** Removes a key. Returns its value, `undefined` if there was none. */
  delete(key: Value): Value | undefined {
    const hashed = typeof key === "object" && key !== null ? key.hashKey() : key;
    this.checkMutable("delete from");
    const value = this.#values.get(hashed);
    if (value === undefined) return undefined;
    this.#values.delete(hashed);
    this.#originals?.delete(hashed);
    return value;
  }

  clear(): void {
    this.checkMutable("clear");
    this.#values.clear();
    this.#originals = undefined;
  }

  override keys(): Value[] {
    chargeItems(this.#values.size);
    const keys = [...this.#values.keys()] as Value[];
    const originals = this.#originals;
    return originals === undefined ? keys : keys.map((key) => originals.get(key) ?? key);
  }

  /** The first entry, if there is one. */
  first(): [key: Value, value: Value] | undefined {
    for (const [hashed, value] of this.#values)
      return [this.#originals?.get(hashed) ?? (hashed as Value), value];
    return undefined;
  }

  values(): Value[] {
    chargeItems(this.#values.size);
    return [...this.#values.values()];
  }

  entries(): [key: Value, value: Value][] {
    spend(this.#values.size >> 2);
    const originals = this.#originals;
    const entries = [...this.#values] as [Value, Value][];
    return originals === undefined
      ? entries
      : entries.map(([key, value]) => [originals.get(key) ?? key, value]);
  }

  /** The value at a key of the `Map`, for comparisons. */
  getHashed(key: HashKey): Value | undefined {
    return this.#values.get(key);
  }

  hashedEntries(): MapIterator<[HashKey, Value]> {
    return this.#values.entries();
  }

  override write(writer: ValueWriter): void {
    writer.container(this, "{", "}", () => {
      for (const [index, [key, value]] of this.entries().entries()) {
        if (index > 0) writer.text(", ");
        writer.value(key);
        writer.text(": ");
        writer.value(value);
      }
    });
  }

  override binary(operator: string, other: Value, left: boolean): Value | undefined {
    if (operator !== "|" || !left || !(other instanceof StarlarkDict)) return undefined;
    const union = toDict();
    for (const [key, value] of this.entries()) union.set(key, value);
    for (const [key, value] of other.entries()) union.set(key, value);
    return union;
  }
}

/** A new dict, with its memory charged. */
export function toDict(entries: Iterable<readonly [Value, Value]> = []): StarlarkDict {
  charge(sizes.dict);
  const dict = new StarlarkDict();
  for (const [key, value] of entries) dict.set(key, value);
  return dict;
}

/** A set. Elements are kept in the order of their insertion. */
export class StarlarkSet extends HashTable {
  override readonly type = "set";
  readonly #elements = new Map<HashKey, Value>();

  override truth(): boolean {
    return this.#elements.size > 0;
  }

  override get length(): number {
    return this.#elements.size;
  }

  override hashKey(): never {
    return fail("unhashable type: set");
  }

  override freeze(pending: Value[]): void {
    if (!this.freezeTable()) return;
    for (const element of this.#elements.values()) pending.push(element);
  }

  has(value: Value): boolean {
    return this.#elements.has(
      typeof value === "object" && value !== null ? value.hashKey() : value,
    );
  }

  add(value: Value): void {
    const hashed = typeof value === "object" && value !== null ? value.hashKey() : value;
    if (!this.mutable) this.checkMutable("insert into");
    if (this.#elements.has(hashed)) return;
    charge(typeof value === "object" ? sizes.keyedEntry : sizes.entry);
    this.#elements.set(hashed, value);
  }

  delete(value: Value): boolean {
    const hashed = typeof value === "object" && value !== null ? value.hashKey() : value;
    this.checkMutable("delete from");
    return this.#elements.delete(hashed);
  }

  clear(): void {
    if (this.#elements.size === 0) return;
    this.checkMutable("clear");
    this.#elements.clear();
  }

  override keys(): Value[] {
    chargeItems(this.#elements.size);
    return [...this.#elements.values()];
  }

  override write(writer: ValueWriter): void {
    writer.container(this, "set([", "])", () => {
      for (const [index, element] of this.keys().entries()) {
        if (index > 0) writer.text(", ");
        writer.value(element);
      }
    });
  }

  /** The first element, if there is one. */
  first(): Value | undefined {
    return this.#elements.values().next().value;
  }

  /** Whether every element is in the other set. */
  isSubset(other: StarlarkSet): boolean {
    return this.length <= other.length && this.keys().every((element) => other.has(element));
  }

  override binary(operator: string, other: Value, left: boolean): Value | undefined {
    if (!left || !(other instanceof StarlarkSet)) return undefined;
    switch (operator) {
      case "|":
        return toSet([...this.keys(), ...other.keys()]);
      case "&":
        return toSet(this.keys().filter((element) => other.has(element)));
      case "-":
        return toSet(this.keys().filter((element) => !other.has(element)));
      case "^":
        return toSet([
          ...this.keys().filter((element) => !other.has(element)),
          ...other.keys().filter((element) => !this.has(element)),
        ]);
      default:
        return undefined;
    }
  }
}

/** A new set, with its memory charged. */
export function toSet(elements: readonly Value[] = []): StarlarkSet {
  charge(sizes.dict);
  const set = new StarlarkSet();
  for (const element of elements) set.add(element);
  return set;
}
