const leftByEncodeUri = /[!'()*]/g;

/**
 * Percent-encodes everything but RFC 3986's unreserved characters, as UTF-8 (RFC 6570 section 3.2.2).
 * Throws `URIError` for half a surrogate pair.
 */
export function encodeStrict(text: string): string {
  const encoded = encodeURIComponent(text);
  return encoded.replace(leftByEncodeUri, percent);
}

const leftByFormEncoding = /[!'()~]|%20/g;

/**
 * Percent-encodes as `application/x-www-form-urlencoded` has it, with `+` for a space (WHATWG URL section 5.2).
 * Throws `URIError` for half a surrogate pair.
 */
export function encodeFormText(text: string): string {
  return encodeURIComponent(text).replace(leftByFormEncoding, (found) =>
    found === "%20" ? "+" : percent(found),
  );
}

const notReserved = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?@!$()*,;=]/gu;

/**
 * Percent-encodes for `allowReserved` in a query (RFC 6570 section 3.2.3): reserved characters and
 * percent-encoded triples pass. What would end the value or the query (`&`, `#`), what a query cannot hold (`[`, `]`)
 * and what a form decoder takes for a space (`+`) is encoded all the same, as OpenAPI 3.1.1, "Parameter Object",
 * asks of applications; and `'`, which a URL parser encodes in a query (WHATWG URL section 1.3).
 */
export function encodeReservedInQuery(text: string): string {
  return text.replace(notReserved, encodeUnlessTriple);
}

const notInPathSegment = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:@!$&'()*+,;=]/gu;

/** The same within one path segment: `/`, `?`, `#`, `[` and `]` are encoded (OpenAPI 3.2, "Parameter Object"). */
export function encodeReservedInPath(text: string): string {
  return text.replace(notInPathSegment, encodeUnlessTriple);
}

const notInCookie = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+=]/gu;

/** The same within the value of a cookie: `,` and `;`, which no cookie can hold, are encoded (RFC 6265 section 4.1.1). */
export function encodeReservedInCookie(text: string): string {
  return text.replace(notInCookie, encodeUnlessTriple);
}

const notInPathTemplate = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/@!$&'()*+,;=]/gu;

/** Encodes what a document wrote into a path but a path cannot hold; what is encoded already stays. */
export function encodeTemplateText(text: string): string {
  return text.replace(notInPathTemplate, encodeUnlessTriple);
}

function encodeUnlessTriple(found: string): string {
  return found.length === 3 && found.startsWith("%") ? found : encodeStrict(found);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
