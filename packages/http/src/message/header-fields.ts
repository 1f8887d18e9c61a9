/** A value and its parameters (RFC 9110, section 5.6.6): a media type, a disposition, the target of a link. */
export interface FieldValue {
  readonly value: string;
  /** By name in lower case, without quotes and escapes; the first of a name counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** One challenge of a `WWW-Authenticate` header (RFC 9110, section 11.6.1). */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** By name in lower case, without quotes and escapes; the first of a name counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

const name = /[^\s=;,"]+/y;
const equals = /[ \t]*=[ \t]*/y;
/** Section 5.6.4. If the closing quote is missing, the rest of the field is the value (RFC 8288, appendix B.4). */
const quoted = /"([^"\\]*(?:\\[^][^"\\]*)*)(?:"|\\?$)/y;
const listGap = /[ \t,]*/y;
const parameterGap = /[ \t]*;[ \t;]*/y;
/** The value that a scheme may carry instead of parameters. */
const token68 = /[ \t]+[A-Za-z0-9\-._~+/]+=*[ \t]*(?=,|$)/y;

/** The characters of a value without quotes: in a field with one value, in a list of links, in a list of parameters. */
const bare = { single: /[^;]*/y, list: /[^;,]*/y, token: /[^\s,"]+/y } as const;
/** Unexpected characters up to the next parameter; a quoted string among them is skipped as a whole. */
const junk = { single: /[^;"]+/y, list: /[^;,"]+/y } as const;

/** Reads a header field from left to right. */
class FieldReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at = pattern.lastIndex;
    return match;
  }

  /** Takes the value after an equals sign. */
  takeValue(plain: RegExp): string | undefined {
    const string = this.take(quoted)?.[1];
    return string?.replace(/\\([^])/g, "$1") ?? this.take(plain)?.[0].trimEnd();
  }

  /** Takes the parameters of a value, up to the end, or up to the next value of a list. */
  takeParameters(kind: "single" | "list"): ReadonlyMap<string, string> {
    const parameters = new Map<string, string>();
    for (;;) {
      while (this.take(junk[kind]) !== null || this.take(quoted) !== null);
      if (this.take(parameterGap) === null) return parameters;
      const key = this.take(name)?.[0].toLowerCase();
      if (key === undefined) continue;
      const value = this.take(equals) === null ? "" : (this.takeValue(bare[kind]) ?? "");
      if (!parameters.has(key)) parameters.set(key, value);
    }
  }
}

/** Parses a field with one value and its parameters: `Content-Type`, `Content-Disposition`. */
export function parseFieldValue(field: string): FieldValue {
  const reader = new FieldReader(field);
  const value = reader.take(bare.single)?.[0].trim() ?? "";
  return { value, parameters: reader.takeParameters("single") };
}

/** Formats a value with its parameters; a value that is no token is quoted. The inverse of `parseFieldValue`. */
export function formatFieldValue({ value, parameters }: FieldValue): string {
  const formatted = Array.from(parameters, ([key, text]) =>
    /^[!#$%&'*+.^_`|~\w-]+$/.test(text)
      ? `; ${key}=${text}`
      : `; ${key}="${text.replace(/["\\]/g, "\\$&")}"`,
  );
  return value + formatted.join("");
}

/** Parses a `Link` field (RFC 8288, section 3): the targets as written, with their parameters. */
export function parseLinks(field: string): readonly FieldValue[] {
  const links: FieldValue[] = [];
  const reader = new FieldReader(field);
  while (!reader.isAtEnd) {
    reader.take(listGap);
    const target = reader.take(/<([^>]*)>/y)?.[1];
    const parameters = reader.takeParameters("list");
    if (target !== undefined) links.push({ value: target.trim(), parameters });
  }
  return links;
}

/** Parses a list of directives, such as `Cache-Control` (RFC 9111, section 5.2), by name in lower case. */
export function parseDirectives(field: string): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  const reader = new FieldReader(field);
  while (!reader.isAtEnd) {
    reader.take(listGap);
    const key = reader.take(name)?.[0].toLowerCase();
    const value = reader.take(equals) === null ? "" : (reader.takeValue(bare.token) ?? "");
    if (key !== undefined && !directives.has(key)) directives.set(key, value);
    reader.takeParameters("list");
  }
  return directives;
}

/**
 * Parses the challenges in a header's values, in their order; one value may contain several. If a part is unreadable,
 * the rest of its value is ignored.
 */
export function parseChallenges(values: string | readonly string[]): readonly Challenge[] {
  return (typeof values === "string" ? [values] : values).flatMap(parseChallengeList);
}

function parseChallengeList(field: string): readonly Challenge[] {
  const challenges: Challenge[] = [];
  let parameters = new Map<string, string>();
  const reader = new FieldReader(field);
  for (;;) {
    reader.take(listGap);
    const key = reader.take(name)?.[0].toLowerCase();
    if (key === undefined) return challenges;
    if (challenges.length > 0 && reader.take(equals) !== null) {
      const value = reader.takeValue(bare.token);
      if (value === undefined) return challenges;
      if (!parameters.has(key)) parameters.set(key, value);
    } else {
      parameters = new Map();
      challenges.push({ scheme: key, parameters });
      reader.take(token68);
    }
  }
}

/** Returns a parameter as text: its extended form (`name*`, RFC 8187) if that can be decoded, else the plain one. */
export function getTextParameter(
  parameters: ReadonlyMap<string, string>,
  parameter: string,
): string | undefined {
  return decodeExtended(parameters.get(`${parameter}*`)) ?? parameters.get(parameter);
}

/** Decodes an extended value: a charset, a language, and percent-encoded bytes (RFC 8187, section 3.2). */
function decodeExtended(value: string | undefined): string | undefined {
  const [, charset, encoded] = /^([^']*)'[^']*'([^]*)$/.exec(value ?? "") ?? [];
  if (charset === undefined || encoded === undefined) return undefined;
  const bytes = encoded.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  try {
    return new TextDecoder(charset, { fatal: true }).decode(Buffer.from(bytes, "latin1"));
  } catch {
    return undefined;
  }
}
