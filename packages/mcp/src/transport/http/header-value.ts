// A file of its own: what lists tools uses it, and must not load the SDK.

/** What can stand in a header as it is: visible ASCII, with spaces and tabs inside. */
const plain = /^[!-~](?:[\t -~]*[!-~])?$/;

/** Looks encoded already. */
const encoded = /^=\?base64\?.*\?=$/s;

/** A text as the value of a header (2026-07-28, Transports, Value Encoding): as it is, or its UTF-8 in Base64. */
export function encodeHeaderValue(text: string): string {
  if (plain.test(text) && !encoded.test(text)) return text;
  return `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}
