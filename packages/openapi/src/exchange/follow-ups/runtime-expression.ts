import type { JsonValue } from "@toolweave/core";
import { decodeFragment, resolvePointer } from "@toolweave/core/adapter";

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
  const found = resolvePointer(value, decodeFragment(pointer)) as JsonValue | undefined;
  // A rounded id is the id of another object: no call is proposed for it.
  const isRounded = Number.isInteger(found) && !Number.isSafeInteger(found);
  return isRounded ? undefined : found;
}
