import { parseCookie } from "cookie";

/** The structure of a value, for a reader that needs it. */
export type Shape = "text" | "list" | "object";

/** A parameter of a document, without defaults. */
export interface WireParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly style: string;
  readonly explode: boolean;
  readonly shape: Shape;
}

/** A value as a server reads it: every scalar is text. */
export type WireValue = string | readonly string[] | Readonly<Record<string, string>>;

/** The request line and headers as they arrive. */
export interface WireRequest {
  /** The text in the path for the parameter. */
  readonly segment: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads a parameter back like a server that has the document: written from RFC 6570, RFC 6265 and
 * the tables of OpenAPI 3.2, "Style Examples", without sharing code with the writer. `undefined`:
 * it was not sent.
 *
 * @param others the names of the other parameters in the same place, which no exploded object owns.
 */
export function readParameter(
  parameter: WireParameter,
  request: WireRequest,
  others: readonly string[],
): WireValue | undefined {
  switch (parameter.in) {
    case "header":
      return readHeader(parameter, request.headers[parameter.name.toLowerCase()]);
    case "path":
      return readSegment(parameter, request.segment);
    case "cookie":
      return readPairs(parameter, cookiePairs(parameter, request.headers["cookie"] ?? ""), others);
    case "query":
      return readPairs(parameter, queryPairs(request.query), others);
  }
}

type Pair = readonly [name: string, raw: string];
type Decode = (text: string) => string;

const raw: Decode = (text) => text;

function readHeader(
  { shape, explode }: WireParameter,
  value: string | undefined,
): WireValue | undefined {
  if (value === undefined) return undefined;
  if (shape === "text") return value;
  return fromItems(value.split(","), shape, explode, raw);
}

function readSegment({ name, style, shape, explode }: WireParameter, text: string): WireValue {
  if (style === "simple") {
    return shape === "text"
      ? decodeURIComponent(text)
      : fromItems(text.split(","), shape, explode, decodeURIComponent);
  }
  const first = style === "label" ? "." : ";";
  if (!text.startsWith(first)) throw new Error(`expected ${first} before ${text}`);
  const rest = text.slice(1);
  if (style === "label") {
    if (shape === "text") return decodeURIComponent(rest);
    return fromItems(rest.split(explode ? "." : ","), shape, explode, decodeURIComponent);
  }
  const pairs = rest.split(";").map(splitPair);
  if (explode && shape === "object") return fromPairs(pairs);
  for (const [key] of pairs)
    if (decodeURIComponent(key) !== name) throw new Error(`odd name ${key}`);
  if (explode && shape === "list") return pairs.map(([, value]) => decodeURIComponent(value));
  const [[, value] = ["", ""]] = pairs;
  return shape === "text"
    ? decodeURIComponent(value)
    : fromItems(value.split(","), shape, false, decodeURIComponent);
}

function readPairs(
  { name, style, shape, explode }: WireParameter,
  pairs: readonly Pair[],
  others: readonly string[],
): WireValue | undefined {
  const decode: Decode = style === "cookie" ? raw : decodeURIComponent;
  if (style === "deepObject") {
    const own = pairs
      .map(([key, value]): Pair => [decode(key), value])
      .filter(([key]) => key.startsWith(`${name}[`));
    if (own.length === 0) return undefined;
    return Object.fromEntries(
      own.map(([key, value]) => [key.slice(name.length + 1, -1), decode(value)]),
    );
  }
  if (explode && shape === "object") {
    const own = pairs.filter(([key]) => !others.includes(decode(key)));
    return own.length === 0 ? undefined : fromPairs(own, decode);
  }
  const own = pairs.filter(([key]) => decode(key) === name);
  if (own.length === 0) return undefined;
  if (explode && shape === "list") return own.map(([, value]) => decode(value));
  const [[, value] = ["", ""]] = own;
  if (shape === "text") return decode(value);
  const delimiter = { spaceDelimited: "%20", pipeDelimited: "%7C" }[style] ?? ",";
  return fromItems(value.split(delimiter), shape, false, decode);
}

function queryPairs(query: string): Pair[] {
  return query === "" ? [] : query.split("&").map(splitPair);
}

function cookiePairs({ style, shape, explode }: WireParameter, header: string): Pair[] {
  if (header === "") return [];
  const pairs = header.split("; ").map(splitPair);
  // A server's own reader, if it supports the case: it reads each name once.
  if (shape === "text" && explode && style === "form") {
    const known = parseCookie(header, { decode: raw });
    for (const [name, value] of pairs) {
      if (pairs.filter(([other]) => other === name).length === 1 && known[name] !== value)
        throw new Error(`the cookie ${name} is read as ${known[name]}`);
    }
  }
  return pairs;
}

function fromItems(
  items: readonly string[],
  shape: Shape,
  explode: boolean,
  decode: Decode,
): WireValue {
  if (shape === "list") return items.map(decode);
  if (explode) return fromPairs(items.map(splitPair), decode);
  const members: [string, string][] = [];
  for (let at = 0; at < items.length; at += 2) {
    members.push([decode(items[at] as string), decode(items[at + 1] as string)]);
  }
  return Object.fromEntries(members);
}

function fromPairs(
  pairs: readonly Pair[],
  decode: Decode = decodeURIComponent,
): Record<string, string> {
  return Object.fromEntries(pairs.map(([key, value]) => [decode(key), decode(value)]));
}

function splitPair(text: string): Pair {
  const at = text.indexOf("=");
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
