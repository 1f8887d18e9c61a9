import { charge, chargeItems, sizes, spend } from "./budget.ts";
import { fail, failLimit } from "./error.ts";
import { type HashKey, StarlarkObject, toHashKey, type Value } from "./value.ts";

/** A list, a tuple, a dict or a set. All but tuples can change until they are frozen, but not while they are iterated. */
export abstract class Collection extends StarlarkObject {
  #frozen = false;
  #iterations = 0;

  abstract override items(): readonly Value[];

  /** The values inside of the collection. */
  protected parts(): Iterable<Value> {
    return this.items();
  }

  override hashKey(): HashKey {
    return fail(`unhashable type: ${this.type}`);
  }

  override beginIteration(): void {
    this.#iterations++;
  }

  override endIteration(): void {
    this.#iterations--;
  }

  override freeze(): Iterable<Value> {
    if (this.#frozen) return [];
    this.#frozen = true;
    return this.parts();
  }

  /** Fails if the collection cannot change now. `verb` is what was tried. */
  checkMutable(verb: string): void {
    if (!this.#frozen && this.#iterations === 0) return;
    const noun = this.type === "list" ? "list" : "hash table";
    fail(`cannot ${verb} ${this.#frozen ? `frozen ${noun}` : `${noun} during iteration`}`);
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

/** A list or a tuple. */
export abstract class ElementSequence extends Collection {
  readonly elements: Value[];

  /** Takes the array over. */
  constructor(elements: Value[]) {
    super();
    this.elements = elements;
  }

  /** A sequence of the same type. Takes the array over. */
  withElements(elements: Value[]): ElementSequence {
    return this.type === "list" ? new StarlarkList(elements) : new StarlarkTuple(elements);
  }

  override get length(): number {
    return this.elements.length;
  }

  override items(): readonly Value[] {
    return this.elements;
  }

  override itemAt(index: number): Value {
    return this.elements[index] as Value;
  }

  override slice(start: number, count: number, step: number): Value {
    return this.withElements(sliceItems(this.elements, start, count, step));
  }
}

export class StarlarkList extends ElementSequence {
  override readonly type = "list";

  append(value: Value): void {
    this.checkMutable("append to");
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

export class StarlarkTuple extends ElementSequence {
  override readonly type = "tuple";
  #key: string | undefined;

  override hashKey(): HashKey {
    return (this.#key ??= tupleKey(this.elements, 0));
  }
}

/** A new tuple, with its memory charged. Takes the array over. */
export function toTuple(elements: Value[]): StarlarkTuple {
  chargeItems(elements.length);
  return new StarlarkTuple(elements);
}

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
    else {
      const part = toHashKey(element);
      key += typeof part === "string" ? `${part.length}:${part}` : `${part};`;
    }
  }
  key += "\u0103";
  charge(key.length);
  spend(1 + (key.length >> 6));
  return key;
}

/** The number of steps from `start` up to `stop`. */
export function countSteps(start: number, stop: number, step: number): number {
  return Math.max(0, Math.ceil((stop - start) / step));
}

/** The ints from `start` up to `stop` in steps of `step`, which are not stored. */
export class StarlarkRange extends StarlarkObject {
  override readonly type = "range";
  readonly start: number;
  readonly stop: number;
  readonly step: number;

  constructor(start: number, stop: number, step: number) {
    super();
    charge(sizes.object);
    this.start = start;
    this.stop = stop;
    this.step = step;
  }

  override get length(): number {
    return countSteps(this.start, this.stop, this.step);
  }

  override items(): readonly Value[] {
    const { length } = this;
    chargeItems(length);
    return Array.from({ length }, (_, index) => this.itemAt(index));
  }

  override itemAt(index: number): number {
    return this.start + index * this.step;
  }

  override slice(start: number, count: number, step: number): Value {
    const stride = this.step * step;
    return new StarlarkRange(this.itemAt(start), this.itemAt(start) + stride * count, stride);
  }

  includes(value: number | bigint): boolean {
    const index = (Number(value) - this.start) / this.step;
    return Number.isInteger(value) && Number.isInteger(index) && index >= 0 && index < this.length;
  }

  equals(other: StarlarkRange): boolean {
    const isSameStart = this.length === 0 || this.start === other.start;
    const isSameStep = this.length <= 1 || this.step === other.step;
    return this.length === other.length && isSameStart && isSameStep;
  }

  override represent(): string {
    const bounds = this.start === 0 && this.step === 1 ? [this.stop] : [this.start, this.stop];
    if (this.step !== 1) bounds.push(this.step);
    return `range(${bounds.join(", ")})`;
  }
}
