import { mediaSize, textSize } from "../artifacts/block-size.ts";
import { clipText, utf8Length } from "../executor/clip-text.ts";
import { jsonValue } from "../executor/json-value.ts";
import type { Execution } from "../executor/execution.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { redactorOf } from "../redaction/redactor-of.ts";
import type { ContentBlock } from "../spec/content-block.ts";
import type { JsonValue } from "../spec/json.ts";
import type { ToolOutput, ToolResult } from "../spec/tool-result.ts";

interface Bounds {
  readonly maxOutputBytes: number;
  readonly redactor: Redactor | undefined;
}

/** What of a call's events may leave. */
export function boundsOf(execution: Execution): Bounds {
  return {
    maxOutputBytes: execution.engine.maxOutputBytes,
    redactor: redactorOf(execution),
  };
}

/** More blocks than this nobody looks at. */
const maxBlocks = 1000;

/** JSON of whatever it is, frozen: what becomes of the original changes nothing. */
export function frozenJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(jsonValue(value)), freeze) as Value;
}

function freeze(_: string, member: unknown): unknown {
  return Object.freeze(member);
}

/** A part of an event's payload. */
interface Part<Value> {
  readonly part?: Value;
  readonly truncated: boolean;
}

/** A value for an event: a text is clipped, anything else that is too long is left out. */
export function valuePart({ maxOutputBytes, redactor }: Bounds, given: unknown): Part<JsonValue> {
  const plain = jsonValue(given);
  if (typeof plain === "string") {
    const text = redactor?.told(redactor.text(plain)) ?? plain;
    const part = clipText(text, maxOutputBytes);
    return { part, truncated: part !== text };
  }
  // Whoever reads events may be anybody: names of headers and of parameters in URLs say what is secret, too.
  const part = frozenJson(redactor?.told(redactor.value(plain)) ?? plain);
  return utf8Length(JSON.stringify(part)) > maxOutputBytes
    ? { truncated: true }
    : { part, truncated: false };
}

/** An output that may leave: redacted, bounded, frozen. An error in it is for its end. */
export function outputPart(bounds: Bounds, output: ToolOutput): Required<Part<ToolOutput>> {
  const { maxOutputBytes, redactor } = bounds;
  const { content, error: _, ...more } = redactor?.output(output) ?? output;
  const kept = clipped(content, maxOutputBytes);
  const part: Record<string, unknown> = { content: kept };
  let truncated = kept !== content;
  for (const [name, member] of Object.entries(more)) {
    const own = valuePart({ maxOutputBytes, redactor: undefined }, member);
    if (own.part !== undefined) part[name] = own.part;
    truncated ||= own.truncated;
  }
  return { part: frozenJson(part) as unknown as ToolOutput, truncated };
}

/** What an event tells of a result, with payloads. */
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
  const told = redactor === undefined ? part : frozenJson(redactor.told(part));
  return truncated ? { ...told, truncated: true } : told;
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
    const bytes = wholeBytes(block);
    if (bytes <= left) {
      kept.push(block);
      left -= bytes;
      continue;
    }
    isWhole = false;
    if (block.type !== "text" || left === 0) continue;
    kept.push({ type: "text", text: clipText(block.text, left) });
    left = 0;
  }
  return isWhole ? content : kept;
}

/** All of a block: its annotations and metadata, too, can be as long as they like. */
function wholeBytes(block: ContentBlock): number {
  const isBare = block.type === "text" && Object.keys(block).length === 2;
  return isBare ? utf8Length(block.text) : utf8Length(JSON.stringify(jsonValue(block)));
}
