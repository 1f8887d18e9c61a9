import { parseFieldValue } from "@toolweave/http/fields";

/** One part of a `multipart/*` body. */
export interface ResponsePart {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const maxParts = 1000;
/** Maximum number of bytes of a header line of a part; longer ones are ignored. */
const maxHeaderLength = 16_384;

/**
 * Splits a `multipart/*` body (RFC 2046, section 5.1) into parts, as views of it. `undefined` if there is no boundary,
 * no part, or no end, since a truncated body is not a complete answer.
 */
export function parseParts(
  contentType: string,
  given: Uint8Array,
): readonly ResponsePart[] | undefined {
  const boundary = parseFieldValue(contentType).parameters.get("boundary") ?? "";
  // At most 70 characters (section 5.1.1).
  if (boundary === "" || boundary.length > 70) return undefined;
  const body = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const delimiter = Buffer.from(`--${boundary}`);
  const parts: ResponsePart[] = [];
  let start: number | undefined;
  for (
    let at = body.indexOf(delimiter);
    at !== -1;
    at = body.indexOf(delimiter, at + delimiter.length)
  ) {
    // A delimiter is at the beginning of a line.
    if (at !== 0 && body[at - 1] !== newline) continue;
    const after = at + delimiter.length;
    const closes = body[after] === hyphen && body[after + 1] === hyphen;
    const lineEnd = endOfLine(body, after);
    if (!closes && lineEnd === undefined) continue;
    if (start !== undefined) {
      if (parts.length === maxParts) return undefined;
      const end = at >= 2 && body[at - 2] === carriageReturn ? at - 2 : at - 1;
      parts.push(parsePart(body.subarray(start, Math.max(start, end))));
    }
    if (closes) return parts.length === 0 ? undefined : parts;
    start = lineEnd;
  }
  return undefined;
}

const newline = 10;
const carriageReturn = 13;
const hyphen = 45;

/**
 * Returns the position after the padding and the line end that may follow a delimiter; `undefined`: the line only
 * begins like a delimiter.
 */
function endOfLine(body: Buffer, from: number): number | undefined {
  let at = from;
  while (body[at] === 32 || body[at] === 9) at += 1;
  if (body[at] === carriageReturn) at += 1;
  return body[at] === newline ? at + 1 : undefined;
}

function parsePart(bytes: Buffer): ResponsePart {
  const headers: Record<string, string> = {};
  let at = 0;
  for (;;) {
    const end = bytes.indexOf(newline, at);
    if (end === -1) return { headers, body: bytes.subarray(at) };
    const isTooLong = end - at > maxHeaderLength;
    const line = isTooLong ? ":" : bytes.toString("latin1", at, end).trimEnd();
    at = end + 1;
    if (line === "") return { headers, body: bytes.subarray(at) };
    const colon = line.indexOf(":");
    if (colon > 0)
      headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
}
