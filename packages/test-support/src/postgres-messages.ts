/** A message of the PostgreSQL protocol, with its header. */
export interface PostgresMessage {
  /** Empty: a message of the start of a connection, which has no type. */
  readonly type: string;
  readonly bytes: Buffer;
  readonly body: Buffer;
}

/** Divides a stream of bytes into messages. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0);
  #isTyped: boolean;

  /** @param isTyped false: the stream of a client, whose first messages have no type. */
  constructor(isTyped: boolean) {
    this.#isTyped = isTyped;
  }

  /** Returns the messages that are complete with these bytes. */
  *read(chunk: Buffer): Generator<PostgresMessage> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const start = this.#isTyped ? 1 : 0;
      if (this.#rest.length < start + 4) return;
      const length = start + this.#rest.readInt32BE(start);
      if (this.#rest.length < length) return;
      const bytes = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      const type = bytes.toString("latin1", 0, start);
      const body = bytes.subarray(start + 4);
      if (!this.#isTyped) this.#isTyped = !isEncryptionRequest(body);
      yield { type, bytes, body };
    }
  }
}

/** The request for TLS (80877103) or GSSAPI (80877104), which precedes the start message. */
export function isEncryptionRequest(body: Buffer): boolean {
  return body.length === 4 && [80_877_103, 80_877_104].includes(body.readInt32BE(0));
}

/** Relates each answer of the server to the statement of the client. */
export class StatementTracker {
  readonly #named = new Map<string, string>();
  readonly #sent: string[] = [];
  #bound = "";

  /** A message of the client. */
  onRequest({ type, body }: PostgresMessage): void {
    const [first = "", second = ""] = body.toString("utf8").split("\0", 2);
    if (type === "Q") this.#sent.push(first);
    else if (type === "P") this.#named.set(first, second);
    else if (type === "B") this.#bound = this.#named.get(second) ?? "";
    else if (type === "S") this.#sent.push(this.#bound);
  }

  /** Returns the statement whose answer has ended; undefined: the connection has started. */
  onReady(): string | undefined {
    return this.#sent.shift();
  }
}
