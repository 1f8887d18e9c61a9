import { chargeItems } from "./budget.ts";
import { StarlarkObject } from "./value.ts";
import type { Value, ValueWriter } from "./value.ts";

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
    this.#length = distance <= 0 ? 0 : Math.floor((distance - 1) / Math.abs(step)) + 1;
  }

  override get length(): number {
    return this.#length;
  }

  override truth(): boolean {
    return this.#length > 0;
  }

  override items(): readonly Value[] {
    chargeItems(this.length);
    return Array.from({ length: this.length }, (_, index) => this.start + index * this.step);
  }

  override itemAt(index: number): Value {
    return this.start + index * this.step;
  }

  override slice(start: number, count: number, step: number): Value {
    const newStart = this.start + this.step * start;
    const newStep = this.step * step;
    return new StarlarkRange(newStart, newStart + newStep * count, newStep);
  }

  /** Whether an int is one of the range. */
  includes(value: number): boolean {
    const offset = value - this.start;
    return (
      Number.isInteger(value) &&
      offset % this.step === 0 &&
      offset / this.step >= 0 &&
      offset / this.step < this.length
    );
  }

  /** Whether both ranges have the same ints. */
  equals(other: StarlarkRange): boolean {
    if (this.length !== other.length) return false;
    if (this.length === 0) return true;
    return this.start === other.start && (this.length === 1 || this.step === other.step);
  }

  override write(writer: ValueWriter): void {
    if (this.step !== 1) writer.text(`range(${this.start}, ${this.stop}, ${this.step})`);
    else
      writer.text(this.start === 0 ? `range(${this.stop})` : `range(${this.start}, ${this.stop})`);
  }
}
