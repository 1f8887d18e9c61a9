import { mediaSize, textSize } from "../artifacts/clip-content.ts";
import { truncateUtf8, utf8Length } from "../text/utf8.ts";
import { toJson, plainBytes } from "../json/to-json.ts";
import { keepDigits, stringifyExact, type Reviver } from "../contract/exact-json.ts";
import type { CallInfo } from "../contract/call-info.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { ContentBlock } from "../contract/content-block.ts";
import type { JsonValue } from "../json/json.ts";
import type { ToolOutput, ToolResult } from "../contract/tool-result.ts";

/** The facts about a call that events report beside those that all services receive. */
export interface ReportedCall extends CallInfo {
  readonly engine: { readonly maxOutputBytes: number };
  /** The names of injected values that the model sent, and that were discarded. */
  readonly discarded: string[] | undefined;
  readonly warnings: string[] | undefined;
}

interface Bounds {
  readonly maxOutputBytes: number;
  readonly redactor: Redactor | undefined;
}

/** The bounds of a call's events. */
export function getBounds(execution: ReportedCall): Bounds {
  return {
    maxOutputBytes: execution.engine.maxOutputBytes,
    redactor: execution.redactor,
  };
}

/** Blocks beyond this number are not examined. */
const maxBlocks = 1000;

/**
 * A frozen copy of the value as JSON, with the digits of `parseExact`: later changes of the original have no effect.
 */
export function frozenJson<Value>(value: Value): Value {
  return JSON.parse(stringifyExact(toJson(value)), freeze) as Value;
}

const freeze: Reviver = function (...member) {
  return Object.freeze(keepDigits.apply(this, member));
};

/**
 * Characters beyond the limit that are searched for secrets, so that a secret across the cut is found: longer than any
 * form of a credential.
 */
const searchedBeyond = 70_000;

/** Whether a value is short enough to be searched and copied: decided without doing either to all of it. */
export function fitsPayload(
  { maxOutputBytes }: Pick<Bounds, "maxOutputBytes">,
  value: unknown,
): boolean {
  return sizeWithin(value, maxOutputBytes + searchedBeyond) >= 0;
}

/** Roughly the bytes of a value as JSON; negative: more than `limit`. */
function sizeWithin(value: unknown, limit: number): number {
  const most = Math.min(limit, Number.MAX_SAFE_INTEGER);
  const size = plainBytes(value, most);
  if (size >= 0) return size;
  // Too long, or no plain data.
  const cut = { truncated: false };
  const json = JSON.stringify(toJson(value, most, cut));
  return cut.truncated ? -1 : json.length;
}

/** A part of an event's payload. */
interface Part<Value> {
  readonly part?: Value;
  readonly truncated: boolean;
}

/**
 * A value for an event: a text is clipped, any other value over the limit is omitted. A value over the limit is not
 * searched or copied completely.
 */
export function valuePart(bounds: Bounds, given: unknown): Part<JsonValue> {
  const { maxOutputBytes, redactor } = bounds;
  if (typeof given === "string") {
    const searched = given.slice(0, maxOutputBytes + searchedBeyond);
    const text = redactor?.redactReport(redactor.text(toJson(searched) as string)) ?? searched;
    if (searched.length === given.length) {
      const part = truncateUtf8(text, maxOutputBytes);
      return { part, truncated: part !== text };
    }
    return { part: truncateUtf8(withoutEnd(text), maxOutputBytes), truncated: true };
  }
  if (!fitsPayload(bounds, given)) return { truncated: true };
  const plain = toJson(given);
  // Events have readers of every kind: names of headers and of URL parameters also mark secrets.
  const part = frozenJson(redactor?.redactReport(redactor.value(plain)) ?? plain);
  return utf8Length(JSON.stringify(part)) > maxOutputBytes
    ? { truncated: true }
    : { part, truncated: false };
}

/** A text that was cut before it was searched: its end may be the beginning of a secret. */
function withoutEnd(text: string): string {
  return text.slice(0, Math.max(0, text.length - searchedBeyond));
}

