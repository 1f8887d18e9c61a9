import { charge, chargeItems, sizes, spend } from "./budget.ts";
import { Collection, sliceItems } from "./collection.ts";
import type { Value, ValueWriter } from "./value.ts";

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
