import { parseExact } from "@toolweave/core";
import { maxMessageBytes, type ChannelReceiver } from "./channel.ts";
import { LineTruncator } from "./truncate-line.ts";

/** Values of one message: to make more of a text takes so long, and so much memory, that everything else stands still. */
export const maxValues: number = 2_000_000;

const quote = 34;
const backslash = 92;

/** True for JSON that has more values than are taken. What is in texts is passed over, so that long ones cost little. */
export function isTooMuch(text: string): boolean {
  // Each value has a character at least.
  if (text.length <= maxValues) return false;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfText(text, at);
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

/** Where a text ends that begins here. */
function endOfText(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** The answer to a request, without what it says: it was too much. */
interface CutAnswer {
  readonly id: string | number;
}

/**
 * Makes a message of a text, and gives it to the receiver.
 *
 * @returns the message, as far as there is one.
 */
export function readMessage(text: string, receiver: ChannelReceiver): unknown {
  if (isTooMuch(text)) return cut(text, receiver);
  let message: unknown;
  try {
    message = parseExact(text);
  } catch {
    // Some servers print something that is no message.
    receiver.skip(text);
    return undefined;
  }
  receiver.receive(message);
  return message;
}

function cut(text: string, receiver: ChannelReceiver): CutAnswer | undefined {
  const id = LineTruncator.of(text).answeredId;
  if (id === undefined) receiver.skip(text);
  else receiver.cut(id);
  return id === undefined ? undefined : { id };
}

/** What is said of an answer that is not taken. */
export const tooLarge: string = `The answer is larger than ${maxMessageBytes} bytes, or has more than ${maxValues} values, and was not taken. Ask for less.`;

/** For a sample. Its members stay out of it: they may be as deep and as many as the server likes. */
export function toSample(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? "[]" : `{${Object.keys(value).slice(0, 10).join(", ")}}`;
  }
  return value === undefined ? "a batch in a batch" : JSON.stringify(value);
}
