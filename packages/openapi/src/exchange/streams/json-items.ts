import { parseExact, ToolError, type JsonValue } from "@toolweave/core";
import type { Clean, ItemParser, StreamItem } from "./item-parser.ts";
import { jsonFault } from "./json-fault.ts";

/** JSON values one after the other: behind each a line feed (JSON lines), or before each a record separator. */
abstract class JsonItems implements ItemParser {
  readonly #separator: string;
  readonly #clean: Clean;
  #rest: string[] = [];
  #count = 0;

  constructor(separator: string, clean: Clean) {
    this.#separator = separator;
    this.#clean = clean;
  }

  push(text: string, items: StreamItem[]): void {
    let from = 0;
    for (
      let at = text.indexOf(this.#separator);
      at !== -1;
      at = text.indexOf(this.#separator, from)
    ) {
      this.#take(text.slice(from, at), items, false);
      from = at + 1;
    }
    if (from < text.length) this.#rest.push(text.slice(from));
  }

  end(items: StreamItem[]): void {
    this.#take("", items, true);
  }

  /** False for a value that may have been cut off. */
  protected abstract isWhole(raw: string): boolean;

  /** Goes on without an item that cannot be read, or throws. */
  protected abstract leaveOut(item: BrokenItem): void;

  #take(last: string, items: StreamItem[], isLast: boolean): void {
    const raw = this.#rest.length === 0 ? last : this.#rest.join("") + last;
    this.#rest = [];
    const text = this.#clean(raw.trim());
    if (text === "") return;
    this.#count += 1;
    const read = this.isWhole(raw) ? parsed(text) : "was cut off";
    if (typeof read === "string") {
      this.leaveOut({ count: this.#count, fault: read, text, isLast, raw });
    } else items.push({ value: read.value, text });
  }
}

/** An item that cannot be read. */
interface BrokenItem {
  readonly count: number;
  /** Continues "Item 7 of the answer". */
  readonly fault: string;
  /** Fit to be shown. */
  readonly text: string;
  readonly isLast: boolean;
  /** As it came. */
  readonly raw: string;
}

const asItIs: Clean = (text) => text;

/** JSON lines, also known as NDJSON: empty lines are no items. */
export class JsonLines extends JsonItems {
  constructor(clean: Clean = asItIs) {
    super("\n", clean);
  }

  protected override isWhole(): boolean {
    return true;
  }

  protected override leaveOut(item: BrokenItem): never {
    throw new ToolError("upstream", describeFault(item, item.fault));
  }
}

/**
 * A JSON text sequence (RFC 7464). What is malformed within it is skipped (section 2.3); where its end has been cut off,
 * that is an error.
 */
export class JsonSequence extends JsonItems {
  readonly #warn: (message: string) => void;

  /** @param warn hears of what is skipped. */
  constructor(clean: Clean = asItIs, warn: (message: string) => void = () => {}) {
    super("\u001e", clean);
    this.#warn = warn;
  }

  /** Section 2.4: of a number or a word nobody can tell its end without what stands behind it. */
  protected override isWhole(raw: string): boolean {
    return /[\]}"\s]$/.test(raw);
  }

  protected override leaveOut(item: BrokenItem): void {
    const { raw, isLast, fault } = item;
    // Section 2.2: each ends with a line feed.
    if (isLast && !raw.endsWith("\n")) throw new ToolError("upstream", describeFault(item, fault));
    this.#warn(describeFault(item, `${fault}, and was skipped`));
  }
}

/** The value of a JSON text, or what is wrong with it. */
function parsed(text: string): { readonly value: JsonValue } | string {
  try {
    return { value: parseExact(text) };
  } catch {
    return `is not valid JSON (${jsonFault(text)})`;
  }
}

function describeFault({ count, text }: BrokenItem, what: string): string {
  const shown = text.length <= 200 ? text : `${text.slice(0, 200)}…`;
  return `Item ${count} of the answer ${what}. It begins: ${shown}`;
}
