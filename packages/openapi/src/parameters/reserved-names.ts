import type { OperationDetails, Parameter, ParameterLocation } from "../document/operation.ts";
import { unrepresentableValueError } from "./unrepresentable.ts";
import { visibleText } from "@toolweave/core/adapter";
import { encodeStrict } from "./percent-encode.ts";
import { collectInPlaceSchemas, getRequiredNames } from "../schema/resolve-schema.ts";

/** The names of headers and cookies that the host itself sends. */
export interface HostNames {
  /** Lower-case names of headers. */
  readonly headers: ReadonlySet<string>;
  /** Names of the cookies in the host's own `cookie` header. */
  readonly cookies: readonly string[];
}

/** The names that the model must not choose, by location, in the form of `normalizeName`. */
export interface ReservedNames {
  readonly header: readonly ReadonlySet<string>[];
  readonly query: ReadonlySet<string>;
  readonly cookie: ReadonlySet<string>;
  /** The declared parameters, including those that are not arguments. */
  readonly declared: readonly Parameter[];
}

/** Headers that frame a message or choose its host: only the HTTP client may set them. */
export const framingHeaders: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "proxy-connection",
  "upgrade",
  "te",
  "trailer",
  "expect",
]);

/**
 * Header parameters that a document must not declare (OpenAPI 3.2, "Parameter Object"), that belong to the HTTP client,
 * that are determined elsewhere, or that would override the method.
 */
const forbiddenHeaders: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "authorization",
  "proxy-authorization",
  "cookie",
  ...framingHeaders,
  "accept-encoding",
  // The body is sent without a coding, so such a header would be wrong (RFC 9110 section 8.4).
  "content-encoding",
  "content-transfer-encoding",
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
]);

/**
 * Returns the reserved names of an operation: forbidden headers, the host's headers and cookies, and the locations of
 * its API keys.
 */
export function getReservedNames(details: OperationDetails, host: HostNames): ReservedNames {
  if (host.cookies.length === 0 && !hasApiKey(details)) {
    const header = [forbiddenHeaders, host.headers];
    return { header, query: methodOnly, cookie: none, declared: details.parameters };
  }
  const header = new Set<string>();
  const query = new Set(methodOnly);
  const cookie = new Set(host.cookies.map(normalizeName));
  for (const combination of details.security) {
    for (const { declaration } of combination) {
      if (declaration?.type !== "apiKey" || declaration.name === undefined) continue;
      const { name, in: place = "header" } = declaration;
      if (place === "header") header.add(name.toLowerCase());
      else (place === "query" ? query : cookie).add(normalizeName(name));
    }
  }
  return {
    header: [forbiddenHeaders, host.headers, header],
    query,
    cookie,
    declared: details.parameters,
  };
}

/** Fields of a query or a form that would override the method. */
export const methodOnly: ReadonlySet<string> = new Set(["_method"]);
const none: ReadonlySet<string> = new Set();

function hasApiKey({ security }: OperationDetails): boolean {
  for (const combination of security) {
    for (const { declaration } of combination) if (declaration?.type === "apiKey") return true;
  }
  return false;
}

/** Returns true for a parameter that the model must not pass. */
export function isReserved({ name, in: location }: Parameter, reserved: ReservedNames): boolean {
  if (location === "header") {
    const lower = name.trim().toLowerCase();
    // Gateways pass both on as one variable (RFC 3875 section 4.1.18).
    const dashed = lower.replaceAll("_", "-");
    return reserved.header.some((names) => names.has(lower) || names.has(dashed));
  }
  return getReservedAt(location, reserved)?.has(normalizeName(name)) ?? false;
}

const methodHeaders = new Set(["x-http-method", "x-http-method-override", "x-method-override"]);

/**
 * Formats the warning about a reserved parameter that nothing else supplies. `undefined`: the host sends it, or it is a
 * credential of the operation.
 */
export function describeReserved(
  { name, in: location, required }: Parameter,
  { header }: ReservedNames,
): string | undefined {
  const lower = name.trim().toLowerCase().replaceAll("_", "-");
  const [, ...supplied] = header;
  if (location === "header" && supplied.some((names) => names.has(lower))) return undefined;
  if (location !== "header" && !methodOnly.has(normalizeName(name))) return undefined;
  const written = JSON.stringify(visibleText(name).slice(0, 40));
  const what = `Its ${required ? "required " : ""}${location} parameter ${written} is not an argument`;
  if (location !== "header" || methodHeaders.has(lower)) {
    const remedy = location === "header" ? " If the API needs it, set it in `headers`." : "";
    return `${what} and is not sent, because it would override the method that is approved.${remedy}`;
  }
  if (framingHeaders.has(lower) || lower === "accept-encoding") {
    return `${what}: the HTTP client sets it.`;
  }
  return `${what} and is not sent, because the request sets such headers itself. If the API needs it, set it in \`headers\`.`;
}

