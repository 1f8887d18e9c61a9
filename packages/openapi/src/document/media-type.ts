/** The type and subtype, in lower case, without parameters. */
export function mediaTypeName(mediaType: string): string {
  const end = mediaType.indexOf(";");
  return (end === -1 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase();
}

/** `application/json`, `text/json`, anything `+json`. */
export function isJsonMediaType(mediaType: string): boolean {
  return /[/+]json$/.test(mediaTypeName(mediaType));
}

/** Anything that a person could read: text, XML, YAML, scripts, forms, events. */
export function isTextMediaType(mediaType: string): boolean {
  return /^text\/|[/+.-](?:xml|yaml|yml|javascript|ecmascript|graphql|sql|csv|toml|x-www-form-urlencoded)$|[/+](?:x-)?(?:ndjson|jsonl|json-seq|jsonlines|json-lines|stream\+json)$/.test(
    mediaTypeName(mediaType),
  );
}

/**
 * True for a media type that is known to hold bytes and no text, also as a range such as `image/*`. A text in a schema
 * (`type: string`) under any other type is sent as that text (OpenAPI 3.1.1, "Encoding Object").
 */
export function isBinaryMediaType(mediaType: string): boolean {
  const name = mediaTypeName(mediaType);
  if (isTextMediaType(name) || isJsonMediaType(name)) return false;
  return (
    /^(?:image|audio|video|font|model)\//.test(name) ||
    /[/+.-](?:octet-stream|pdf|zip|gzip|zstd|tar|bzip2?|7z-compressed|rar|compressed|msword|ms-excel|ms-powerpoint|wasm|cbor|protobuf|msgpack|avro|parquet|pkcs\d+|zlib|jar|java-archive|sqlite3|dosexec|msdownload)$/.test(
      name,
    ) ||
    /^application\/vnd\.(?:openxmlformats-|oasis\.opendocument|ms-)/.test(name) ||
    name === "*/*" ||
    name === "application/*"
  );
}

/** JSON values, one on each line. */
export function isJsonLinesMediaType(mediaType: string): boolean {
  return /\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)$/.test(mediaTypeName(mediaType));
}

/** JSON values with a record separator before each: `application/json-seq`, anything `+json-seq` (RFC 7464, RFC 8091). */
export function isJsonSequenceMediaType(mediaType: string): boolean {
  return /[/+]json-seq$/.test(mediaTypeName(mediaType));
}

/** Items one after the other (OpenAPI 3.2, section 4.14.3.1): events, JSON lines, JSON text sequences. */
export function isItemMediaType(mediaType: string): boolean {
  if (mediaType === "application/json") return false;
  const name = mediaTypeName(mediaType);
  return (
    name === "text/event-stream" ||
    name === "application/stream+json" ||
    isJsonLinesMediaType(name) ||
    isJsonSequenceMediaType(name)
  );
}

/** A parameter's value, without quotes; `name` in lower case. `undefined` when the media type has none of that name. */
export function mediaTypeParameter(mediaType: string, name: string): string | undefined {
  for (const [, key = "", quoted, plain] of mediaType.matchAll(
    /;\s*([^\s=;]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g,
  )) {
    if (key.toLowerCase() === name) return quoted?.replace(/\\(.)/g, "$1") ?? plain;
  }
  return undefined;
}

/** True when a media type is in a range: `image/*`, any type, or a type itself; parameters say nothing. */
export function isInRange(mediaType: string, range: string): boolean {
  const type = mediaTypeName(mediaType);
  const wanted = mediaTypeName(range);
  if (wanted === type || wanted === "*/*") return true;
  return wanted.endsWith("/*") && type.startsWith(wanted.slice(0, -1));
}

/** The `accept` header of an operation that answers with these media types: JSON first, anything else at last (RFC 9110 section 12.5.1). */
export function acceptHeader(mediaTypes: readonly string[]): string {
  const json = mediaTypes.filter((type) => isJsonMediaType(type));
  const others = mediaTypes.filter(
    (type) => !isJsonMediaType(type) && /^[\w.+-]+\/[\w.+-]+(?:\s*;.*)?$/.test(type),
  );
  const known = [...new Set([...json, ...others])];
  return known.length === 0 ? "application/json, */*;q=0.8" : `${known.join(", ")}, */*;q=0.1`;
}