/** An output that may leave: cut, redacted, bounded, frozen. An error in it is for its end. */
export function outputPart(bounds: Bounds, output: ToolOutput): Required<Part<ToolOutput>> {
  const { maxOutputBytes, redactor } = bounds;
  const begun = truncateOutput(bounds, output);
  const { content: found, error: _, ...more } = redactor?.output(begun.output) ?? begun.output;
  const content = begun.endsCut ? withoutLastEnd(found) : found;
  const kept = clipped(content, maxOutputBytes);
  const part: Record<string, unknown> = { content: kept };
  let truncated = begun.isCut || kept !== content;
  for (const [name, member] of Object.entries(more)) {
    const own = valuePart({ maxOutputBytes, redactor: undefined }, member);
    if (own.part !== undefined) part[name] = own.part;
    truncated ||= own.truncated;
  }
  return { part: frozenJson(part) as unknown as ToolOutput, truncated };
}

function withoutLastEnd(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.map((block, index) =>
    block.type === "text" && index === content.length - 1
      ? { ...block, text: withoutEnd(block.text) }
      : block,
  );
}

interface Beginning {
  readonly output: ToolOutput;
  /** A part was omitted. */
  readonly isCut: boolean;
  /** The last block is a text without its end. */
  readonly endsCut: boolean;
}

/** The part of an output that can be in an event, and a little more: the rest is neither searched nor copied. */
function truncateOutput(bounds: Bounds, output: ToolOutput): Beginning {
  let left = bounds.maxOutputBytes + searchedBeyond;
  let isCut = false;
  let endsCut = false;
  const content: ContentBlock[] = [];
  for (const block of output.content) {
    if (content.length === maxBlocks || left <= 0) {
      isCut = true;
      break;
    }
    const size = sizeWithin(block, left);
    if (size >= 0) {
      content.push(block);
      left -= size;
      continue;
    }
    isCut = true;
    if (block.type !== "text") continue;
    content.push({ type: "text", text: block.text.slice(0, left) });
    endsCut = true;
    break;
  }
  const begun: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(output)) {
    if (name === "content" || name === "error") continue;
    if (fitsPayload(bounds, member)) begun[name] = member;
    else isCut = true;
  }
  if (!isCut) return { output, isCut, endsCut };
  return { output: { ...begun, content } as ToolOutput, isCut, endsCut };
}

/** The event's payload for a result. */
export function resultPayload(
  bounds: Bounds,
  { content, value, artifacts }: ToolResult,
): ToolOutput & { readonly truncated?: true } {
  const { part, truncated } = outputPart(bounds, {
    content,
    ...(value === undefined ? {} : { value }),
    ...(artifacts.length === 0 ? {} : { artifacts }),
  });
  const { redactor } = bounds;
  const redactedPart = redactor === undefined ? part : frozenJson(redactor.redactReport(part));
  return truncated ? { ...redactedPart, truncated: true } : redactedPart;
}

/** Bytes of content: its texts in UTF-8, its images and sound decoded. */
export function contentBytes(content: readonly ContentBlock[]): number {
  let bytes = 0;
  for (const block of content) bytes += textSize(block) + mediaSize(block);
  return bytes;
}

/** The very same content when it is short enough. */
function clipped(content: readonly ContentBlock[], limit: number): readonly ContentBlock[] {
  let left = limit;
  const kept: ContentBlock[] = [];
  let isWhole = content.length <= maxBlocks;
  for (const block of isWhole ? content : content.slice(0, maxBlocks)) {
    const bytes = fullBytes(block);
    if (bytes <= left) {
      kept.push(block);
      left -= bytes;
      continue;
    }
    isWhole = false;
    if (block.type !== "text" || left === 0) continue;
    kept.push({ type: "text", text: truncateUtf8(block.text, left) });
    left = 0;
  }
  return isWhole ? content : kept;
}

/** All of a block: its annotations and metadata, too, can be as long as they like. */
function fullBytes(block: ContentBlock): number {
  const isBare = block.type === "text" && Object.keys(block).length === 2;
  return isBare ? utf8Length(block.text) : utf8Length(JSON.stringify(toJson(block)));
}
