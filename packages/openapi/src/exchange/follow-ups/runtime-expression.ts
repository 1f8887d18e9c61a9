import type { JsonObject, JsonValue } from "@toolweave/core";
import { decodeFragment, pointerTokens } from "../../document/references/json-pointer.ts";

/** What a runtime expression can speak of. */
export interface ExchangeFacts {
  readonly url: string;
  readonly method: string;
  readonly status: number;
  readonly requestBody: JsonValue | undefined;
  readonly responseBody: JsonValue | undefined;
  /** The value of a parameter, by location (`path`, `query`, `header`) and name. */
  parameter(location: string, name: string): JsonValue | undefined;
  /** A header of the answer. */
  header(name: string): string | undefined;
}

/**
 * What a link says (OpenAPI 3.2, section 4.20.4): a constant, a runtime expression, which keeps the type of what it
 * refers to, or text with expressions in braces. `undefined`: it refers to what is not there.
 */
export function linkValue(said: JsonValue, facts: ExchangeFacts): JsonValue | undefined {
  if (typeof said !== "string") return said;
  if (said.startsWith("$")) return evaluated(said, facts);
  let isWhole = true;
  const text = said.replace(/\{(\$[^}]*)\}/g, (_, expression: string) => {
    const value = evaluated(expression, facts);
    if (value === undefined || typeof value === "object") isWhole = false;
    return String(value);
  });
  return isWhole ? text : undefined;
}

function evaluated(expression: string, facts: ExchangeFacts): JsonValue | undefined {
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
    return rest === undefined ? body : pointed(body, rest);
  }
  if (rest === undefined) return undefined;
  if (side === "request") return facts.parameter(source, rest);
  return source === "header" ? facts.header(rest.toLowerCase()) : undefined;
}

function pointed(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
  if (pointer !== "" && !pointer.startsWith("/")) return undefined;
  let found = value;
  for (const token of pointerTokens(decodeFragment(pointer))) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, token))
      return undefined;
    found = (found as JsonObject)[token];
  }
  // An id that was rounded is that of something else: no call is proposed for it.
  const isRounded = Number.isInteger(found) && !Number.isSafeInteger(found);
  return isRounded ? undefined : found;
}
