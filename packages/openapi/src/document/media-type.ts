import { getMediaTypeName, isJsonMediaType, isReadableMediaType } from "@toolweave/core/adapter";
import { parseFieldValue } from "@toolweave/http/fields";

/**
 * Returns true for a media type that is known to be binary, or a range such as `image/*`. A string in a schema (`type:
 * string`) under any other type is sent as text (OpenAPI 3.1.1, "Encoding Object").
 */
export function isBinaryMediaType(mediaType: string): boolean {
  const name = getMediaTypeName(mediaType);
  if (isReadableMediaType(name)) return false;
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

/** Matches types of JSON values, one on each line. */
export function isJsonLinesMediaType(mediaType: string): boolean {
  return /\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)$/.test(getMediaTypeName(mediaType));
}

/**
 * Matches types of JSON values with a record separator before each: `application/json-seq` and every `+json-seq` type
 * (RFC 7464, RFC 8091).
 */
export function isJsonSequenceMediaType(mediaType: string): boolean {
  return /[/+]json-seq$/.test(getMediaTypeName(mediaType));
}

/** Matches sequential types (OpenAPI 3.2, section 4.14.3.1): events, JSON lines, JSON text sequences. */
export function isItemMediaType(mediaType: string): boolean {
  if (mediaType === "application/json") return false;
  const name = getMediaTypeName(mediaType);
  return (
    name === "text/event-stream" ||
    name === "application/stream+json" ||
    isJsonLinesMediaType(name) ||
    isJsonSequenceMediaType(name)
  );
}

/** Returns a parameter of a media type; `name` in lower case. `undefined` if the media type does not have it. */
export function getMediaTypeParameter(mediaType: string, name: string): string | undefined {
  return parseFieldValue(mediaType).parameters.get(name);
}

/** Returns true if a media type is in a range: `image/*`, any type, or the type itself; parameters are ignored. */
export function isInRange(mediaType: string, range: string): boolean {
  const type = getMediaTypeName(mediaType);
  const wanted = getMediaTypeName(range);
  if (wanted === type || wanted === "*/*") return true;
  return wanted.endsWith("/*") && type.startsWith(wanted.slice(0, -1));
}

/**
 * Creates the `accept` header of an operation that answers with these media types: JSON first, any other type last (RFC
 * 9110 section 12.5.1).
 */
export function toAcceptHeader(mediaTypes: readonly string[]): string {
  const json = mediaTypes.filter((type) => isJsonMediaType(type));
  const others = mediaTypes.filter(
    (type) => !isJsonMediaType(type) && /^[\w.+-]+\/[\w.+-]+(?:\s*;.*)?$/.test(type),
  );
  const known = [...new Set([...json, ...others])];
  return known.length === 0 ? "application/json, */*;q=0.8" : `${known.join(", ")}, */*;q=0.1`;
}
