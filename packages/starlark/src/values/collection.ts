import { chargeItems } from "./budget.ts";
import { fail } from "./error.ts";
import { StarlarkObject, type Value } from "./value.ts";

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
