const unreserved = /^[\w.~-]*$/;
const leftByEncodeUri = /[!'()*]/g;

/**
 * Percent-encodes everything except RFC 3986's unreserved characters, as UTF-8 (RFC 6570 section 3.2.2). Throws
 * `URIError` for an unpaired surrogate.
 */
export function encodeStrict(text: string): string {
  // Most values are numbers and words.
  if (unreserved.test(text)) return text;
  return encodeURIComponent(text).replace(leftByEncodeUri, percent);
}

const leftByFormEncoding = /[!'()~]|%20/g;

/**
 * Percent-encodes as in `application/x-www-form-urlencoded`, with `+` for a space (WHATWG URL section 5.2). Throws
 * `URIError` for an unpaired surrogate.
 */
export function encodeFormText(text: string): string {
  return encodeURIComponent(text).replace(leftByFormEncoding, (found) =>
    found === "%20" ? "+" : percent(found),
  );
}

const notReserved = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?@!$()*,;=]/gu;

/**
 * Percent-encodes for `allowReserved` in a query (RFC 6570 section 3.2.3): reserved characters and percent-encoded
 * triples are preserved. Characters that would end the value or the query (`&`, `#`), that a query cannot contain (`[`,
 * `]`), or that a form decoder reads as a space (`+`) are encoded nevertheless, as OpenAPI 3.1.1, "Parameter Object",
 * requires of applications; and `'`, which a URL parser encodes in a query (WHATWG URL section 1.3).
 */
export function encodeReservedInQuery(text: string): string {
  return text.replace(notReserved, encodeUnlessTriple);
}

const notInPathSegment = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:@!$&'()*+,;=]/gu;

/** Same within one path segment: `/`, `?`, `#`, `[` and `]` are encoded (OpenAPI 3.2, "Parameter Object"). */
export function encodeReservedInPath(text: string): string {
  return text.replace(notInPathSegment, encodeUnlessTriple);
}

const notInCookie = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+=]/gu;

/**
 * Same within the value of a cookie: `,` and `;`, which no cookie can contain, are encoded (RFC 6265 section 4.1.1).
 */
export function encodeReservedInCookie(text: string): string {
  return text.replace(notInCookie, encodeUnlessTriple);
}

const notInPathTemplate = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/@!$&'()*+,;=]/gu;

/** Encodes the characters of a document's path that a path cannot contain; encoded ones are preserved. */
export function encodeTemplateText(text: string): string {
  return text.replace(notInPathTemplate, encodeUnlessTriple);
}

function encodeUnlessTriple(found: string): string {
  return found.length === 3 && found.startsWith("%") ? found : encodeStrict(found);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
