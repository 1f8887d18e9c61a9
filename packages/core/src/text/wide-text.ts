/**
 * Returns a text in UTF-16 or UTF-32, without its byte order mark. Without one it is recognized by the zero bytes of its
 * first character, which is ASCII (RFC 4627 section 3; YAML 1.2.2 section 5.2), whatever its label says.
 *
 * @returns undefined for all other encodings.
 */
export function decodeWideText(bytes: Uint8Array): string | undefined {
  const { 0: a, 1: b, 2: c, 3: d } = bytes;
  if (a === undefined || b === undefined) return undefined;
  if (a === 0 && b === 0 && ((c === 0 && d !== 0) || (c === 0xfe && d === 0xff))) {
    return decodeUtf32(bytes, false);
  }
  if (c === 0 && d === 0 && ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0))) {
    return decodeUtf32(bytes, true);
  }
  const isBig = (a === 0xfe && b === 0xff) || (a === 0 && b !== 0);
  const isLittle = (a === 0xff && b === 0xfe) || (a !== 0 && b === 0);
  if (!isBig && !isLittle) return undefined;
  return new TextDecoder(isBig ? "utf-16be" : "utf-16le").decode(bytes);
}

const maxCodePoint = 0x10_ff_ff;

function decodeUtf32(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = "";
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, littleEndian);
    if (at === 0 && code === 0xfe_ff) continue;
    text += code > maxCodePoint ? "\u{FFFD}" : String.fromCodePoint(code);
  }
  return text;
}
