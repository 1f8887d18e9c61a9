import { machine } from "../run/machine.ts";
import { fail } from "../values/error.ts";
import type { Slot } from "../values/function.ts";
import { isTrue, type Value } from "../values/value.ts";

/**
 * Computes a value from the slots of a frame, without a suspension. What can fail stores its place in `machine.site` after
 * its operands are computed, since they store theirs.
 */
export type Evaluate = (slots: Slot[]) => Value;

export type Store = (slots: Slot[], value: Value) => void;

export function failAt(site: number, message: string): never {
  machine.site = site;
  return fail(message);
}

export function holds(value: Value): boolean {
  return value === true || (value !== false && isTrue(value));
}

/** Reads a slot that has a value. */
export function readSlot(slot: number): Evaluate {
  return (slots) => slots[slot] as Value;
}

/** Computes values from left to right. */
export function lowerList(values: readonly Evaluate[]): (slots: Slot[]) => Value[] {
  const [first, second] = values;
  if (first === undefined) return () => [];
  if (second === undefined) return (slots) => [first(slots)];
  if (values.length === 2) return (slots) => [first(slots), second(slots)];
  return (slots) => values.map((evaluate) => evaluate(slots));
}
