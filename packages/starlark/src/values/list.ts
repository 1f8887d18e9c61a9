import { fail } from "./error.ts";
import { charge, chargeItems, sizes } from "./budget.ts";
import { StarlarkObject } from "./value.ts";
import type { Value, ValueWriter } from "./value.ts";

/** A list. */
export class StarlarkList extends StarlarkObject {
  override readonly type = "list";
  readonly elements: Value[];
  #frozen = false;
  #iterations = 0;

  /** Takes the array over. */
  constructor(elements: Value[]) {
    super();
    this.elements = elements;
  }

  override truth(): boolean {
    return this.elements.length > 0;
  }

  override get length(): number {
    return this.elements.length;
  }

  override items(): readonly Value[] {
    return this.elements;
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
    for (const element of this.elements) pending.push(element);
  }

  override itemAt(index: number): Value {
    return this.elements[index] as Value;
  }

  override slice(start: number, count: number, step: number): Value {
    return new StarlarkList(sliceItems(this.elements, start, count, step));
  }

  override write(writer: ValueWriter): void {
    writer.container(this, "[", "]", () => {
      for (const [index, element] of this.elements.entries()) {
        if (index > 0) writer.text(", ");
        writer.value(element);
      }
    });
  }

  override hashKey(): never {
    return fail("unhashable type: list");
  }

  /** Fails if the list is frozen or iterated. `verb` is what was tried. */
  checkMutable(verb: string): void {
    if (this.#frozen) fail(`cannot ${verb} frozen list`);
    if (this.#iterations > 0) fail(`cannot ${verb} list during iteration`);
  }

  /** Whether the list can change now. */
  get isMutable(): boolean {
    return !this.#frozen && this.#iterations === 0;
  }

  append(value: Value): void {
    if (this.#frozen || this.#iterations > 0) this.checkMutable("append to");
    // The first element makes V8 reserve room for several.
    charge(this.elements.length === 0 ? 152 : sizes.slot);
    this.elements.push(value);
  }
}

/** A new list, with its memory charged. Takes the array over. */
export function toList(elements: Value[]): StarlarkList {
  chargeItems(elements.length);
  return new StarlarkList(elements);
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
