import { chargeItems } from "./budget.ts";
import { tupleKey } from "./hash-key.ts";
import { sliceItems } from "./list.ts";
import { StarlarkObject } from "./value.ts";
import type { HashKey, Value, ValueWriter } from "./value.ts";

/** A tuple. */
export class StarlarkTuple extends StarlarkObject {
  override readonly type = "tuple";
  readonly elements: readonly Value[];
  #key: string | undefined;

  /** Takes the array over. */
  constructor(elements: readonly Value[]) {
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
    writer.container(this, "(", this.elements.length === 1 ? ",)" : ")", () => {
      for (const [index, element] of this.elements.entries()) {
        if (index > 0) writer.text(", ");
        writer.value(element);
      }
    });
  }
}

/** A new tuple, with its memory charged. Takes the array over. */
export function toTuple(elements: readonly Value[]): StarlarkTuple {
  chargeItems(elements.length);
  return new StarlarkTuple(elements);
}
