/** How files of a kind begin: the type, and its first bytes, `.` standing for any. */
const beginnings: readonly (readonly [string, string])[] = [
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

/** The media type by the first bytes. @see https://mimesniff.spec.whatwg.org/#matching-a-mime-type-pattern */
export function sniffed(bytes: Uint8Array): string | undefined {
  return beginnings.find(([, beginning]) =>
    [...beginning].every((unit, index) => unit === "." || bytes[index] === unit.charCodeAt(0)),
  )?.[0];
}

/** The type without its parameters, in lower case. */
export function essence(mediaType: string): string {
  return (mediaType.split(";", 1)[0] as string).trim().toLowerCase();
}

/** True for `application/json` and every `+json`. */
export function isJsonType(type: string): boolean {
  return type === "application/json" || type === "text/json" || type.endsWith("+json");
}

/** True for text types, whatever their subject; an SVG is text, since no model sees it as an image. */
export function isTextType(type: string): boolean {
  return (
    type.startsWith("text/") ||
    isJsonType(type) ||
    type.endsWith("+xml") ||
    type.endsWith("+yaml") ||
    textTypes.has(type)
  );
}

const textTypes: ReadonlySet<string> = new Set(
  ["xml", "yaml", "x-yaml", "toml", "javascript", "x-ndjson", "jsonl", "sql", "graphql"]
    .concat("x-www-form-urlencoded", "x-sh")
    .map((name) => `application/${name}`),
);

/** Bytes as text, in the character set that their type names; without its last character when that was cut. */
export function decoded(bytes: Uint8Array, mediaType: string, isCut: boolean): string {
  const charset = /;\s*charset="?([\w.:-]+)/i.exec(mediaType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes, { stream: isCut });
  } catch {
    return new TextDecoder().decode(bytes, { stream: isCut });
  }
}
