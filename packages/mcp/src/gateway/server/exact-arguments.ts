import type { Readable } from "node:stream";
import { hasLongNumbers, isObject, parseLossless } from "@toolweave/core/adapter";

/**
 * Parses messages of a client. The arguments of a call have all digits: the executor accepts a `bigint`.
 *
 * @throws SyntaxError if the text is not JSON.
 */
export function parseMessages(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!hasLongNumbers(text)) return parsed;
  const exact: unknown = parseLossless(text);
  if (!Array.isArray(parsed)) return withArguments(parsed, exact);
  return parsed.map((message, index) => withArguments(message, (exact as unknown[])[index]));
}

function withArguments(message: unknown, exact: unknown): unknown {
  const args = readArguments(exact);
  if (args === undefined) return message;
  const { params } = message as { readonly params: object };
  return { ...(message as object), params: { ...params, arguments: args } };
}

function readArguments(message: unknown): unknown {
  const params = isObject(message) ? message["params"] : undefined;
  return isObject(params) ? params["arguments"] : undefined;
}

const newline = 10;
/** The SDK ends the connection for a longer line. */
const maxLineBytes = 10 * 1024 * 1024;

/**
 * Reads the arguments of calls from a stream that a transport of the SDK reads as well: the SDK rounds them. It must
 * start before that transport does.
 */
export class ExactArguments {
  readonly #input: Readable;
  readonly #byId = new Map<unknown, unknown>();
  #line: Buffer[] = [];
  #bytes = 0;

  constructor(input: Readable) {
    this.#input = input;
  }

  start(): void {
    this.#input.on("data", this.#read);
  }

  /** The stream is not read any more. */
  stop(): void {
    this.#input.off("data", this.#read);
  }

  /** Returns a message of the SDK with the arguments that the client has sent. */
  restore<Message extends object>(message: Message): Message {
    if (this.#byId.size === 0 || !("id" in message)) return message;
    const exact = this.#byId.get(message.id);
    if (exact === undefined) return message;
    this.#byId.delete(message.id);
    return withArguments(message, exact) as Message;
  }

  readonly #read = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#line.push(chunk.subarray(start, end));
      this.#parse(Buffer.concat(this.#line).toString());
      this.#line = [];
      this.#bytes = 0;
      start = end + 1;
    }
    this.#bytes += chunk.length - start;
    if (this.#bytes <= maxLineBytes) this.#line.push(chunk.subarray(start));
  };

  #parse(line: string): void {
    if (!hasLongNumbers(line)) return;
    try {
      const message: unknown = parseLossless(line);
      if (readArguments(message) !== undefined) {
        this.#byId.set((message as { readonly id?: unknown }).id, message);
      }
    } catch {
      // The SDK skips it.
    }
  }
}
