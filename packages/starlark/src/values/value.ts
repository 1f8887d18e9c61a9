import { budget } from "./budget.ts";
import { fail } from "./error.ts";

/**
 * A Starlark value: `None` is null, a string is a string of bytes (see `utf8.ts`), an int is a number if it is exact and a
 * bigint else. A float is an object, since 1 and 1.0 are different values.
 */
export type Value = null | boolean | number | bigint | string | StarlarkObject;

/** A key of a `Map` that is the same for equal Starlark values. */
export type HashKey = Exclude<Value, StarlarkObject>;

/** The arguments that a call gives by name, in order. */
export type NamedArguments = readonly (readonly [name: string, value: Value])[];

/** Every value that is not primitive. Its type has those of the optional methods that its values support. */
export abstract class StarlarkObject {
  /** The name that `type()` returns. */
  abstract readonly type: string;

  /** The text that `repr` shows, unless the value is a collection. */
  represent?(): string;

  /** Whether the value counts as true. */
  truth(): boolean {
    return this.length !== 0;
  }

  /** The key of the value in a dict. */
  hashKey(): HashKey {
    return fail(`unhashable: ${this.type}`);
  }

  /** The number of items, if the value has a length. */
  get length(): number | undefined {
    return undefined;
  }

  /** Makes the value immutable. Returns the values inside of it. */
  freeze?(): Iterable<Value | undefined>;

  /** The items in order. The caller does not change the array. */
  items?(): readonly Value[];

  /** Marks the start of an iteration: a collection cannot change until its end. */
  beginIteration?(): void;

  endIteration?(): void;

  /** The value of an attribute that is not a method of a built-in type. */
  attribute?(name: string): Value | undefined;

  /** The names of the attributes in order. */
  attributeNames?(): readonly string[];

  /** Sets an attribute. Returns false if that is not possible. */
  setAttribute?(name: string, value: Value): boolean;

  /** The item at a position that is within the length. */
  itemAt?(index: number): Value;

  /** A part of the sequence: `count` items from `start` in steps of `step`. */
  slice?(start: number, count: number, step: number): Value;

  /** The result of a binary operator that the type defines. `left` tells the side of this value. */
  binary?(operator: string, other: Value, left: boolean): Value | undefined;
}

/** The name that `type()` returns. */
export function typeName(value: Value): string {
  if (value === null) return "NoneType";
  if (typeof value === "object") return value.type;
  if (typeof value === "string") return "string";
  return typeof value === "boolean" ? "bool" : "int";
}

/** Whether a value counts as true. A bigint is never 0. */
export function isTrue(value: Value): boolean {
  return typeof value === "object" && value !== null ? value.truth() : Boolean(value);
}

/** The key of a value in a dict. */
export function toHashKey(value: Value): HashKey {
  // A `Map` compares the text with that of an equal key.
  if (typeof value === "string") budget.fuel -= value.length >> 6;
  return typeof value === "object" && value !== null ? value.hashKey() : value;
}

/** The length of a value, if it has one. */
export function toLength(value: Value): number | undefined {
  return typeof value === "string" || value instanceof StarlarkObject ? value.length : undefined;
}

/** The items of a value that can be iterated. Strings cannot. */
export function toItems(value: Value): readonly Value[] | undefined {
  return typeof value === "object" ? value?.items?.() : undefined;
}

/** Whether a value can be iterated, without the cost of its items. */
export function isIterable(value: Value): value is StarlarkObject {
  return value instanceof StarlarkObject && value.items !== undefined;
}

/** Makes a value and everything inside of it immutable. Deep values need no deep stack. */
export function freezeValue(value: Value): void {
  if (!(value instanceof StarlarkObject)) return;
  const reached = new Set([value]);
  // The set grows while the loop runs.
  for (const object of reached) {
    for (const part of object.freeze?.() ?? [])
      if (part instanceof StarlarkObject) reached.add(part);
  }
}