/** Returns the keys that an exploded object must not have: reserved names, and other parameters. */
export function getReservedKeys(
  parameter: Parameter,
  reserved: ReservedNames,
): ReadonlySet<string> | undefined {
  const names = getReservedAt(parameter.in, reserved);
  if (names === undefined) return undefined;
  const others = reserved.declared.filter(
    (other) => other.name !== parameter.name && other.in === parameter.in,
  );
  return new Set([...names, ...others.map(({ name }) => name.toLowerCase())]);
}

/**
 * Returns the names that the keys of an exploded field of a form must not have: reserved names, and the other fields.
 *
 * @param fields all fields that the form declares.
 */
export function getOtherFields(fields: Iterable<string>, own: string): ReadonlySet<string> {
  const others = new Set(methodOnly);
  for (const field of fields) others.add(field.toLowerCase());
  others.delete(own.toLowerCase());
  return others;
}

function getReservedAt(
  location: ParameterLocation,
  { query, cookie }: ReservedNames,
): ReadonlySet<string> | undefined {
  if (location === "cookie") return cookie;
  return location === "query" || location === "querystring" ? query : undefined;
}

/** Returns true if a server could interpret an encoded key as a reserved name. */
export function mayMeanReserved(key: string, reserved: ReadonlySet<string>): boolean {
  const decoded = decodeName(key).split("=", 1)[0] as string;
  return reserved.has(decoded.toLowerCase()) || reserved.has(normalizeName(decoded));
}

/**
 * Normalizes names that servers treat as equal: some servers ignore case, truncate at a bracket or a NUL, or replace a
 * dot, a space or a single bracket by an underscore.
 */
function normalizeName(name: string): string {
  if (/^[a-z0-9_-]*$/.test(name)) return name;
  const text = name.split("\u0000", 1)[0]?.trim() ?? "";
  const open = text.indexOf("[", 1);
  const whole = open > 0 && text.includes("]", open) ? text.slice(0, open) : text;
  return whole.replace(/[. [+]/g, "_").toLowerCase();
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Refuses a key, encoded as it is sent, that the model must not choose. */
export type ReservedKeyCheck = (key: string) => void;

/**
 * Creates a check that refuses keys which a server could interpret as reserved names.
 *
 * @param argument the argument's name, for errors.
 */
export function createReservedKeyCheck(
  argument: string,
  reserved: ReadonlySet<string>,
): ReservedKeyCheck {
  return (key) => {
    if (!mayMeanReserved(key, reserved)) return;
    throw unrepresentableValueError(
      argument,
      `must not contain the key ${JSON.stringify(key.slice(0, 100))}: that name has another meaning in this request. Remove it.`,
    );
  };
}

/** Returns the host's headers by lower-case name. */
export function toLowerCaseNames(
  headers: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** Returns the names of the cookies in a `cookie` header. */
export function parseCookieNames({ cookie = "" }: Readonly<Record<string, string>>): string[] {
  return cookie.split(";").map((pair) => (pair.split("=", 1)[0] as string).trim());
}

/**
 * Returns the keys of an exploded object that conflict with names of other parameters in the same location, or with
 * reserved names, if every call with the object would be refused: all declared keys, or a required one. Empty: it can
 * be sent. A single conflicting key is refused at the call.
 */
export function findConflictingKeys(
  parameter: Parameter,
  reserved: ReservedNames,
): readonly string[] {
  if (!isExploded(parameter)) return [];
  const { schema, defs } = parameter.schema;
  const keys = new Set(
    collectInPlaceSchemas([schema], defs).flatMap(({ properties }) =>
      Object.keys((properties ?? {}) as object),
    ),
  );
  const names = keys.size === 0 ? undefined : getReservedKeys(parameter, reserved);
  if (names === undefined) return [];
  const clashing = [...keys].filter((key) => mayMeanReserved(toWireKey(parameter, key), names));
  const required = getRequiredNames(schema, defs);
  const isHopeless = clashing.length === keys.size || clashing.some((key) => required.has(key));
  return isHopeless ? clashing : [];
}

/** Returns true for an object whose members each become a separate name. */
function isExploded({ in: place, style, explode, mediaType }: Parameter): boolean {
  if (mediaType !== undefined || (place !== "query" && place !== "cookie")) return false;
  return style === "deepObject" || explode;
}

/** Returns the name of a member on the wire, as the writer encodes it. */
function toWireKey({ name, style }: Parameter, key: string): string {
  return style === "deepObject"
    ? `${encodeStrict(name)}%5B${encodeStrict(key)}%5D`
    : encodeStrict(key);
}

/** Formats the warning about a parameter that is omitted. */
export function formatConflict({ name }: Parameter, clashing: readonly string[]): string {
  const keys = clashing.map((key) => JSON.stringify(visibleText(key).slice(0, 40)));
  const whose = JSON.stringify(visibleText(name).slice(0, 40));
  return `The keys ${keys.slice(0, 5).join(", ")} of its parameter ${whose} would be sent under the names of other parameters: it is omitted.`;
}
