import { setOwn } from "../../document/record.ts";
import type { JsonObject, JsonValue } from "@toolweave/core";
import type { ArgumentLayout } from "../../arguments/argument-layout.ts";
import { linkValue, type ExchangeFacts } from "./runtime-expression.ts";

/** An operation that a link leads to. */
export interface LinkTarget {
  /** Its tool. */
  readonly name: string;
  readonly layout: ArgumentLayout;
}

/** Finds what a Link Object names by `operationId` or `operationRef`; `undefined`: it is no tool of this source. */
export type FindLinked = (link: JsonObject) => LinkTarget | undefined;

/** A call that an answer's link proposes. */
export type LinkedCall = {
  readonly link: string;
  readonly tool: string;
  readonly arguments: JsonObject;
};

const maxLinks = 20;
/** Of those that a document declares; each is examined for among all operations. */
const maxExamined = 100;

/**
 * The calls that the links of an answer propose (OpenAPI 3.2, section 4.20, "Link Object"). A link is left out when it
 * leads to no tool, when it names a parameter that is no argument, and when what it refers to is not there.
 */
export function linkedCalls(
  links: ReadonlyMap<string, JsonObject>,
  facts: ExchangeFacts,
  find: FindLinked,
): readonly LinkedCall[] {
  const calls: LinkedCall[] = [];
  let examined = 0;
  for (const [link, declared] of links) {
    if (calls.length === maxLinks || ++examined > maxExamined) break;
    const target = find(declared);
    const args = target === undefined ? undefined : linkArguments(declared, facts, target.layout);
    if (target !== undefined && args !== undefined) {
      calls.push({ link, tool: target.name, arguments: args });
    }
  }
  return calls;
}

function linkArguments(
  { parameters = {}, requestBody }: JsonObject,
  facts: ExchangeFacts,
  layout: ArgumentLayout,
): JsonObject | undefined {
  const args: Record<string, JsonValue> = {};
  if (typeof parameters !== "object" || parameters === null) return undefined;
  for (const [name, said] of Object.entries(parameters as JsonObject)) {
    const argument = findArgument(name, layout);
    const value = linkValue(said, facts);
    if (argument === undefined || value === undefined) return undefined;
    setOwn(args, argument, value);
  }
  if (requestBody === undefined) return args;
  const body = linkValue(requestBody, facts);
  return body === undefined || layout.body === undefined
    ? undefined
    : { ...args, ...bodyArguments(body, layout.body) };
}

function findArgument(given: string, { parameters }: ArgumentLayout): string | undefined {
  // Where several locations have the name, it says which is meant.
  const [, location, name = given] = /^(path|query|header|cookie)\.(.+)$/s.exec(given) ?? [];
  const named = (wanted: string, place?: string): string | undefined =>
    parameters.find(
      ({ parameter }) => parameter.name === wanted && (place ?? parameter.in) === parameter.in,
    )?.argument;
  return named(name, location) ?? named(given);
}

function bodyArguments(
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

/** The value that a call sent for a parameter. */
export function sentParameter(
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

/** The body that a call sent. */
export function sentBody(args: JsonObject, { body }: ArgumentLayout): JsonValue | undefined {
  if (body === undefined) return undefined;
  if (body.properties === undefined) return args[body.argument];
  return Object.fromEntries(
    body.properties
      .filter(({ argument }) => Object.hasOwn(args, argument))
      .map(({ argument, property }) => [property, args[argument] as JsonValue]),
  );
}
