import type { JsonObject, JsonValue } from "./json.ts";
import { truncateUtf8, utf8Length, wellFormed } from "../text/utf8.ts";

/** The bytes reserved for an omitted member: enough for its summary. */
const summaryBytes = 32;

/** JSON that is deeper than this is not examined. */
const maxDepth = 200;

/**
 * The beginning of a text: at most `limit` bytes in UTF-8, valid Unicode, and never half a character. It ends where a
 * line or a word does, when one does in its last quarter. The preview is exactly the beginning of the well-formed text,
 * so that the rest starts at its length.
 */
export function previewText(text: string, limit: number): string {
  // No unit takes less than a byte, so the last one of these is never in the result.
  const clipped = truncateUtf8(text.slice(0, Math.max(0, limit) + 1), limit);
  if (clipped.length === text.length) return wellFormed(clipped);
  const earliest = clipped.length * 0.75;
  const line = clipped.lastIndexOf("\n");
  const end = line >= earliest ? line : clipped.lastIndexOf(" ");
  return wellFormed(end >= earliest ? clipped.slice(0, end + 1) : clipped);
}

/**
 * JSON in at most `limit` bytes of UTF-8 that keeps the shape of what it shows: all members of an
 * object before what is in them, the first items of an array, the beginnings of texts, and how much
 * more there is. It is JSON itself unless the limit is too small for any. The same value always gives
 * the same preview.
 */
export function previewJson(value: JsonValue, limit: number): string {
  const rendered = show(value, limit, 0);
  return utf8Length(rendered) <= limit ? rendered : truncateUtf8(rendered, limit);
}

function show(value: JsonValue, budget: number, depth: number): string {
  if (measureJson(value, budget, depth) <= budget) return JSON.stringify(value);
  if (typeof value === "string") return showText(value, budget);
  if (typeof value !== "object" || value === null) return '"…"';
  if (budget < 2 * summaryBytes || depth >= maxDepth) return summary(value);
  return Array.isArray(value)
    ? showItems(value, budget, depth)
    : showMembers(value as JsonObject, budget, depth);
}

/** The bytes of a value's JSON; more than `limit` as soon as it is certain to be more. */
function measureJson(value: JsonValue, limit: number, depth: number): number {
  if (typeof value === "string") {
    return value.length > limit ? Infinity : utf8Length(JSON.stringify(value));
  }
  if (typeof value !== "object" || value === null) return String(value).length;
  if (depth >= maxDepth) return Infinity;
  let size = 2;
  if (Array.isArray(value)) {
    if (value.length * 2 > limit + 1) return Infinity;
    for (const item of value) {
      // The last one is followed by no comma.
      size += 1 + measureJson(item, limit - size + 1, depth + 1);
      if (size - 1 > limit) return Infinity;
    }
  } else {
    for (const key in value as JsonObject) {
      size += 2 + measureJson(key, limit - size, depth);
      if (size > limit) return Infinity;
      size += measureJson((value as JsonObject)[key] as JsonValue, limit - size + 1, depth + 1);
      if (size - 1 > limit) return Infinity;
    }
  }
  return size === 2 ? 2 : size - 1;
}

function showText(text: string, budget: number): string {
  const room = budget - summaryBytes;
  if (room < 8) return summary(text);
  // Escaped characters take up to six times as much.
  for (let length = room; ; length = Math.floor(length / 2)) {
    const start = truncateUtf8(wellFormed(text.slice(0, length + 1)), length);
    const json = JSON.stringify(`${start}… ${grouped(text.length - start.length)} more characters`);
    if (utf8Length(json) <= budget || length < 1) return json;
  }
}

function showItems(items: readonly JsonValue[], budget: number, depth: number): string {
  const rendered: string[] = [];
  // The brackets, and the note.
  let left = budget - 2 - summaryBytes;
  for (const item of items) {
    const size = measureJson(item, left, depth + 1);
    const share = size < left ? size : Math.floor(left / 2);
    if (size >= left && share < summaryBytes) break;
    const json = show(item, share, depth + 1);
    rendered.push(json);
    left -= utf8Length(json) + 1;
    if (left <= 0) break;
  }
  const more = items.length - rendered.length;
  if (more > 0) rendered.push(`"… ${grouped(more)} more ${more === 1 ? "item" : "items"}"`);
  return `[${rendered.join(",")}]`;
}

function showMembers(object: JsonObject, budget: number, depth: number): string {
  const keys = Object.keys(object);
  const names: string[] = [];
  // The braces, and the note with its own key.
  let left = budget - 2 - summaryBytes - 8;
  for (const key of keys) {
    const name = keyText(key, Math.max(8, Math.floor(budget / 8)));
    const cost = utf8Length(name) + 2 + summaryBytes;
    if (cost > left) break;
    left -= cost;
    names.push(name);
  }
  const values = keys.slice(0, names.length).map((key) => object[key] as JsonValue);
  const shares = divide(values, left, depth + 1);
  const rendered = names.map(
    (name, index) =>
      `${name}:${show(values[index] as JsonValue, shares[index] as number, depth + 1)}`,
  );
  const more = keys.length - names.length;
  if (more > 0) rendered.push(`"…":"${grouped(more)} more ${more === 1 ? "key" : "keys"}"`);
  return `{${rendered.join(",")}}`;
}

/** The bytes of each member: equal shares, and the unused bytes of small members go to the large ones. */
function divide(values: readonly JsonValue[], extra: number, depth: number): number[] {
  const sizes = values.map((value) => measureJson(value, extra + summaryBytes, depth));
  const order = sizes.map((_, index) => index).sort((a, b) => difference(sizes, a, b));
  let left = extra + values.length * summaryBytes;
  let sharers = values.length;
  const shares: number[] = [];
  for (const index of order) {
    const share = Math.min(sizes[index] as number, Math.floor(left / sharers));
    // The next ones may take what this one does not.
    shares[index] = share;
    left -= share;
    sharers -= 1;
  }
  return shares;
}

function difference(sizes: readonly number[], a: number, b: number): number {
  const [of, than] = [sizes[a] as number, sizes[b] as number];
  return of === than ? a - b : of < than ? -1 : 1;
}

function keyText(key: string, limit: number): string {
  const json = key.length > limit ? "" : JSON.stringify(key);
  if (json !== "" && utf8Length(json) <= limit + 2) return json;
  return JSON.stringify(`${previewText(key, Math.floor(limit / 6))}…`);
}

/** A summary of the value, in at most `summaryBytes`. */
function summary(value: JsonValue): string {
  if (typeof value === "string") return `"… ${grouped(value.length)} characters"`;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `"[${grouped(value.length)} items]"`;
  return `"{${grouped(Object.keys(value).length)} keys}"`;
}

function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}
