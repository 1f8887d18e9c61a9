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

/** JSON values, one on each line. */
export function isJsonLinesMediaType(mediaType: string): boolean {
  return /\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)$/.test(mediaTypeName(mediaType));
}
