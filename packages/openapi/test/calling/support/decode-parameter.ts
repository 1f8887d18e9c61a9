import type { JsonValue } from "@toolweave/core";
import type { Parameter } from "../../../src/document/operation.ts";

/** What a parameter's value is, for a decoder that has to know. */
export type Shape = "text" | "list" | "object";

/**
 * Reads a parameter back from its text, as a server would: written against RFC 6570 and the table "Style Examples", and
 * sharing nothing with the writers.
 */
export function decodeParameter(parameter: Parameter, shape: Shape, wire: string): JsonValue {
  const { in: location, style, explode, name } = parameter;
  if (location === "header")
    return fromList(wire.split(","), shape, explode, (text) =>
      Buffer.from(text, "latin1").toString(),
    );
  switch (style) {
    case "simple":
      return fromList(wire.split(","), shape, explode, decodeURIComponent);
    case "label":
      return fromList(
        expectPrefix(wire, ".").split(explode ? "." : ","),
        shape,
        explode,
        decodeURIComponent,
      );
    case "matrix":
      return fromPairs(expectPrefix(wire, ";").split(";"), name, shape, explode, ",");
    case "deepObject":
      return Object.fromEntries(
        wire.split("&").map((pair) => {
          const [key, value] = splitPair(pair);
          return [key.slice(name.length + 1, -1), value];
        }),
      );
    case "spaceDelimited":
      return fromPairs(wire.split("&"), name, shape, explode, "%20");
    case "pipeDelimited":
      return fromPairs(wire.split("&"), name, shape, explode, "%7C");
    default:
      return fromPairs(wire.split(location === "cookie" ? "; " : "&"), name, shape, explode, ",");
  }
}

type Decode = (text: string) => string;

function fromPairs(
  pairs: readonly string[],
  name: string,
  shape: Shape,
  explode: boolean,
  delimiter: string,
): JsonValue {
  if (shape === "object" && explode) return Object.fromEntries(pairs.map(splitPair));
  if (shape === "list" && explode) return pairs.map((pair) => named(pair, name));
  const [pair = ""] = pairs;
  if (shape === "text") return named(pair, name);
  const raw = pair.includes("=") ? pair.slice(pair.indexOf("=") + 1) : "";
  return fromList(raw.split(delimiter), shape, false, decodeURIComponent);
}

function fromList(
  items: readonly string[],
  shape: Shape,
  explode: boolean,
  decode: Decode,
): JsonValue {
  if (shape === "text") return decode(items.join(","));
  if (shape === "list") return items.map(decode);
  const members: [string, string][] = [];
  if (explode) {
    for (const item of items) {
      const at = item.indexOf("=");
      members.push([decode(item.slice(0, at)), decode(item.slice(at + 1))]);
    }
  } else {
    for (let index = 0; index < items.length; index += 2) {
      members.push([decode(items[index] as string), decode(items[index + 1] as string)]);
    }
  }
  return Object.fromEntries(members);
}

function named(pair: string, name: string): string {
  const [key, value] = splitPair(pair);
  if (key !== name) throw new Error(`expected ${name}, got ${key}`);
  return value;
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf("=");
  const key = at === -1 ? pair : pair.slice(0, at);
  return [decodeURIComponent(key), at === -1 ? "" : decodeURIComponent(pair.slice(at + 1))];
}

function expectPrefix(wire: string, prefix: string): string {
  if (!wire.startsWith(prefix)) throw new Error(`expected ${prefix} before ${wire}`);
  return wire.slice(1);
}
