import { ajvValidator, ToolError, type JsonObject, type JsonSchema } from "@toolweave/core";
import { isObject, visibleText, withDefaults } from "@toolweave/core/adapter";

// RFC 3339, section 5.6, with the days that there are.
const leapYear = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const date = `(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|${leapYear}-02-29)`;
const time =
  "(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";

/** The formats that a field of a form may have (2025-11-25, Elicitation, Supported Schema Types), as patterns. */
const patterns: ReadonlyMap<unknown, string> = new Map([
  ["date", `^${date}$`],
  ["date-time", `^${date}[Tt]${time}$`],
  ["email", '^[^\\s@"(),:;<>\\[\\]\\\\]+@[^\\s@.]+(?:\\.[^\\s@.]+)*$'],
  ["uri", '^[A-Za-z][A-Za-z0-9+.-]*:[^\\s"<>\\\\^`{|}]+$'],
]);

/** Adds to the fields of a form a pattern for each format, because validators ignore formats. */
function withFormats(properties: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const pattern = isObject(field) ? patterns.get(field["format"]) : undefined;
      if (pattern === undefined) return [name, field];
      return [name, { ...(field as JsonSchema), allOf: [{ pattern }] }];
    }),
  );
}

/** Returns the schema of an answer to a form: no other members are allowed, and those with a default may be missing. */
export function toAnswerSchema(requested: JsonSchema): JsonSchema {
  const { properties, required } = requested;
  const isOptional = (name: unknown): boolean => {
    const field = isObject(properties) ? properties[String(name)] : undefined;
    return isObject(field) && field["default"] !== undefined;
  };
  return {
    ...requested,
    ...(isObject(properties) ? { properties: withFormats(properties) } : {}),
    additionalProperties: false,
    ...(Array.isArray(required) ? { required: required.filter((name) => !isOptional(name)) } : {}),
  };
}

/**
 * Validates an answer and adds the defaults.
 *
 * @throws ToolError `internal` when it is invalid: the host's handler is wrong.
 */
export async function fillInDefaults(
  requested: JsonSchema,
  content: JsonObject,
): Promise<JsonObject> {
  const check = await ajvValidator().compile(toAnswerSchema(requested));
  const [problem] = check(content) ?? [];
  if (problem === undefined) return withDefaults(requested, content);
  const { path, message } = problem;
  throw new ToolError(
    "internal",
    `onElicitation returned content that does not match the requested schema: ${path === "" ? "the content" : path} ${message}.`,
  );
}

/** A rejected request of a server. The message is sent to the server. */
export class InvalidServerRequest extends Error {
  override readonly name = "InvalidServerRequest";
  /** JSON-RPC's code for invalid params; another one when the request itself is rejected. */
  readonly code: number;

  constructor(reason: string, code = -32602) {
    super(`The request was rejected: ${visibleText(reason)}.`);
    this.code = code;
  }
}
