import { isObject, type JsonObject, type JsonSchema } from "../json/json.ts";
import { childPointer } from "../json/json-pointer.ts";
import type { InjectedParameter } from "../contract/tool-spec.ts";
import { ToolError } from "../contract/tool-error.ts";
import { toErrorMessage } from "../contract/error-message.ts";
import { findSchemaFault } from "../schema/find-schema-fault.ts";
import type { AnySchema } from "./infer.ts";
import { isStandardSchema, toJsonSchema, type StandardSchema } from "./standard-schema.ts";

/** The parts of a definition from which the schema of its arguments follows. */
interface InputDefinition {
  readonly name: string;
  readonly input: AnySchema;
  readonly inputSchema?: JsonSchema;
  readonly injected?: readonly InjectedParameter[];
}

/**
 * Returns the JSON Schema of a tool's arguments. It is checked but not compiled.
 *
 * @throws ToolError `invalid_configuration` when there is none, or no validator can use it.
 */
export function toInputSchema({
  name,
  input,
  inputSchema,
  injected = [],
}: InputDefinition): JsonSchema {
  const isStandard = isStandardSchema(input);
  if (!isStandard) checkWrapped(name, "input", input);
  const schema = isStandard ? (inputSchema ?? converted(name, input, "input")) : input;
  if (schema["type"] !== "object") throw misuse(name, rootFault(schema, isStandard));
  checkUsable(name, inputSchema === undefined ? "input" : "inputSchema", schema);
  for (const parameter of injected) {
    if (Object.hasOwn((schema["properties"] ?? {}) as JsonObject, parameter.name)) {
      throw misuse(
        name,
        `"${parameter.name}" is injected by the host, so take it out of the input schema.`,
      );
    }
  }
  return schema;
}

/**
 * Returns the JSON Schema of a tool's result. It is checked but not compiled.
 *
 * @throws ToolError `invalid_configuration` as `toInputSchema`. The root may be of any type.
 */
export function toOutputSchema(name: string, output: AnySchema): JsonSchema {
  const isStandard = isStandardSchema(output);
  if (!isStandard) checkWrapped(name, "output", output);
  const schema = isStandard ? converted(name, output, "output") : output;
  checkUsable(name, "output", schema);
  return schema;
}

function checkUsable(name: string, option: string, schema: JsonSchema): void {
  const fault = findSchemaFault(schema);
  if (fault !== undefined) {
    throw misuse(name, `its ${option} is not valid JSON Schema: ${fault}.`);
  }
}

/** Refuses what Zod calls a shape: an object of schemas is no schema. */
function checkWrapped(name: string, option: "input" | "output", given: JsonSchema): void {
  if (!isObject(given)) return;
  const members: readonly unknown[] = Object.values(given);
  const first = members.find(isStandardSchema);
  if (first === undefined) return;
  const { vendor } = first["~standard"];
  const wrapper = wrappers[vendor] ?? `${vendor}'s object schema`;
  throw misuse(
    name,
    `its ${option} is an object of schemas, and no schema: wrap it in ${wrapper}.`,
  );
}

const wrappers: Readonly<Record<string, string>> = {
  zod: "z.object({ … })",
  valibot: "v.object({ … })",
  arktype: "type({ … })",
};

function rootFault(schema: JsonSchema, isStandard: boolean): string {
  const given = schema["type"];
  const is =
    typeof given === "string" ? `describes a value of type "${given}"` : "has no such type";
  const remedy = isStandard
    ? "Arguments have names: wrap it in an object, such as z.object({ value: … })"
    : 'Write { type: "object", properties: { … } }';
  return `the input schema must have type: "object" at its root, and ${is}. ${remedy}.`;
}

function converted(name: string, schema: StandardSchema, side: "input" | "output"): JsonSchema {
  const remedy = side === "input" ? "inputSchema beside it" : "output as JSON Schema instead";
  const { vendor, jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined) {
    throw misuse(name, `this ${vendor} schema gives no JSON Schema; write ${remedy}.`);
  }
  try {
    return toJsonSchema(schema, side) ?? {};
  } catch (error) {
    const place = findUnconvertible(schema, side, "");
    const at = place === "" ? "" : ` at ${place}`;
    throw new ToolError(
      "invalid_configuration",
      `${name}: its ${side} cannot be written as JSON Schema${at} (${toErrorMessage(error)}); ` +
        `use a type that JSON has (a date is a string), or write ${remedy}.`,
      { cause: error },
    );
  }
}

/** Finds the member that cannot be converted. Zod does not name it, but has its members in `shape`. */
function findUnconvertible(
  schema: StandardSchema,
  side: "input" | "output",
  place: string,
): string {
  const { shape } = schema as { readonly shape?: unknown };
  if (!isObject(shape)) return place;
  for (const [key, member] of Object.entries(shape as Record<string, unknown>)) {
    if (!isStandardSchema(member)) continue;
    try {
      toJsonSchema(member, side);
    } catch {
      return findUnconvertible(member, side, childPointer(place, key));
    }
  }
  return place;
}

function misuse(name: string, fault: string): ToolError {
  return new ToolError("invalid_configuration", `${name}: ${fault}`);
}
