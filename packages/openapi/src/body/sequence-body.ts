import type { JsonObject, JsonValue } from "@toolweave/core";
import type { MediaDescription } from "../document/operation.ts";
import {
  isJsonLinesMediaType,
  isJsonSequenceMediaType,
  mediaTypeName,
} from "../document/media-type.ts";
import { assertWellFormed, unrepresentableValue } from "../parameters/unrepresentable.ts";

/** Writes one item of a sequence. Throws `ToolError` `invalid_arguments`. */
type ItemWriter = (item: JsonValue, argument: string) => string;

/**
 * How the items of a sequential media type are written (OpenAPI 3.2, "Sequential Media Types"): JSON lines, JSON text
 * sequences, server-sent events. `undefined` for other media types.
 */
export function sequenceItemWriter({ mediaType }: MediaDescription): ItemWriter | undefined {
  if (isJsonLinesMediaType(mediaType)) return (item) => `${JSON.stringify(item)}\n`;
  if (isJsonSequenceMediaType(mediaType)) return (item) => `\u001e${JSON.stringify(item)}\n`;
  return mediaTypeName(mediaType) === "text/event-stream" ? eventText : undefined;
}

/** Writes a list as a sequence. Throws `ToolError` `invalid_arguments` for what is none. */
export function sequenceText(value: JsonValue, argument: string, write: ItemWriter): string {
  if (!Array.isArray(value)) {
    throw unrepresentableValue(argument, "must be a list: one entry for each line or event.");
  }
  let text = "";
  for (const item of value as readonly JsonValue[]) text += write(item, argument);
  return text;
}

const eventFields = ["event", "id", "retry"];

/** One event (HTML, "Server-sent events"): `event`, `id`, `retry` and the lines of `data`. */
function eventText(event: JsonValue, argument: string): string {
  if (typeof event !== "object" || event === null || Array.isArray(event)) {
    throw unrepresentableValue(argument, "must be a list of events: objects with `data`.");
  }
  const fields = event as JsonObject;
  let text = "";
  for (const name of eventFields) {
    if (!Object.hasOwn(fields, name) || fields[name] === null) continue;
    const value = fieldText(fields[name] as JsonValue, argument);
    if (/[\r\n\0]/.test(value)) {
      throw unrepresentableValue(
        argument,
        `has an event whose \`${name}\` holds a line break: leave it out.`,
      );
    }
    text += `${name}: ${value}\n`;
  }
  const unknown = Object.keys(fields).find(
    (name) => name !== "data" && !eventFields.includes(name),
  );
  if (unknown !== undefined) {
    throw unrepresentableValue(
      argument,
      `has an event with ${JSON.stringify(unknown.slice(0, 100))}: an event has \`data\`, \`event\`, \`id\` and \`retry\` only.`,
    );
  }
  if (Object.hasOwn(fields, "data") && fields["data"] !== null) {
    const data = fieldText(fields["data"] as JsonValue, argument);
    if (data.includes("\r")) {
      throw unrepresentableValue(
        argument,
        'has an event whose `data` holds a carriage return: use "\\n".',
      );
    }
    for (const line of data.split("\n")) text += `data: ${line}\n`;
  }
  return `${text}\n`;
}

function fieldText(value: JsonValue, argument: string): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  assertWellFormed(text, argument);
  return text;
}
