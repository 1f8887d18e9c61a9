import { fail } from "./error.ts";

/**
 * A Starlark value: `None` is null, a string is a string of bytes (see `utf8.ts`), an int is a number if it is exact and a
 * bigint else. A float is an object, since 1 and 1.0 are different values.
 */
export type Value = null | boolean | number | bigint | string | StarlarkObject;

/** A key of a `Map` that is the same for equal Starlark values. */
export type HashKey = null | boolean | number | bigint | string | object;

/** The arguments that a call gives by name, in order. */
export type NamedArguments = readonly (readonly [name: string, value: Value])[];

/** The items of a container, or the entries of a dict. */
export type Parts = readonly (Value | readonly [key: Value, value: Value])[];

/** The output of `str` and `repr`. */
export interface ValueWriter {
  text(text: string): void;
  value(value: Value): void;
  /** Writes the items or entries of a container. A container inside of itself is written as `…`. */
  container(owner: StarlarkObject, open: string, close: string, items: () => Parts): void;
}

/** Every value that is not primitive. */
export abstract class StarlarkObject {
  /** The name that `type()` returns. */
  abstract readonly type: string;

  /** Writes the value as `repr` shows it. */
  abstract write(writer: ValueWriter): void;

  /** Whether the value counts as true. */
  truth(): boolean {
    return this.length !== 0;
  }

  /** Makes the value immutable. Adds the values inside of it to `pending`. */
  freeze(_pending: Value[]): void {
    // Immutable values without parts have nothing to do.
  }

  /** The key of the value in a dict. */
  hashKey(): HashKey {
    return fail(`unhashable: ${this.type}`);
  }

  /** The number of items, if the value has a length. */
  get length(): number | undefined {
    return undefined;
  }

  /** The items in order, if the value can be iterated. The caller does not change the array. */
  items(): readonly Value[] | undefined {
    return undefined;
  }

  /** Marks the start and the end of an iteration: a collection cannot change in between. */
  beginIteration(): void {
    // Immutable values need no mark.
  }

  endIteration(): void {
    // Immutable values need no mark.
  }

  /** The value of an attribute that is not a method of a built-in type. */
  attribute(_name: string): Value | undefined {
    return undefined;
  }

  attributeNames(): readonly string[] {
    return [];
  }

  /** Sets an attribute. Returns false if the type has no attributes that can be set. */
  setAttribute(_name: string, _value: Value): boolean {
    return false;
  }

  /** The item at a position that is within the length, if the value is a sequence. */
  itemAt(_index: number): Value | undefined {
    return undefined;
  }

  /** A part of the sequence: `count` items from `start` in steps of `step`. */
  slice(_start: number, _count: number, _step: number): Value | undefined {
    return undefined;
  }

  /** The result of a binary operator that the type defines. `left` tells the side of this value. */
  binary(_operator: string, _other: Value, _left: boolean): Value | undefined {
    return undefined;
  }
}

const primitiveTypes: Readonly<Record<string, string>> = {
  string: "string",
  number: "int",
  bigint: "int",
  boolean: "bool",
};

/** The name that `type()` returns. */
export function typeName(value: Value): string {
  if (value === null) return "NoneType";
  return typeof value === "object" ? value.type : (primitiveTypes[typeof value] as string);
}

/** Whether a value counts as true. A bigint is never 0. */
export function isTrue(value: Value): boolean {
  return typeof value === "object" && value !== null ? value.truth() : Boolean(value);
}

/** The length of a value, if it has one. */
export function toLength(value: Value): number | undefined {
  if (typeof value === "string") return value.length;
  return typeof value === "object" && value !== null ? value.length : undefined;
}

/** The items of a value that can be iterated. Strings cannot. */
export function toItems(value: Value): readonly Value[] | undefined {
  return typeof value === "object" && value !== null ? value.items() : undefined;
}

/** Whether a value can be iterated, without the cost of its items. */
export function isIterable(value: Value): boolean {
  return value instanceof StarlarkObject && value.items !== StarlarkObject.prototype.items;
}

/** Whether a value has items at positions. */
export function isSequence(value: Value): value is string | StarlarkObject {
  if (!(value instanceof StarlarkObject)) return typeof value === "string";
  return value.length !== undefined && value.itemAt !== StarlarkObject.prototype.itemAt;
}

/** Makes a value and everything inside of it immutable. Deep values need no deep stack. */
export function freezeValue(value: Value): void {
  const pending: Value[] = [value];
  const seen = new Set<Value>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!(next instanceof StarlarkObject) || seen.has(next)) continue;
    seen.add(next);
    next.freeze(pending);
  }
}
