import { fail, StarlarkError } from "../values/error.ts";
import { budget, charge, chargeString, sizes } from "../values/budget.ts";
import { StarlarkDict } from "../values/dict.ts";
import { formatFloat, StarlarkFloat } from "../values/float.ts";
import { toRepr } from "../values/format-value.ts";
import { formatInt } from "../values/int.ts";
import { fromUtf8, toUtf8 } from "../values/utf8.ts";
import { typeName } from "../values/value.ts";
import type { StarlarkObject, Value } from "../values/value.ts";
import { failWithName } from "./arguments.ts";

/** How deep values may be nested. */
export const maxDepth = 500;

/** Fails for a value that is nested too deeply. */
export function rejectDepth(): never {
  throw new StarlarkError(
    "limit_exceeded",
    `json: the value is nested too deeply (limit ${maxDepth})`,
  );
}

/** A value as JSON, on one line, with sorted keys. */
export function encodeJson(value: Value): string {
  return encode(value, []);
}

/** `open` are the containers around the value. */
function encode(value: Value, open: Value[]): string {
  charge(sizes.slot);
  budget.fuel--;
  if (typeof value === "string") return quoteJson(value);
  if (typeof value === "number" || typeof value === "bigint") return formatInt(value);
  if (typeof value === "boolean" || value === null) return String(value);
  if (value instanceof StarlarkFloat) {
    const text = formatFloat(value.value);
    return Number.isFinite(value.value) ? text : fail(`cannot encode non-finite float ${text}`);
  }
  if (open.includes(value)) fail("cycle in JSON structure");
  if (open.length >= maxDepth) rejectDepth();
  if (budget.fuel < 0) budget.checkLimits();
  open.push(value);
  const text = value instanceof StarlarkDict ? encodeDict(value, open) : encodeItems(value, open);
  open.pop();
  chargeString(text.length);
  return text;
}

function encodeItems(value: StarlarkObject, open: Value[]): string {
  const items = value.items() ?? fail(`cannot encode ${value.type} as JSON`);
  const parts: string[] = [];
  try {
    for (const item of items) parts.push(encode(item, open));
  } catch (error) {
    failWithName(`at ${value.type} index ${parts.length}`, error);
  }
  return `[${parts.join(",")}]`;
}

function encodeDict(dict: StarlarkDict, open: Value[]): string {
  const keys = dict
    .keys()
    .map((key) =>
      typeof key === "string" ? key : fail(`dict has ${typeName(key)} key, want string`),
    );
  const parts: string[] = [];
  try {
    for (const key of keys.sort())
      parts.push(`${quoteJson(key)}:${encode(dict.get(key) as Value, open)}`);
  } catch (error) {
    failWithName(`in dict key ${toRepr(keys[parts.length] as Value)}`, error);
  }
  return `{${parts.join(",")}}`;
}

const shortEscapes: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  '"': '\\"',
  "\\": "\\\\",
};

/** A string as Go's encoder writes it: beyond plain ASCII, what is special in HTML and JavaScript is escaped. */
function quoteJson(text: string): string {
  chargeString(text.length);
  if (/^[\u0020-\u007e]*$/.test(text)) {
    return /["\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, "\\$&")}"` : `"${text}"`;
  }
  const escaped = fromUtf8(text).replaceAll(
    /[\u0000-\u001f"&<>\\\u2028\u2029\ufffd]/g,
    (character) =>
      shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `"${toUtf8(escaped)}"`;
}
