import type { JsonObject, JsonSchema } from "@toolweave/core";
import { describingKeywords, subschemas } from "@toolweave/core/adapter";

// A separate file, because the code that lists tools imports it and must not load the SDK.

/** Text that a header can carry unencoded: visible ASCII with inner spaces and tabs. */
const plain = /^[!-~](?:[\t -~]*[!-~])?$/;

/** Text that looks encoded already. */
const encoded = /^=\?base64\?.*\?=$/s;

/**
 * Encodes a text as the value of a header (2026-07-28, Transports, Value Encoding): unchanged, or its UTF-8 in
 * Base64.
 */
export function encodeHeaderValue(text: string): string {
  if (plain.test(text) && !encoded.test(text)) return text;
  return `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}

/** An argument that is also sent in a header. */
interface HeaderParameter {
  readonly path: readonly string[];
  /** `mcp-param-region` */
  readonly header: string;
}

/** Headers that a tool's `x-mcp-header` annotations ask for (2026-07-28, Tools, `x-mcp-header`). */
export interface ParameterHeaders {
  /** Reason why the tool must not be listed: its annotations are invalid. */
  readonly fault?: string;
  /** Paths of arguments with secrets: they are not sent in headers, whatever the annotations ask for. */
  readonly withheld: readonly string[];
  /** Returns the headers of one call; `undefined`: none. */
  from(args: JsonObject): Record<string, string> | undefined;
}

const annotation = "x-mcp-header";

/** Limits above those of any accepted schema: see the budgets of `schema/`. */
const maxLevels = 100;
const maxParts = 100_000;

// RFC 9110, section 5.6.2.
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Headers that proxies treat as credentials. */
const credentials = /^(?:proxy-)?(?:authorization|authenticate)$|^(?:set-)?cookie2?$/i;

const permitted: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

const none: ParameterHeaders = { withheld: [], from: () => undefined };

/**
 * Reads the `x-mcp-header` annotations of an input schema. A tool with a `fault` is not listed on an HTTP connection
 * of the newer protocol. For others, the result of `from` is passed as `RequestOptions.headers` of `tools/call`.
 */
export function parameterHeaders(inputSchema: JsonSchema): ParameterHeaders {
  const found = new Map<string, HeaderParameter>();
  const withheld: string[] = [];
  const secrets = secretsIn(inputSchema);
  const places: Place[] = [
    { schema: inputSchema, path: [], isReachable: false, isSecret: false, level: 0 },
  ];
  for (let seen = 0; seen < places.length && seen < maxParts; seen++) {
    const place = places[seen] as Place;
    const { schema } = place;
    if (Object.hasOwn(schema, annotation)) {
      const fault = findFault(place, found);
      if (fault !== undefined) return { ...none, fault };
      const header = schema[annotation] as string;
      found.set(header.toLowerCase(), {
        path: place.path,
        header: `mcp-param-${header.toLowerCase()}`,
      });
      if (
        secrets === "anywhere" ||
        (secrets === "marked" && (place.isSecret || isMarked(schema)))
      ) {
        withheld.push(place.path.join("."));
      }
    }
    if (place.level < maxLevels) places.push(...listParts(place));
  }
  const hidden = new Set(withheld);
  const sent = [...found.values()].filter(({ path }) => !hidden.has(path.join(".")));
  if (sent.length === 0) return { withheld, from: none.from };
  return { withheld, from: (args) => toHeaders(sent, args) };
}

interface Place {
  readonly schema: JsonObject;
  readonly path: readonly string[];
  /** Reached through `properties` only. */
  readonly isReachable: boolean;
  /** Part of a secret value. */
  readonly isSecret: boolean;
  readonly level: number;
}

function findFault(place: Place, found: ReadonlyMap<string, HeaderParameter>): string | undefined {
  const { schema, path, isReachable } = place;
  const name = schema[annotation];
  const where = path.length === 0 ? "the schema itself" : `"${path.join(".")}"`;
  if (!isReachable)
    return `${where} has an ${annotation}, which is allowed on properties of objects only`;
  if (typeof name !== "string" || !token.test(name)) {
    return `the ${annotation} of ${where} is not a valid header name`;
  }
  if (credentials.test(name)) return `the ${annotation} of ${where} is "${name}", a credential`;
  if (!permitted.has(schema["type"])) {
    return `the ${annotation} of ${where} is not on a string, an integer or a boolean`;
  }
  if (found.has(name.toLowerCase())) return `two properties have the ${annotation} "${name}"`;
  return undefined;
}

function* listParts(place: Place): Generator<Place> {
  const { schema, path, isReachable, level } = place;
  const isInProperties = level === 0 || isReachable;
  const isSecret = place.isSecret || isMarked(schema);
  // Unknown keywords too: an annotation is allowed on properties only.
  for (const [part, [keyword, key]] of subschemas(schema, true)) {
    if (typeof part === "boolean") continue;
    const next = { path: [...path, typeof key === "string" ? key : keyword], level: level + 1 };
    yield {
      ...next,
      schema: part,
      isReachable: keyword === "properties" && isInProperties,
      isSecret,
    };
  }
}

/** The schema describes one value in several places: which of them has a secret is not determined. */
const ambiguous: RegExp = new RegExp(
  `"(?:\\$ref|\\$dynamicRef|${describingKeywords.join("|")}|patternProperties)":`,
);

/**
 * Finds out where a schema has secrets, by the marks that core knows: headers are visible to proxies. If the schema
 * has references or alternatives beside the marks, any property may be secret.
 */
function secretsIn(schema: JsonSchema): "nowhere" | "marked" | "anywhere" {
  const json = JSON.stringify(schema);
  if (!/"(?:writeOnly|x-secret)":true|"format":"password"/.test(json)) return "nowhere";
  return ambiguous.test(json) ? "anywhere" : "marked";
}

function isMarked(schema: JsonObject): boolean {
  const { writeOnly, format } = schema;
  return writeOnly === true || schema["x-secret"] === true || format === "password";
}

function toHeaders(
  parameters: readonly HeaderParameter[],
  args: JsonObject,
): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const { path, header } of parameters) {
    const text = toHeaderText(valueAt(args, path));
    if (text !== undefined) headers[header] = encodeHeaderValue(text);
  }
  return headers;
}

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

function toHeaderText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (Number.isSafeInteger(value)) return String(value);
  return undefined;
}
