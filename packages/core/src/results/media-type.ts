/** Signatures of file types: the type and its first bytes. `.` matches any byte. */
const signatures: readonly (readonly [string, string])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF8"],
  ["image/webp", "RIFF....WEBP"],
  ["audio/wav", "RIFF....WAVE"],
  ["audio/mpeg", "ID3"],
  ["audio/mpeg", "\xff\xfb"],
  ["audio/mpeg", "\xff\xf3"],
  ["audio/mpeg", "\xff\xf2"],
  ["audio/ogg", "OggS"],
  ["application/pdf", "%PDF-"],
];

const firstUnits: ReadonlySet<number | undefined> = new Set(
  signatures.map(([, beginning]) => beginning.charCodeAt(0)),
);

/** The media type by the first bytes. @see https://mimesniff.spec.whatwg.org/#matching-a-mime-type-pattern */
export function sniffMediaType(bytes: Uint8Array): string | undefined {
  if (!firstUnits.has(bytes[0])) return undefined;
  for (const signature of signatures) if (beginsWith(bytes, signature[1])) return signature[0];
  return undefined;
}

function beginsWith(bytes: Uint8Array, beginning: string): boolean {
  for (let index = 0; index < beginning.length; index++) {
    if (beginning[index] !== "." && bytes[index] !== beginning.charCodeAt(index)) return false;
  }
  return true;
}

/** Returns the type and subtype (the essence), in lower case, without parameters. */
export function getMediaTypeName(mediaType: string): string {
  const end = mediaType.indexOf(";");
  return (end === -1 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase();
}

/** Matches `application/json`, `text/json`, every `+json` type, and forms such as `x-json` and `x-amz-json-1.1`. */
export function isJsonMediaType(mediaType: string): boolean {
  return /[/+.-]json(-[\d.]+)?$/.test(getMediaTypeName(mediaType));
}

/** Matches text that is not one JSON value: `text/*`, XML, YAML, scripts, forms, JSON lines. An SVG is text. */
export function isTextMediaType(mediaType: string): boolean {
  return /^text\/(?!json$)|[/+.-](?:xml|yaml|yml|javascript|ecmascript|graphql|sql|csv|toml|sh|x-www-form-urlencoded)$|[/+](?:x-)?(?:ndjson|jsonl(?:ines)?|json-(?:seq|lines)|stream\+json)$/.test(
    getMediaTypeName(mediaType),
  );
}

/** Matches text and JSON: media types whose bytes a model can read. */
export function isReadableMediaType(mediaType: string): boolean {
  return isTextMediaType(mediaType) || isJsonMediaType(mediaType);
}

/** Bytes as text, in the character set that their type names; without its last character when that was cut. */
export function decodeText(bytes: Uint8Array, mediaType: string, isCut: boolean): string {
  const charset = /^(?:"[^"]*"|[^"])*?;\s*charset="?([\w.:-]+)/i.exec(mediaType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes, { stream: isCut });
  } catch {
    return new TextDecoder().decode(bytes, { stream: isCut });
  }
}
