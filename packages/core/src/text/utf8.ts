/** How many bytes a text takes in UTF-8; an unpaired surrogate counts as the three of U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (unit >= 0xd800 && unit <= 0xdbff && isLow(text.charCodeAt(index + 1))) {
      bytes += 2;
      index += 1;
    } else bytes += 2;
  }
  return bytes;
}

/** The longest beginning of `text` that takes at most `limit` bytes in UTF-8, never half a character. */
export function truncateUtf8(text: string, limit: number): string {
  let bytes = 0;
  let index = 0;
  while (index < text.length) {
    const point = text.codePointAt(index) as number;
    const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (bytes + size > limit) break;
    bytes += size;
    index += point < 0x10000 ? 1 : 2;
  }
  return text.slice(0, index);
}

/**
 * The beginning of a text, never with half a character at its end.
 *
 * @param max Maximum number of UTF-16 units.
 */
export function truncate(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, "");
}

/** The same; a text that was cut ends with an ellipsis. */
export function ellipsize(text: string, max: number): string {
  return text.length <= max ? text : `${truncate(text, max)}…`;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

interface Unicode {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

/** True for valid Unicode: no surrogate without its other half. */
export function isWellFormed(text: string): boolean {
  return (text as string & Unicode).isWellFormed();
}

/** Valid Unicode: a surrogate without its other half becomes U+FFFD. */
export function wellFormed(text: string): string {
  return (text as string & Unicode).toWellFormed();
}
