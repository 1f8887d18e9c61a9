/**
 * Returns the text of a document in UTF-16 or UTF-32, with or without a byte order mark, by its first bytes: a document
 * begins with an ASCII character (YAML 1.2.2 section 5.2).
 *
 * @returns undefined for all other encodings.
 */
export function decodeWideText(content: Uint8Array): string | undefined {
  const { 0: a, 1: b, 2: c, 3: d } = content;
  if (a === undefined || b === undefined) return undefined;
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (a === 0 && b === 0 && ((c === 0 && d !== 0) || (c === 0xfe && d === 0xff))) {
    return decodeUtf32(bytes, (at) => bytes.readUInt32BE(at));
  }
  if (c === 0 && d === 0 && ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0))) {
    return decodeUtf32(bytes, (at) => bytes.readUInt32LE(at));
  }
  if ((a === 0xfe && b === 0xff) || (a === 0 && b !== 0)) {
    // `swap16` changes the bytes in place.
    return Buffer.from(bytes.subarray(0, bytes.length & ~1))
      .swap16()
      .toString("utf16le");
  }
  return (a === 0xff && b === 0xfe) || (a !== 0 && b === 0) ? bytes.toString("utf16le") : undefined;
}

const maxCodePoint = 0x10_ff_ff;

function decodeUtf32(bytes: Buffer, read: (at: number) => number): string {
  let text = "";
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = read(at);
    text += code > maxCodePoint ? "\u{FFFD}" : String.fromCodePoint(code);
  }
  return text;
}
