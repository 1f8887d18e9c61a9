import { ajvValidator, ToolError, type JsonObject, type JsonSchema } from "@toolweave/core";
import { isObject } from "../schema/schema-keywords.ts";
import { withFormats } from "./text-formats.ts";

/** What an answer to a form is checked against: what it asks for and nothing else. What has a default may be missing. */
export function toAnswerSchema(requested: JsonSchema): JsonSchema {
  const { properties, required } = requested;
  const defaults = getDefaults(requested);
  return {
    ...requested,
    ...(isObject(properties) ? { properties: withFormats(properties) } : {}),
    additionalProperties: false,
    ...(Array.isArray(required)
      ? { required: required.filter((name) => !Object.hasOwn(defaults, String(name))) }
      : {}),
  };
}

/** What stands in a form before anybody has filled it in. */
export function getDefaults({ properties }: JsonSchema): JsonObject {
  const fields = Object.entries(isObject(properties) ? properties : {});
  return Object.fromEntries(
    fields.flatMap(([name, field]) =>
      isObject(field) && field["default"] !== undefined ? [[name, field["default"]]] : [],
    ),
  );
}

/**
 * What is sent of an answer.
 *
 * @throws ToolError `internal` when it does not fit: the handler that gave it has to be corrected.
 */
export async function fillInDefaults(
  requested: JsonSchema,
  content: JsonObject,
): Promise<JsonObject> {
  const check = await ajvValidator().compile(toAnswerSchema(requested));
  const [problem] = check(content) ?? [];
  if (problem === undefined) return { ...getDefaults(requested), ...content };
  const { path, message } = problem;
  throw new ToolError(
    "internal",
    `onElicitation answered against the schema that it was given: ${path === "" ? "the content" : path} ${message}.`,
  );
}
