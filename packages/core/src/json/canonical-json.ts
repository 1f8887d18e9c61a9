/** Characters that one text may have: what is there twice is written twice. */
const maxCanonicalLength = 100_000_000;

/** Serialising is synchronous; only a getter could begin another one within it. */
let left = 0;

/**
 * Serialises JSON data with the keys of every object in code-unit order, so that equal data gives
 * equal text. Properties that are `undefined` count as absent.
 *
 * @param maxLength characters of the text, roughly. Default: 100,000,000.
 * @throws RangeError for a longer one, and for one that nests deeper than the stack.
 * @see https://www.rfc-editor.org/rfc/rfc8785 (numbers and strings as `JSON.stringify` writes them)
 */
export function canonicalJson(value: unknown, maxLength: number = maxCanonicalLength): string {
  const outer = left;
  left = maxLength;
  try {
    return written(value);
  } finally {
    left = outer;
  }
}

function written(value: unknown): string {
  if (typeof value !== "object" || value === null) {
    const text = JSON.stringify(value) ?? "null";
    spend(text.length);
    return text;
  }
  spend(2);
  if (Array.isArray(value)) {
    const items: string[] = [];
    // Not `map`, which visits all the holes of a list that claims billions of items.
    for (let index = 0; index < value.length; index++) {
      spend(1);
      items.push(written(value[index]));
    }
    return `[${items.join(",")}]`;
  }
  const object = value as Record<string, unknown>;
  const members: string[] = [];
  for (const key of Object.keys(object).sort()) {
    const member = object[key];
    if (member === undefined) continue;
    spend(key.length + 4);
    members.push(`${JSON.stringify(key)}:${written(member)}`);
  }
  return `{${members.join(",")}}`;
}

function spend(characters: number): void {
  left -= characters;
  if (left < 0) throw new RangeError("the value is too large to be serialised");
}

/** SHA-256 of a text, in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
