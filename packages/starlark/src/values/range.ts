import { charge, chargeItems, sizes } from "./budget.ts";
import { StarlarkObject, type Value, type ValueWriter } from "./value.ts";

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
