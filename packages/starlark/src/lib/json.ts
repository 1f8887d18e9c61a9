import { fail, isFailure } from "../values/error.ts";
import { budget, charge, chargeString, sizes, spend } from "../values/budget.ts";
import { StarlarkDict } from "../values/dict.ts";
import { formatFloat, StarlarkFloat } from "../values/float.ts";
import { toRepr } from "../values/format.ts";
import { StarlarkModule } from "../values/function.ts";
import { formatInt } from "../values/int.ts";
import { replaceCharacters } from "../values/quote.ts";
import { fromBytes } from "../values/utf8.ts";
import { type StarlarkObject, typeName, type Value } from "../values/value.ts";
import { defineFunctions, failWithName, withName } from "./builtin.ts";
import { decodeJson, maxDepth, rejectDepth } from "./json-reader.ts";

/** Writes the text into an array of bytes: that makes no small strings. */
class JsonWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;
  readonly #open: Value[] = [];

  /** A value as JSON, on one line, with sorted keys. */
  encode(value: Value): string {
    this.#write(value);
    chargeString(this.#length);
    return fromBytes(this.#bytes.subarray(0, this.#length));
  }

  #push(text: string): void {
    const size = this.#length + text.length;
    if (size > this.#bytes.length) {
      chargeString(size);
      const bytes = new Uint8Array(2 * size);
      bytes.set(this.#bytes);
      this.#bytes = bytes;
    }
    for (let index = 0; index < text.length; index++)
      this.#bytes[this.#length++] = text.charCodeAt(index);
  }

  /** Writes a string with quotes. A plain one is not copied first. */
  #pushString(text: string): void {
    if (needsEscape.test(text)) return this.#push(quoteJson(text));
    this.#push('"');
    this.#push(text);
    this.#push('"');
  }

  #write(value: Value): void {
    charge(sizes.slot);
    budget.fuel--;
    if (typeof value === "string") this.#pushString(value);
    else if (typeof value === "number" || typeof value === "bigint") this.#push(formatInt(value));
    else if (typeof value === "boolean" || value === null) this.#push(String(value));
    else if (value instanceof StarlarkFloat) {
      const text = formatFloat(value.value);
      if (!Number.isFinite(value.value)) fail(`cannot encode non-finite float ${text}`);
      this.#push(text);
    } else {
      if (this.#open.includes(value)) fail("cycle in JSON structure");
      if (this.#open.length >= maxDepth) rejectDepth();
      if (budget.fuel < 0) budget.checkLimits();
      this.#open.push(value);
      this.#writeParts(value);
      this.#open.pop();
    }
  }

  #writeParts(value: StarlarkObject): void {
    const isDict = value instanceof StarlarkDict;
    const items = isDict ? sortKeys(value) : value.items?.();
    if (items === undefined) return fail(`cannot encode ${value.type} as JSON`);
    this.#push(isDict ? "{" : "[");
    for (let index = 0; index < items.length; index++) {
      const item = items[index] as Value;
      if (index > 0) this.#push(",");
      if (isDict) {
        this.#pushString(item as string);
        this.#push(":");
      }
      try {
        this.#write(isDict ? (value.get(item) as Value) : item);
      } catch (error) {
        const place = isDict ? `in dict key ${toRepr(item)}` : `at ${value.type} index ${index}`;
        failWithName(place, error);
      }
    }
    this.#push(isDict ? "}" : "]");
  }
}

function sortKeys(dict: StarlarkDict): Value[] {
  const keys = dict.keys();
  for (const key of keys)
    if (typeof key !== "string") fail(`dict has ${typeName(key)} key, want string`);
  return keys.sort();
}

const needsEscape = /[^ !#-[\]-~]/;

/** A string as Go's encoder writes it: beyond plain ASCII, what is special in HTML and JavaScript is escaped. */
function quoteJson(text: string): string {
  chargeString(text.length);
  const special = /[^ -~]/.test(text) ? /[\u0000-\u001f"&<>\\\u2028\u2029\ufffd]/g : /["\\]/g;
  const escaped = replaceCharacters(text, special, (character) =>
    '\n\r\t"\\'.includes(character)
      ? JSON.stringify(character).slice(1, -1)
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `"${escaped}"`;
}

/** The text at the start of each line, and the text for each level after it. */
type Layout = [prefix?: string, indent?: string];

/** A JSON text with a line per element. */
function indentJson(text: string, ...[prefix = "", indent = "\t"]: Layout): string {
  let result = "";
  let depth = 0;
  const push = (part: string): void => {
    chargeString(part.length);
    spend(1);
    result += part;
  };
  let previous = "";
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\[^])*"|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    const isClosing = token === "]" || token === "}";
    const isFirst = previous === "[" || previous === "{";
    if (isFirst) depth++;
    if (isClosing) depth--;
    if (previous === "," || isFirst !== isClosing) push(`\n${prefix}${indent.repeat(depth)}`);
    push(token === ":" ? ": " : token);
    previous = token;
  }
  chargeString(result.length);
  return result;
}

const functions = defineFunctions({
  "json.encode(any)": (value: Value) => new JsonWriter().encode(value),
  "json.encode_indent(any, *, prefix: string?, indent: string?)": (
    value: Value,
    ...layout: Layout
  ) => indentJson(new JsonWriter().encode(value), ...layout),
  "json.decode(x: string, default: any?)": (text: string, fallback?: Value) => {
    try {
      return decodeJson(text);
    } catch (error) {
      if (fallback === undefined || !isFailure(error)) throw error;
      return fallback;
    }
  },
  "json.indent(string, *, prefix: string?, indent: string?)": (text: string, ...layout: Layout) => {
    withName("json.decode", () => decodeJson(text));
    return indentJson(text, ...layout);
  },
});

/** The module `json` (starlark-go, `lib/json`). */
export const json: StarlarkModule = new StarlarkModule(
  "json",
  functions.map(([name, builtin]) => [name.replace("json.", ""), builtin]),
);
