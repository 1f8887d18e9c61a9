import { charge, chargeItems, sizes, spend } from "./budget.ts";
import { fail, failLimit } from "./error.ts";
import { type HashKey, StarlarkObject, type Value, type ValueWriter } from "./value.ts";

/** A list, a dict or a set: it can change until it is frozen, but not while it is iterated. */
export abstract class Collection extends StarlarkObject {
  #frozen = false;
  #iterations = 0;

  /** The values inside of the collection. */
  protected abstract parts(): Iterable<Value>;

  override hashKey(): never {
    return fail(`unhashable type: ${this.type}`);
  }

  override beginIteration(): void {
    this.#iterations++;
  }

  override endIteration(): void {
    this.#iterations--;
  }

  override freeze(pending: Value[]): void {
    if (this.#frozen) return;
    this.#frozen = true;
    for (const part of this.parts()) pending.push(part);
  }

  get isMutable(): boolean {
    return !this.#frozen && this.#iterations === 0;
  }

  /** Fails if the collection cannot change now. `verb` is what was tried. */
  checkMutable(verb: string): void {
    const noun = this.type === "list" ? "list" : "hash table";
    if (this.#frozen) fail(`cannot ${verb} frozen ${noun}`);
    if (this.#iterations > 0) fail(`cannot ${verb} ${noun} during iteration`);
  }
}

/** `count` items from `start` in steps of `step`, with their memory charged. */
export function sliceItems(
  items: readonly Value[],
  start: number,
  count: number,
  step: number,
): Value[] {
  chargeItems(count);
  if (step === 1) return items.slice(start, start + count);
  return Array.from({ length: count }, (_, index) => items[start + index * step] as Value);
}

export class StarlarkList extends Collection {
  override readonly type = "list";
  readonly elements: Value[];

  /** Takes the array over. */
  constructor(elements: Value[]) {
    super();
    this.elements = elements;
  }

  override get length(): number {
    return this.elements.length;
  }

  override items(): readonly Value[] {
    return this.elements;
  }

  protected override parts(): Iterable<Value> {
    return this.elements;
  }

  override itemAt(index: number): Value {
    return this.elements[index] as Value;
  }

  override slice(start: number, count: number, step: number): Value {
    return new StarlarkList(sliceItems(this.elements, start, count, step));
  }

  override write(writer: ValueWriter): void {
    writer.container(this, "[", "]", () => this.elements);
  }

  append(value: Value): void {
    if (!this.isMutable) this.checkMutable("append to");
    // The first element makes V8 reserve room for several.
    charge(this.elements.length === 0 ? 152 : sizes.slot);
    this.elements.push(value);
  }

  /** Appends items, which may be those of the list itself. */
  extend(items: readonly Value[], verb: string): void {
    this.checkMutable(verb);
    const { length } = items;
    charge(sizes.slot * length);
    spend(length >> 3);
    for (let index = 0; index < length; index++) this.elements.push(items[index] as Value);
  }
}

/** A new list, with its memory charged. Takes the array over. */
export function toList(elements: Value[]): StarlarkList {
  chargeItems(elements.length);
  return new StarlarkList(elements);
}

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

/** The ints from `start` up to `stop` in steps of `step`, which are not stored. */
export class StarlarkRange extends StarlarkObject {
  override readonly type = "range";
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly #length: number;

  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
    const distance = step > 0 ? stop - start : start - stop;
    charge(sizes.object);
    this.#length = distance <= 0 ? 0 : Math.floor((distance - 1) / Math.abs(step)) + 1;
  }

  override get length(): number {
    return this.#length;
  }

  override items(): readonly Value[] {
    chargeItems(this.length);
    return Array.from({ length: this.length }, (_, index) => this.itemAt(index));
  }

  override itemAt(index: number): number {
    return this.start + index * this.step;
  }

  override slice(start: number, count: number, step: number): Value {
    const newStart = this.start + this.step * start;
    const newStep = this.step * step;
    return new StarlarkRange(newStart, newStart + newStep * count, newStep);
  }

  includes(value: number | bigint): boolean {
    if (!Number.isInteger(value)) return false;
    const offset = Number(value) - this.start;
    const index = offset / this.step;
    return offset % this.step === 0 && index >= 0 && index < this.length;
  }

  equals(other: StarlarkRange): boolean {
    if (this.length !== other.length) return false;
    if (this.length === 0) return true;
    return this.start === other.start && (this.length === 1 || this.step === other.step);
  }

  override write(writer: ValueWriter): void {
    const bounds = this.start === 0 && this.step === 1 ? [this.stop] : [this.start, this.stop];
    if (this.step !== 1) bounds.push(this.step);
    writer.text(`range(${bounds.join(", ")})`);
  }
}
