import type { JsonObject, JsonValue } from "../json/json.ts";
import { ToolError } from "../contract/tool-error.ts";
import type { Segment, Slice } from "./parse-path.ts";

/** Looks of a segment at a node: what a long path may take no longer than a second for. */
const maxWork = 20_000_000;
const maxDepth = 1000;

/**
 * Goes once through a document with all the places in the path at which each node stands: bit `n`
 * is set when the segments from `n` on apply to the node, the last bit when it has been found.
 */
export class Walk {
  /** The search has ended. */
  ended = false;
  #left: number = maxWork;
  /** The additional work of comparing one child with all indices and slices of the path. */
  readonly #listed: number;
  readonly #segments: readonly Segment[];
  readonly #found: (value: JsonValue) => JsonValue | undefined;

  /** @param found returns the replacement of a node; `undefined`: it stays, and its children are visited. */
  constructor(segments: readonly Segment[], found: (value: JsonValue) => JsonValue | undefined) {
    this.#segments = segments;
    this.#found = found;
    let listed = 0;
    for (const { indices, slices } of segments) listed += indices.length + slices.length;
    this.#listed = listed / 8;
  }

  from(value: JsonValue): JsonValue {
    return this.#at(value, 1, 0);
  }

  #at(value: JsonValue, places: number, depth: number): JsonValue {
    this.#left -= this.#segments.length + 1;
    if (this.#left < 0 || depth > maxDepth) throw tooMuch();
    if ((places & (1 << this.#segments.length)) !== 0) {
      const replacement = this.#found(value);
      if (replacement !== undefined) return replacement;
    }
    if (typeof value !== "object" || value === null || this.ended) return value;
    return Array.isArray(value)
      ? this.#items(value as readonly JsonValue[], places, depth)
      : this.#members(value as JsonObject, places, depth);
  }

  #items(items: readonly JsonValue[], places: number, depth: number): JsonValue {
    const { length } = items;
    let copy: JsonValue[] | undefined;
    const visit = (index: number): void => {
      const next = this.#next(places, index, length);
      if (next === 0 || this.ended) return;
      const item = items[index] as JsonValue;
      const changed = this.#at(item, next, depth + 1);
      if (changed !== item) (copy ??= [...items])[index] = changed;
    };
    if (this.#some(places, ({ slices }) => slices.length > 0)) {
      for (let index = 0; index < length && !this.ended; index++) visit(index);
    } else {
      const indices = new Set<number>();
      this.#some(places, (segment) => {
        for (const at of segment.indices) indices.add(at < 0 ? at + length : at);
        return false;
      });
      for (const index of [...indices].sort((a, b) => a - b)) {
        if (index >= 0 && index < length) visit(index);
      }
    }
    return copy ?? items;
  }

  #members(object: JsonObject, places: number, depth: number): JsonValue {
    let copy: Record<string, JsonValue> | undefined;
    const visit = (name: string): void => {
      const next = this.#next(places, name, 0);
      if (next === 0 || this.ended) return;
      const member = object[name] as JsonValue;
      const changed = this.#at(member, next, depth + 1);
      if (changed === member) return;
      // Plain assignment of `__proto__` would set the prototype instead.
      Object.defineProperty((copy ??= { ...object }), name, {
        value: changed,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    };
    const wanted = new Set<string>();
    const isEvery = this.#some(places, ({ names }) => {
      for (const name of names) wanted.add(name);
      return false;
    });
    if (isEvery) for (const name of Object.keys(object)) visit(name);
    else for (const name of wanted) if (Object.hasOwn(object, name)) visit(name);
    return copy ?? object;
  }

  /** True when one of the applicable segments visits every child, or satisfies `is`. */
  #some(places: number, is: (segment: Segment) => boolean): boolean {
    for (let index = 0; index < this.#segments.length; index++) {
      if ((places & (1 << index)) === 0) continue;
      const segment = this.#segments[index] as Segment;
      if (segment.descends || segment.all || is(segment)) return true;
    }
    return false;
  }

  /** Where a child stands: past each segment that takes it, and still at each that descends. */
  #next(places: number, key: string | number, length: number): number {
    if (typeof key === "number" && (this.#left -= this.#listed) < 0) throw tooMuch();
    let next = 0;
    for (let index = 0; index < this.#segments.length; index++) {
      if ((places & (1 << index)) === 0) continue;
      const segment = this.#segments[index] as Segment;
      if (takes(segment, key, length)) next |= 1 << (index + 1);
      if (segment.descends) next |= 1 << index;
    }
    return next;
  }
}

function takes(segment: Segment, key: string | number, length: number): boolean {
  if (segment.all) return true;
  if (typeof key === "string") return segment.names.has(key);
  const { indices, slices } = segment;
  return (
    indices.includes(key) ||
    indices.includes(key - length) ||
    slices.some((slice) => isWithin(slice, key, length))
  );
}

/** RFC 9535, section 2.3.4.2.2. */
function isWithin({ start, end, step }: Slice, index: number, length: number): boolean {
  if (step === 0) return false;
  const from = start === undefined ? (step > 0 ? 0 : length - 1) : fromEnd(start, length);
  const to = end === undefined ? (step > 0 ? length : -1) : fromEnd(end, length);
  if (step > 0) {
    const lower = Math.max(from, 0);
    return index >= lower && index < to && (index - lower) % step === 0;
  }
  const upper = Math.min(from, length - 1);
  return index <= upper && index > to && (upper - index) % -step === 0;
}

function fromEnd(index: number, length: number): number {
  return index < 0 ? index + length : index;
}

function tooMuch(): ToolError {
  return new ToolError(
    "limit_exceeded",
    "The value is too large or too deep for this path; use one that leads to a part of it.",
  );
}
