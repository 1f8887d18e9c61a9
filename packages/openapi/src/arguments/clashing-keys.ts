import { visibleText, type JsonSchema } from "@toolweave/core";
import { isJsonObject } from "../json-object.ts";
import type { Parameter } from "../document/operation.ts";
import { encodeStrict } from "../request/percent-encode.ts";
import { inPlaceSchemas, requiredNames, resolveSchema } from "../schema/resolve-schema.ts";
import { meansReserved, reservedKeys, type ReservedNames } from "./reserved-names.ts";

/** What of a parameter can be sent beside the others. */
export interface SendableParameter {
  /** `undefined`: nothing; every call with it would be refused. */
  readonly parameter: Parameter | undefined;
  /** The keys that other parameters have, or that nobody may choose. */
  readonly clashing: readonly string[];
}

/**
 * Looks whether the keys of an exploded object are names of other parameters of the same place, which a call is refused
 * for. A parameter that requires such a key, or that declares no other, is left out; else the key is.
 */
export function withoutClashes(parameter: Parameter, reserved: ReservedNames): SendableParameter {
  const whole: SendableParameter = { parameter, clashing: [] };
  if (!isExploded(parameter)) return whole;
  const { schema, defs } = parameter.schema;
  const schemas = inPlaceSchemas([schema], defs);
  const keys = new Set(
    schemas.flatMap(({ properties }) => Object.keys((properties ?? {}) as object)),
  );
  if (keys.size === 0) return whole;
  const names = reservedKeys(parameter, reserved);
  if (names === undefined) return whole;
  const clashing = [...keys].filter((key) => meansReserved(wireKey(parameter, key), names));
  if (clashing.length === 0) return whole;
  const required = requiredNames(schema, defs);
  if (clashing.length === keys.size || clashing.some((key) => required.has(key))) {
    return { parameter: undefined, clashing };
  }
  const root = resolveSchema(schema, defs);
  // What only a composition says is refused at the call.
  if (typeof root === "boolean" || !isJsonObject(root["properties"])) return whole;
  const left = Object.entries(root["properties"]).filter(([key]) => !clashing.includes(key));
  const properties = Object.fromEntries(left);
  return {
    parameter: { ...parameter, schema: { schema: { ...root, properties } as JsonSchema, defs } },
    clashing,
  };
}

/** True for an object of which each member becomes a name of its own. */
function isExploded({ in: place, style, explode, mediaType }: Parameter): boolean {
  if (mediaType !== undefined || (place !== "query" && place !== "cookie")) return false;
  return style === "deepObject" || explode;
}

/** The name that a member travels by, as the writer makes it. */
function wireKey({ name, style }: Parameter, key: string): string {
  return style === "deepObject"
    ? `${encodeStrict(name)}%5B${encodeStrict(key)}%5D`
    : encodeStrict(key);
}

/** What the host is told of keys that are not sent; `left` is what remains of the parameter. */
export function clashWarning(
  { name }: Parameter,
  clashing: readonly string[],
  left: Parameter | undefined,
): string {
  const keys = clashing.map((key) => JSON.stringify(visibleText(key).slice(0, 40)));
  const whose = `${keys.slice(0, 5).join(", ")} of its parameter ${JSON.stringify(visibleText(name).slice(0, 40))}`;
  const what = left === undefined ? "the parameter is" : "these keys are";
  return `The keys ${whose} would be sent under the names of others: ${what} left out.`;
}
