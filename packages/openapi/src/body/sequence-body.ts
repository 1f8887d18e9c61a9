import type { JsonObject, JsonValue } from "@toolweave/core";
import { getMediaTypeName, stringifyExact } from "@toolweave/core/adapter";
import type { MediaDescription } from "../document/operation.ts";
import { isJsonLinesMediaType, isJsonSequenceMediaType } from "../document/media-type.ts";
import { assertWellFormed, unrepresentableValueError } from "../parameters/unrepresentable.ts";

/** Writes one item of a sequence. Throws `ToolError` `invalid_arguments`. */
type ItemWriter = (item: JsonValue, argument: string) => string;

/**
 * Returns the writer of the items of a sequential media type (OpenAPI 3.2, "Sequential Media Types"): JSON lines, JSON
 * text sequences, server-sent events. `undefined` for other media types.
 */
export function getItemWriter({ mediaType }: MediaDescription): ItemWriter | undefined {
  if (isJsonLinesMediaType(mediaType)) return (item) => `${stringifyExact(item)}\n`;
  if (isJsonSequenceMediaType(mediaType)) return (item) => `\u001e${stringifyExact(item)}\n`;
  return getMediaTypeName(mediaType) === "text/event-stream" ? toEventText : undefined;
}

/** Writes a list as a sequence. Throws `ToolError` `invalid_arguments` for a value that is not a list. */
export function toSequenceText(value: JsonValue, argument: string, write: ItemWriter): string {
  if (!Array.isArray(value)) {
    throw unrepresentableValueError(argument, "must be a list: one entry for each line or event.");
  }
  let text = "";
  for (const item of value as readonly JsonValue[]) text += write(item, argument);
  return text;
}

const eventFields = ["event", "id", "retry"];

/** Writes one event (HTML, "Server-sent events"): `event`, `id`, `retry` and the lines of `data`. */
function toEventText(event: JsonValue, argument: string): string {
  if (typeof event !== "object" || event === null || Array.isArray(event)) {
    throw unrepresentableValueError(argument, "must be a list of events: objects with `data`.");
  }
  const fields = event as JsonObject;
  let text = "";
  for (const name of eventFields) {
    if (!Object.hasOwn(fields, name) || fields[name] === null) continue;
    const value = toFieldText(fields[name] as JsonValue, argument);
    if (/[\r\n\0]/.test(value)) {
      throw unrepresentableValueError(
        argument,
        `has an event whose \`${name}\` contains a line break: remove it.`,
      );
    }
    text += `${name}: ${value}\n`;
  }
  const unknown = Object.keys(fields).find(
    (name) => name !== "data" && !eventFields.includes(name),
  );
  if (unknown !== undefined) {
    throw unrepresentableValueError(
      argument,
      `has an event with ${JSON.stringify(unknown.slice(0, 100))}: an event can only have \`data\`, \`event\`, \`id\` and \`retry\`.`,
    );
  }
  if (Object.hasOwn(fields, "data") && fields["data"] !== null) {
    const data = toFieldText(fields["data"] as JsonValue, argument);
    if (data.includes("\r")) {
      throw unrepresentableValueError(
        argument,
        'has an event whose `data` contains a carriage return: use "\\n".',
      );
    }
    for (const line of data.split("\n")) text += `data: ${line}\n`;
  }
  return `${text}\n`;
}

function toFieldText(value: JsonValue, argument: string): string {
  const text = typeof value === "string" ? value : stringifyExact(value);
  assertWellFormed(text, argument);
  return text;
}
