import { setOwn } from "../../document/record.ts";
import type { JsonObject, JsonValue } from "@toolweave/core";
import type { ArgumentLayout } from "../../arguments/argument-layout.ts";
import { evaluateLinkValue, type ExchangeFacts } from "./runtime-expression.ts";

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
