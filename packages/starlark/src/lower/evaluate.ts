import { fail } from "../values/error.ts";
import { toStarlarkError } from "../run/call.ts";
import { charge, sizes } from "../values/budget.ts";
import { StarlarkDict } from "../values/dict.ts";
import { toRepr } from "../values/format-value.ts";
import { Cell } from "../values/function.ts";
import type { Slot } from "../values/function.ts";
import { applyBinary, applyUnary } from "../values/operators.ts";
import { getItem, getSlice, setItem } from "../values/subscript.ts";
import { isTrue, toItems, toLength, typeName } from "../values/value.ts";
import type { Value } from "../values/value.ts";
import { getAttribute, setAttribute } from "../lib/attributes.ts";

/** Computes a value from the slots of a frame, without a suspension. */
export type Evaluate = (slots: Slot[]) => Value;

/** An error with the place of the operation that failed, unless a part of it has one. */
export function withSite(error: unknown, site: number): Error {
  const fault = toStarlarkError(error);
  fault.site ??= site;
  return fault;
}

/** Fails at a place. */
export function failAt(site: number, message: string): never {
  try {
    return fail(message);
  } catch (error) {
    throw withSite(error, site);
  }
}

export function binaryAt(operator: string, x: Value, y: Value, site: number): Value {
  try {
    return applyBinary(operator, x, y);
  } catch (error) {
    throw withSite(error, site);
  }
}

export function unaryAt(operator: "+" | "-" | "~", x: Value, site: number): Value {
  try {
    return applyUnary(operator, x);
  } catch (error) {
    throw withSite(error, site);
  }
}

export function getItemAt(x: Value, y: Value, site: number): Value {
  try {
    return getItem(x, y);
  } catch (error) {
    throw withSite(error, site);
  }
}

export function setItemAt(x: Value, y: Value, value: Value, site: number): void {
  try {
    setItem(x, y, value);
  } catch (error) {
    throw withSite(error, site);
  }
}

export function getSliceAt(x: Value, low: Value, high: Value, step: Value, site: number): Value {
  try {
    return getSlice(x, low, high, step);
  } catch (error) {
    throw withSite(error, site);
  }
}

export function getAttributeAt(object: Value, name: string, site: number): Value {
  try {
    return getAttribute(object, name);
  } catch (error) {
    throw withSite(error, site);
  }
}

export function setAttributeAt(object: Value, name: string, value: Value, site: number): void {
  try {
    setAttribute(object, name, value);
  } catch (error) {
    throw withSite(error, site);
  }
}

/** Adds an entry of a dict literal, whose keys are all different. */
export function addEntryAt(dict: StarlarkDict, key: Value, value: Value, site: number): void {
  try {
    const { length } = dict;
    dict.set(key, value);
    if (dict.length === length) fail(`duplicate key: ${toRepr(key)}`);
  } catch (error) {
    throw withSite(error, site);
  }
}

/** Sets an entry of a dict comprehension. */
export function setEntryAt(dict: StarlarkDict, key: Value, value: Value, site: number): void {
  try {
    dict.set(key, value);
  } catch (error) {
    throw withSite(error, site);
  }
}

/** The items of a sequence that is assigned to `count` targets. */
export function unpackAt(value: Value, count: number, site: number): readonly Value[] {
  const items = toItems(value);
  if (items === undefined) return failAt(site, `got ${typeName(value)} in sequence assignment`);
  if (items.length > count) {
    return failAt(
      site,
      `too many values to unpack (got ${toLength(value) ?? items.length}, want ${count})`,
    );
  }
  if (items.length < count)
    return failAt(site, `too few values to unpack (got ${items.length}, want ${count})`);
  return items;
}

/** Whether a condition holds. */
export function holds(value: Value): boolean {
  return value === true || (value !== false && isTrue(value));
}

export function newCell(value: Value | undefined): Cell {
  charge(sizes.entry);
  return new Cell(value);
}
