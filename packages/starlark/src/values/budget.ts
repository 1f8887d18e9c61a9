import { failLimit } from "./error.ts";

/**
 * The counters of the script that runs. There is one at a time: between two suspensions a script is not interrupted, so
 * the counters need no handle. Without a script they are infinite.
 */
export const budget: {
  /** Work that may be done before the limits are checked. One unit is about one simple operation. */
  fuel: number;
  /** Bytes that the script may still allocate. Freed memory is not given back. */
  memory: number;
  /** Called if `fuel` is used up during one operation. Throws if a limit is reached. */
  checkLimits: () => void;
} = { fuel: Infinity, memory: Infinity, checkLimits: () => undefined };

/** The longest string, and the largest int in bits: one native operation on them is short. */
const maxStringLength: number = 16 * 1024 * 1024;
export const maxIntBits = 65_536;

/** Bytes that V8 needs for the parts of values, measured. The tests of bombs check them. */
export const sizes = {
  slot: 16,
  list: 96,
  dict: 256,
  entry: 64,
  keyedEntry: 256,
  float: 48,
  string: 32,
  object: 96,
} as const;

/** Accounts for memory before it is allocated. */
export function charge(bytes: number): void {
  if ((budget.memory -= bytes) < 0) failLimit("the memory budget is used up");
}

export function spend(units: number): void {
  if ((budget.fuel -= units) < 0) budget.checkLimits();
}

/** Accounts for a new string of a length, and for the copy. */
export function chargeString(length: number): void {
  if (length > maxStringLength)
    failLimit(`a string of ${length} bytes is too long (limit ${maxStringLength})`);
  charge(sizes.string + length);
  spend(length >> 6);
}

/** Accounts for a new list or tuple. */
export function chargeItems(count: number): void {
  charge(sizes.list + sizes.slot * count);
  spend(count >> 3);
}

/**
 * Accounts for two strings as one. V8 joins long strings without a copy, so that a string that grows in a loop needs the memory
 * of what is added, not of its length each time. The copy is made when the string is read first.
 */
export function chargeConcat(left: number, right: number): void {
  if (left + right > maxStringLength) chargeString(left + right);
  charge(sizes.string + Math.min(left, right));
  budget.fuel -= (left + right) >> 12;
}
