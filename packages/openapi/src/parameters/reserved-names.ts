import type { OperationDetails, Parameter, ParameterLocation } from "../document/operation.ts";
import { framingHeaders } from "./host-headers.ts";

/** What the host sends itself. */
export interface HostNames {
  /** Lower-case names of headers. */
  readonly headers: ReadonlySet<string>;
  /** Names of the cookies in a header `cookie` of the host's. */
  readonly cookies: readonly string[];
}

/** The names that are not the model's to choose, by place, as `comparableName` writes them. */
export interface ReservedNames {
  readonly header: readonly ReadonlySet<string>[];
  readonly query: ReadonlySet<string>;
  readonly cookie: ReadonlySet<string>;
  /** What the document declares, be it an argument or not. */
  readonly declared: readonly Parameter[];
}

/** Header parameters that a document must not declare (OpenAPI 3.2, "Parameter Object"), that belong to the HTTP client, that carry what is chosen elsewhere, or that would turn one method into another. */
const forbiddenHeaders: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "authorization",
  "proxy-authorization",
  "cookie",
  ...framingHeaders,
  "accept-encoding",
  // The body is sent as it is: a coding that a header claims would be untrue (RFC 9110 section 8.4).
  "content-encoding",
  "content-transfer-encoding",
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
]);

/** What nobody chooses, what the host sends, and the places of the operation's API keys. */
export function reservedNames(details: OperationDetails, host: HostNames): ReservedNames {
  if (host.cookies.length === 0 && !hasApiKey(details)) {
    const header = [forbiddenHeaders, host.headers];
    return { header, query: methodOnly, cookie: none, declared: details.parameters };
  }
  const header = new Set<string>();
  const query = new Set(methodOnly);
  const cookie = new Set(host.cookies.map(comparableName));
  for (const combination of details.security) {
    for (const { declaration } of combination) {
      if (declaration?.type !== "apiKey" || declaration.name === undefined) continue;
      const { name, in: place = "header" } = declaration;
      if (place === "header") header.add(name.toLowerCase());
      else (place === "query" ? query : cookie).add(comparableName(name));
    }
  }
  return {
    header: [forbiddenHeaders, host.headers, header],
    query,
    cookie,
    declared: details.parameters,
  };
}

/** Fields of a query or a form that would turn one method into another. */
export const methodOnly: ReadonlySet<string> = new Set(["_method"]);
const none: ReadonlySet<string> = new Set();

function hasApiKey({ security }: OperationDetails): boolean {
  for (const combination of security) {
    for (const { declaration } of combination) if (declaration?.type === "apiKey") return true;
  }
  return false;
}

/** True for a parameter that the model must not pass. */
export function isReserved({ name, in: location }: Parameter, reserved: ReservedNames): boolean {
  if (location === "header") {
    const lower = name.trim().toLowerCase();
    // Gateways pass both on as one variable (RFC 3875 section 4.1.18).
    const dashed = lower.replaceAll("_", "-");
    return reserved.header.some((names) => names.has(lower) || names.has(dashed));
  }
  return reservedAt(location, reserved)?.has(comparableName(name)) ?? false;
}

/** The keys that an object must not have when each becomes a name of its own: what is reserved, and other parameters. */
export function reservedKeys(
  parameter: Parameter,
  reserved: ReservedNames,
): ReadonlySet<string> | undefined {
  const names = reservedAt(parameter.in, reserved);
  if (names === undefined) return undefined;
  const others = reserved.declared.filter(
    (other) => other.name !== parameter.name && other.in === parameter.in,
  );
  return new Set([...names, ...others.map(({ name }) => name.toLowerCase())]);
}

/**
 * The names that the keys of one field of a form must not stand for, when each becomes a field of its own: what is
 * reserved, and the other fields.
 *
 * @param fields all that the form declares.
 */
export function otherFields(fields: Iterable<string>, own: string): ReadonlySet<string> {
  const others = new Set(methodOnly);
  for (const field of fields) others.add(field.toLowerCase());
  others.delete(own.toLowerCase());
  return others;
}

function reservedAt(
  location: ParameterLocation,
  { query, cookie }: ReservedNames,
): ReadonlySet<string> | undefined {
  if (location === "cookie") return cookie;
  return location === "query" || location === "querystring" ? query : undefined;
}

/** True when a server could take an encoded key for a reserved name. */
export function meansReserved(key: string, reserved: ReadonlySet<string>): boolean {
  const decoded = decodedName(key).split("=", 1)[0] as string;
  return reserved.has(decoded.toLowerCase()) || reserved.has(comparableName(decoded));
}

/**
 * One form for all names that servers take for the same: some ignore case, cut at a bracket or a NUL, or write an
 * underscore for a dot, a space or a lone bracket.
 */
function comparableName(name: string): string {
  if (/^[a-z0-9_-]*$/.test(name)) return name;
  const text = name.split("\u0000", 1)[0]?.trim() ?? "";
  const open = text.indexOf("[", 1);
  const whole = open > 0 && text.includes("]", open) ? text.slice(0, open) : text;
  return whole.replace(/[. [+]/g, "_").toLowerCase();
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
