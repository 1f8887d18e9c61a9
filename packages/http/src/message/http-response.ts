import { getMediaTypeName } from "@toolweave/core/adapter";
import { decodeText } from "./decode-text.ts";
import type { ResponseStream } from "./response-stream.ts";

/** Response headers by lower-case name. Repeated ones are a list; `set-cookie` always is. */
export interface HttpHeaders {
  readonly [name: string]: string | readonly string[] | undefined;
  readonly "set-cookie"?: readonly string[];
}

/** A full response with a decompressed body. */
export interface HttpResponse {
  readonly status: number;
  /**
   * The method of the request that this answers: a redirect may have changed a `POST` to a `GET`. If that `GET` is
   * refused, the `POST` before it may still have been carried out.
   */
  readonly method: string;
  readonly statusText: string;
  /** URL of the response, after redirects, without fragment. */
  readonly url: string;
  readonly headers: HttpHeaders;
  /** Empty for HEAD, 204 and 304, and when there is a `stream`. */
  readonly body: Uint8Array;
  /** Set when the body was larger than `maxBytes` and the request had `whenTooLarge: "cut"`. */
  readonly truncated?: true;
  /**
   * The decoded body as it arrives, when the request's `streaming` accepts the answer. It can be read once; leaving the
   * loop closes the connection. Rejects with a `ToolError` as `request` does, after the bytes received before.
   */
  readonly stream?: AsyncIterable<Uint8Array>;
  /** Type and subtype in lower case, without parameters; `undefined` when the server sent none. */
  readonly mediaType?: string | undefined;
  /**
   * Decodes the body as text: by its byte order mark, else as UTF-8 if it is valid UTF-8, else by the charset of the
   * content type, else by the one that HTML or XML declares itself. `decodeDocument` also returns the encoding.
   */
  text(): string;
}

/** Headers as undici passes them. */
export type RawHeaders = Record<string, string | string[] | undefined>;

/** @internal */
export class ReceivedResponse implements HttpResponse {
  readonly status: number;
  readonly method: string;
  readonly statusText: string;
  readonly headers: HttpHeaders;
  readonly body: Buffer;
  declare readonly truncated?: true;
  declare readonly stream?: ResponseStream;
  readonly #url: URL;

  constructor(
    status: number,
    statusText: string,
    method: string,
    url: URL,
    headers: RawHeaders,
    body: Buffer,
    stream?: ResponseStream,
    truncated = false,
  ) {
    const cookies = headers["set-cookie"];
    if (typeof cookies === "string") headers["set-cookie"] = [cookies];
    this.status = status;
    this.statusText = statusText;
    this.method = method;
    this.#url = url;
    this.headers = headers as HttpHeaders;
    this.body = body;
    if (stream !== undefined) this.stream = stream;
    if (truncated) this.truncated = true;
  }

  get url(): string {
    const { href, hash } = this.#url;
    return hash === "" ? href : href.slice(0, -hash.length);
  }

  get mediaType(): string | undefined {
    return getMediaType(this.headers);
  }

  text(): string {
    return decodeText(this.body, getContentType(this.headers));
  }
}

/** Returns type and subtype in lower case, without parameters; `undefined` when there is none. */
export function getMediaType(headers: HttpHeaders | RawHeaders): string | undefined {
  return getMediaTypeName(getContentType(headers)) || undefined;
}

function getContentType(headers: HttpHeaders | RawHeaders): string {
  const type = headers["content-type"];
  return (typeof type === "string" ? type : type?.[0]) ?? "";
}

/** The maximum of a timer: 24 days. */
export const maxTimerMs = 2_147_483_647;

/**
 * Parses `Retry-After` as milliseconds from `now` (milliseconds since 1970): seconds or an HTTP date (RFC 9110, section
 * 10.2.3). A date is relative to the server's own `Date` when it sent one, so that a wrong clock does not matter. The
 * result is never negative and at most the maximum of a timer (24 days); `undefined` when the header is absent or
 * unreadable.
 */
export function retryAfterMs(headers: HttpHeaders, now: number = Date.now()): number | undefined {
  const value = single(headers["retry-after"])?.trim();
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, maxTimerMs);
  const until = parseHttpDate(value);
  if (until === undefined) return undefined;
  const from = parseHttpDate(single(headers["date"])) ?? now;
  return Math.min(Math.max(until - from, 0), maxTimerMs);
}

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}

/**
 * Parses a date of HTTP in any of its three forms (RFC 9110, 5.6.7), as milliseconds since the epoch. Undefined: it is
 * none, or there is no such day.
 */
export function parseHttpDate(text: string | undefined): number | undefined {
  // Date.parse alone also takes "1", "2026" and local times; all three forms of an HTTP date begin with a day's name.
  if (text === undefined || !/^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined;
  // The asctime format has no time zone, but is in UTC.
  const time = Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`);
  // 30 February is not 2 March: the day is the first number in all forms.
  return new Date(time).getUTCDate() === Number(/\d+/.exec(text)?.[0]) ? time : undefined;
}
