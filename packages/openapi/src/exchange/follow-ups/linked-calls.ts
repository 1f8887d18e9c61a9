import { setOwn } from "../../document/record.ts";
import type { JsonObject, JsonValue } from "@toolweave/core";
import type { ArgumentLayout } from "../../arguments/argument-layout.ts";
import { decodeFragment, exactDigits, parsePointer, resolvePointer } from "@toolweave/core/adapter";

/** The operation to which a link leads. */
export interface LinkTarget {
  /** The name of its tool. */
  readonly name: string;
  readonly layout: ArgumentLayout;
}

/**
 * Finds the operation that a Link Object names by `operationId` or `operationRef`; `undefined`: it is not a tool of
 * this source.
 */
export type FindLinked = (link: JsonObject) => LinkTarget | undefined;

/** A call that a link of the answer proposes. */
export type LinkedCall = {
  readonly link: string;
  readonly tool: string;
  readonly arguments: JsonObject;
};

const maxLinks = 20;
/** Maximum number of declared links that are examined: each is searched among all operations. */
const maxExamined = 100;

/**
 * Returns the calls that the links of an answer propose (OpenAPI 3.2, section 4.20, "Link Object"). A link is omitted
 * if it leads to no tool, if it names a parameter that is not an argument, or if a value to which it refers is missing.
 */
export function findLinkedCalls(
  links: ReadonlyMap<string, JsonObject>,
  facts: ExchangeFacts,
  find: FindLinked,
): readonly LinkedCall[] {
  const calls: LinkedCall[] = [];
  let examined = 0;
  for (const [link, declared] of links) {
    if (calls.length === maxLinks || ++examined > maxExamined) break;
    const target = find(declared);
    const args = target === undefined ? undefined : toLinkArguments(declared, facts, target.layout);
    if (target !== undefined && args !== undefined) {
      calls.push({ link, tool: target.name, arguments: args });
    }
  }
  return calls;
}

function toLinkArguments(
  { parameters = {}, requestBody }: JsonObject,
  facts: ExchangeFacts,
  layout: ArgumentLayout,
): JsonObject | undefined {
  const args: Record<string, JsonValue> = {};
  if (typeof parameters !== "object" || parameters === null) return undefined;
  for (const [name, said] of Object.entries(parameters as JsonObject)) {
    const argument = findArgument(name, layout);
    const value = evaluateLinkValue(said, facts);
    if (argument === undefined || value === undefined) return undefined;
    setOwn(args, argument, value);
  }
  if (requestBody === undefined) return args;
  const body = evaluateLinkValue(requestBody, facts);
  return body === undefined || layout.body === undefined
    ? undefined
    : { ...args, ...toBodyArguments(body, layout.body) };
}

function findArgument(given: string, { parameters }: ArgumentLayout): string | undefined {
  // If several locations have the name, a prefix names the location.
  const [, location, name = given] = /^(path|query|header|cookie)\.(.+)$/s.exec(given) ?? [];
  const named = (wanted: string, place?: string): string | undefined =>
    parameters.find(
      ({ parameter }) => parameter.name === wanted && (place ?? parameter.in) === parameter.in,
    )?.argument;
  return named(name, location) ?? named(given);
}

function toBodyArguments(
  body: JsonValue,
  { properties, argument }: NonNullable<ArgumentLayout["body"]>,
): JsonObject {
  if (properties === undefined) return { [argument]: body };
  if (typeof body !== "object" || body === null || Array.isArray(body)) return {};
  return Object.fromEntries(
    properties
      .filter(({ property }) => Object.hasOwn(body, property))
      .map((place) => [place.argument, (body as JsonObject)[place.property] as JsonValue]),
  );
}

/** Returns the value that a call sent for a parameter. */
export function getSentParameter(
  args: JsonObject,
  { parameters }: ArgumentLayout,
  location: string,
  name: string,
): JsonValue | undefined {
  const isHeader = location === "header";
  const found = parameters.find(
    ({ parameter }) =>
      parameter.in === location &&
      (isHeader ? parameter.name.toLowerCase() === name.toLowerCase() : parameter.name === name),
  );
  return found === undefined ? undefined : args[found.argument];
}

/** Returns the body that a call sent. */
export function getSentBody(args: JsonObject, { body }: ArgumentLayout): JsonValue | undefined {
  if (body === undefined) return undefined;
  if (body.properties === undefined) return args[body.argument];
  return Object.fromEntries(
    body.properties
      .filter(({ argument }) => Object.hasOwn(args, argument))
      .map(({ argument, property }) => [property, args[argument] as JsonValue]),
  );
}

/** The values to which a runtime expression can refer. */
export interface ExchangeFacts {
  readonly url: string;
  readonly method: string;
  readonly status: number;
  readonly requestBody: JsonValue | undefined;
  readonly responseBody: JsonValue | undefined;
  /** The value of a parameter, by location (`path`, `query`, `header`) and name. */
  parameter(location: string, name: string): JsonValue | undefined;
  /** Returns a header of the answer. */
  header(name: string): string | undefined;
}

/**
 * Evaluates a value of a link (OpenAPI 3.2, section 4.20.4): a constant, a runtime expression, which preserves the type
 * of the referenced value, or text with expressions in braces. `undefined`: a referenced value is missing.
 */
export function evaluateLinkValue(said: JsonValue, facts: ExchangeFacts): JsonValue | undefined {
  if (typeof said !== "string") return said;
  if (said.startsWith("$")) return evaluateExpression(said, facts);
  let isWhole = true;
  const text = said.replace(/\{(\$[^}]*)\}/g, (_, expression: string) => {
    const value = evaluateExpression(expression, facts);
    if (value === undefined || typeof value === "object") isWhole = false;
    return String(value);
  });
  return isWhole ? text : undefined;
}

function evaluateExpression(expression: string, facts: ExchangeFacts): JsonValue | undefined {
  switch (expression) {
    case "$url":
      return facts.url;
    case "$method":
      return facts.method;
    case "$statusCode":
      return facts.status;
    default:
  }
  const [, side, source = "", rest] =
    /^\$(request|response)\.(header|query|path|body)(?:[.#](.*))?$/s.exec(expression) ?? [];
  if (side === undefined) return undefined;
  if (source === "body") {
    const body = side === "request" ? facts.requestBody : facts.responseBody;
    return rest === undefined ? body : evaluatePointer(body, rest);
  }
  if (rest === undefined) return undefined;
  if (side === "request") return facts.parameter(source, rest);
  return source === "header" ? facts.header(rest.toLowerCase()) : undefined;
}

function evaluatePointer(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
  if (pointer !== "" && !pointer.startsWith("/")) return undefined;
  const path = decodeFragment(pointer);
  const found = resolvePointer(value, path) as JsonValue | undefined;
  if (typeof found !== "number") return found;
  // A rounded id is the id of another object. Its digits, as a text, are accepted for an integer.
  const isRounded = Number.isInteger(found) && !Number.isSafeInteger(found);
  const end = path.lastIndexOf("/");
  const [key = ""] = parsePointer(path.slice(end));
  const digits = exactDigits(resolvePointer(value, path.slice(0, end)) as object, key, found);
  return digits ?? (isRounded ? undefined : found);
}
