import { parseExact } from "@toolweave/core/adapter";
import { maxMessageBytes, type ChannelReceiver } from "./channel.ts";
import { LineTruncator } from "./line-truncator.ts";

/** Maximum number of values of one message: parsing more blocks the process for too long and takes too much memory. */
export const maxValues: number = 2_000_000;

const quote = 34;
const backslash = 92;

/** True for JSON with more values than `maxValues`. Strings are skipped, so that long ones cost little. */
export function hasTooManyValues(text: string): boolean {
  // Each value has at least one character.
  if (text.length <= maxValues) return false;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = findStringEnd(text, at);
        break;
      // `[`, `{` and `,`: before each value but the first.
      case 91:
      case 123:
      case 44:
        if (++values > maxValues) return true;
        break;
      default:
    }
  }
  return false;
}

/** Returns the end of the string that begins at `begin`. */
function findStringEnd(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** The id of a response that was dropped because it exceeds the limits. */
interface DroppedResponse {
  readonly id: string | number;
}

/**
 * Parses a message and passes it to the receiver.
 *
 * @returns the message, or its id if it was dropped.
 */
export function readMessage(text: string, receiver: ChannelReceiver): unknown {
  if (hasTooManyValues(text)) return dropLargeMessage(text, receiver);
  let message: unknown;
  try {
    message = parseExact(text);
  } catch {
    // Some servers print text that is not a message.
    receiver.skipInvalid(text);
    return undefined;
  }
  receiver.receive(message);
  return message;
}

function dropLargeMessage(text: string, receiver: ChannelReceiver): DroppedResponse | undefined {
  const id = LineTruncator.of(text).answeredId;
  if (id === undefined) receiver.skipInvalid(text);
  else receiver.dropResponse(id);
  return id === undefined ? undefined : { id };
}

/** Message of the error for a response that exceeds the limits. */
export const tooLargeMessage: string = `The response is larger than ${maxMessageBytes} bytes, or has more than ${maxValues} values, and was dropped. Request less data.`;

/** Converts a value to a sample for diagnostics. Members are omitted: their depth and number are not bounded. */
export function toSample(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? "[]" : `{${Object.keys(value).slice(0, 10).join(", ")}}`;
  }
  return value === undefined ? "a nested batch" : JSON.stringify(value);
}
