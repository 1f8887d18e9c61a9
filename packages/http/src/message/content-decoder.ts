import type { Transform } from "node:stream";
// Not by name: an import that Node.js 20 does not have would hide the message about its version.
import * as zlib from "node:zlib";
import { sniffMediaType } from "@toolweave/core/adapter";

/** The reader of a decoded body. */
export interface BodySink {
  /** Takes a part of the body. False: the source has to pause until it is resumed. */
  push(chunk: Buffer): boolean | void;
  end(): void;
  /** Called if the body cannot be decoded. Without a cause, its coding is unknown. */
  failDecoding(cause?: Error): void;
  /** Called if an encoded form is so long that it is none: longer than the decoded body may be. */
  tooLarge(): void;
}

/** The sender of a body. */
export interface BodySource {
  pause(): void;
  resume(): void;
}

/** Maximum number of codings of one body. */
const maxCodings = 5;

type CreateDecoder = (firstChunk: Uint8Array) => Transform;

/** RFC 9110, section 8.4.1; RFC 7932; RFC 8878. */
const decoders: ReadonlyMap<string, CreateDecoder> = new Map<string, CreateDecoder>([
  ["gzip", () => zlib.createGunzip()],
  ["x-gzip", () => zlib.createGunzip()],
  [
    "deflate",
    // Some servers send raw deflate data; the low bits of a zlib header's first byte are always 8.
    ([first = 0]) => ((first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
  ],
  ["br", () => zlib.createBrotliDecompress()],
  [
    "zstd",
    // RFC 9659: a window of at most 8 MB, which bounds what a frame can make this process allocate.
    () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }),
  ],
]);

/** The words that servers send for no coding. */
const noCoding = /^(?:|identity|none|null|binary|[78]bit|aws-chunked|chunked|json)$/;

/**
 * Returns the codings of a body in the order in which they were applied (RFC 9110, section 8.4), without those that do
 * nothing. Servers also send a charset as a coding.
 */
export function parseCodings(
  field: string | readonly string[] | undefined,
): readonly string[] | undefined {
  if (field === undefined) return undefined;
  const codings = String(field)
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => decoders.has(coding) || !(noCoding.test(coding) || isCharset(coding)));
  return codings.length === 0 ? undefined : codings;
}

function isCharset(word: string): boolean {
  try {
    return new TextDecoder(word).encoding !== "";
  } catch {
    return false;
  }
}

/** Describes a body that cannot be decoded; continues the name of the server. */
export function describeDecodingFault(
  field: string | readonly string[] | undefined,
  cause: Error | undefined,
): string {
  const codings = JSON.stringify(String(field).slice(0, 64));
  const what =
    cause === undefined
      ? `encoded its answer as ${codings}, which cannot be decoded`
      : `sent a body that is not what its content-encoding says (${codings})`;
  return `${what}. To ask for a plain answer, set \`headers: {"accept-encoding": "identity"}\``;
}

/**
 * Creates the decoder of a body with these codings, the last of which is decoded first.
 *
 * @param maxBytes of the decoded body.
 */
export function createBodyDecoder(
  codings: readonly string[],
  maxBytes: number,
  sink: BodySink,
  source: BodySource,
): BodyDecoder {
  const [coding = "", ...others] = codings;
  const decoder = new BodyDecoder(coding, codings.length > maxCodings, maxBytes, sink);
  decoder.source =
    others.length === 0 ? source : createBodyDecoder(others, maxBytes, decoder, source);
  return decoder;
}

/** Decodes one coding of a body. A body that is not encoded, whatever its label says, is passed on as it is. */
export class BodyDecoder implements BodySink, BodySource {
  /** The network, or the decoder of the coding that was applied after this one. */
  source!: BodySource;
  readonly #coding: string;
  readonly #maxBytes: number;
  readonly #sink: BodySink;
  #decoder: Transform | "none" | undefined;
  /** The bytes received before the decoder's first output: until then, the body may be one that is not encoded. */
  #received: Buffer[] | undefined = [];
  #size = 0;
  #isEnded = false;
  readonly #isUnknown: boolean;

  constructor(coding: string, isUnknown: boolean, maxBytes: number, sink: BodySink) {
    this.#coding = coding;
    this.#isUnknown = isUnknown || !decoders.has(coding);
    this.#maxBytes = maxBytes;
    this.#sink = sink;
  }

  /** The decoder that reads from the network. */
  get first(): BodyDecoder {
    return this.source instanceof BodyDecoder ? this.source.first : this;
  }

  push(chunk: Buffer): boolean | void {
    if (this.#decoder === "none") return this.#sink.push(chunk);
    this.#size += chunk.length;
    // Compressed data can be slightly longer than its decoded form; if it is much longer, it is not compressed data.
    if (this.#size > this.#maxBytes * 1.02 + 1024) return this.#sink.tooLarge();
    this.#received?.push(chunk);
    this.#decoder ??= this.#createDecoder(chunk);
    return this.#decoder?.write(chunk);
  }

  end(): void {
    this.#isEnded = true;
    if (this.#decoder === undefined || this.#decoder === "none") this.#sink.end();
    else this.#decoder.end();
  }

  failDecoding(cause?: Error): void {
    this.#sink.failDecoding(cause);
  }

  tooLarge(): void {
    this.#sink.tooLarge();
  }

  pause(): void {
    if (typeof this.#decoder === "object") this.#decoder.pause();
    else this.source.pause();
  }

  resume(): void {
    if (typeof this.#decoder === "object") this.#decoder.resume();
    else this.source.resume();
  }

  destroy(): void {
    if (typeof this.#decoder === "object") this.#decoder.destroy();
    if (this.source instanceof BodyDecoder) this.source.destroy();
  }

  #createDecoder(firstChunk: Buffer): Transform | undefined {
    const create = this.#isUnknown ? undefined : decoders.get(this.#coding);
    if (create === undefined) {
      this.#passOn();
      return undefined;
    }
    const decoder = create(firstChunk);
    decoder.on("data", (chunk: Buffer) => {
      this.#received = undefined;
      if (this.#sink.push(chunk) === false) decoder.pause();
    });
    decoder.on("end", () => this.#sink.end());
    decoder.on("drain", () => this.source.resume());
    decoder.on("error", (cause) => this.#passOn(cause));
    return decoder;
  }

  /** Passes the bytes on if they are not encoded. */
  #passOn(cause?: Error): void {
    const received = this.#received;
    if (received === undefined || !isPlain(received)) return this.#sink.failDecoding(cause);
    this.#decoder = "none";
    this.#received = undefined;
    for (const chunk of received) this.#sink.push(chunk);
    if (this.#isEnded) this.#sink.end();
    else this.source.resume();
  }
}

/** Characters that no text contains, and every compressed body does. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const control = /[\0-\x08\x0e-\x1f]/;

/** Returns true for bytes that begin like a known type of file, or are UTF-8 text. The last character may be cut. */
function isPlain(chunks: readonly Buffer[]): boolean {
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  if (sniffMediaType(bytes) !== undefined) return true;
  try {
    return !control.test(new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }));
  } catch {
    return false;
  }
}
