import { ToolError, type JsonValue } from "@toolweave/core";
import { parseExact, ellipsize } from "@toolweave/core/adapter";

/** Parses consecutive JSON values, each followed by a line feed (JSON lines) or preceded by a record separator. */
abstract class JsonItems implements ItemParser {
  readonly #separator: string;
  readonly #clean: Redact;
  readonly #decoder = new TextDecoder();
  #rest: string[] = [];
  #count = 0;

  constructor(separator: string, clean: Redact) {
    this.#separator = separator;
    this.#clean = clean;
  }

  push(chunk: Uint8Array, items: StreamItem[]): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    let from = 0;
    for (
      let at = text.indexOf(this.#separator);
      at !== -1;
      at = text.indexOf(this.#separator, from)
    ) {
      this.#addItem(text.slice(from, at), items, false);
      from = at + 1;
    }
    if (from < text.length) this.#rest.push(text.slice(from));
  }

  end(items: StreamItem[]): void {
    this.#addItem(this.#decoder.decode(), items, true);
  }

  /** Returns false for a value that may have been cut off. */
  protected abstract isWhole(raw: string): boolean;

  /** Handles an item that cannot be parsed: skips it, or throws. */
  protected abstract handleInvalidItem(item: InvalidItem): void;

  #addItem(last: string, items: StreamItem[], isLast: boolean): void {
    const raw = this.#rest.length === 0 ? last : this.#rest.join("") + last;
    this.#rest = [];
    const text = this.#clean(raw.trim());
    if (text === "") return;
    this.#count += 1;
    const read = this.isWhole(raw) ? parseItem(text) : "was cut off";
    if (typeof read === "string") {
      this.handleInvalidItem({ count: this.#count, fault: read, text, isLast, raw });
    } else items.push({ value: read.value, text });
  }
}

/** An item that cannot be parsed. */
interface InvalidItem {
  readonly count: number;
  /** Continues "Item 7 of the answer". */
  readonly fault: string;
  /** The text without secrets. */
  readonly text: string;
  readonly isLast: boolean;
  /** The text as received. */
  readonly raw: string;
}

const identity: Redact = (text) => text;

/** Parses JSON lines, also known as NDJSON; empty lines are ignored. */
export class JsonLines extends JsonItems {
  constructor(clean: Redact = identity) {
    super("\n", clean);
  }

  protected override isWhole(): boolean {
    return true;
  }

  protected override handleInvalidItem(item: InvalidItem): never {
    throw new ToolError("upstream", describeFault(item, item.fault));
  }
}

/**
 * Parses a JSON text sequence (RFC 7464). Malformed items are skipped (section 2.3), but a truncated end is an error.
 */
export class JsonSequence extends JsonItems {
  readonly #warn: (message: string) => void;

  /** @param warn called for each skipped item. */
  constructor(clean: Redact = identity, warn: (message: string) => void = () => {}) {
    super("\u001e", clean);
    this.#warn = warn;
  }

  /** Section 2.4: the end of a number or a word is only known from the character after it. */
  protected override isWhole(raw: string): boolean {
    return /[\]}"\s]$/.test(raw);
  }

  protected override handleInvalidItem(item: InvalidItem): void {
    const { raw, isLast, fault } = item;
    // Section 2.2: each item ends with a line feed.
    if (isLast && !raw.endsWith("\n")) throw new ToolError("upstream", describeFault(item, fault));
    this.#warn(describeFault(item, `${fault}, and was skipped`));
  }
}

/** Parses a JSON text; returns its value, or a description of the error. */
function parseItem(text: string): { readonly value: JsonValue } | string {
  try {
    return { value: parseExact(text) };
  } catch {
    return `is not valid JSON (${describeJsonError(text)})`;
  }
}

function describeFault({ count, text }: InvalidItem, what: string): string {
  const beginning = ellipsize(text, 200);
  return `Item ${count} of the answer ${what}. It begins: ${beginning}`;
}

/** One item of a streamed answer. */
export interface StreamItem {
  readonly value: JsonValue;
  /** The text as received, for progress updates. */
  readonly text: string;
}

/** Redacts secrets in a text. */
export type Redact = (text: string) => string;

/** Splits a streamed answer into items, independent of how its bytes are divided into chunks. */
export interface ItemParser {
  /** Adds the items that this chunk completes. Throws `ToolError` `upstream` for an invalid one. */
  push(chunk: Uint8Array, items: StreamItem[]): void;
  /** Adds the last items, after all chunks were pushed. */
  end(items: StreamItem[]): void;
}

/** Maximum length of text that is searched: an error after it is of no use to a reader. */
const maxSearched = 1_000_000;

/** Describes the position at which a text is no longer JSON: `at position 12 (line 2, column 3)`. */
export function describeJsonError(text: string): string {
  const position = findErrorPosition(text.slice(0, maxSearched));
  if (position >= maxSearched) return `after position ${maxSearched}`;
  const before = text.slice(0, position);
  const line = before.split("\n").length;
  const column = position - before.lastIndexOf("\n");
  const what = position >= text.trimEnd().length ? "it ends too early, " : "";
  return `${what}at position ${position} (line ${line}, column ${column})`;
}

/** Matches the scalars of RFC 8259, sections 2 to 7. */
const scalar =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.eE+-])|(?:true|false|null)(?!\w)/y;

/** The next expected token. */
type Expected = "value" | "value or end" | "name" | "name or end" | "colon" | "separator";

/** Finds the position, because the engine's own messages contain it only sometimes. */
function findErrorPosition(text: string): number {
  const open: string[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    while (/[ \t\n\r]/.test(text.charAt(at))) at += 1;
    if (at >= text.length) return at;
    const next = text.charAt(at);
    const wantsValue: boolean = expected === "value" || expected === "value or end";
    const wantsName: boolean = expected === "name" || expected === "name or end";
    if (wantsValue && (next === "{" || next === "[")) {
      open.push(next);
      expected = next === "{" ? "name or end" : "value or end";
      at += 1;
    } else if (next === "]" || next === "}") {
      const isEnd = expected === "separator" || expected.endsWith("or end");
      if (!isEnd || open.pop() !== (next === "]" ? "[" : "{")) return at;
      expected = "separator";
      at += 1;
    } else if (expected === "separator") {
      if (next !== "," || open.length === 0) return at;
      expected = open.at(-1) === "{" ? "name" : "value";
      at += 1;
    } else if (expected === "colon") {
      if (next !== ":") return at;
      expected = "value";
      at += 1;
    } else {
      if (wantsName && next !== '"') return at;
      scalar.lastIndex = at;
      if (!scalar.test(text)) return at;
      at = scalar.lastIndex;
      expected = wantsName ? "colon" : "separator";
    }
  }
}
