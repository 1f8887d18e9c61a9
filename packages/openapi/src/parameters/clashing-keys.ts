import { visibleText } from "@toolweave/core";
import type { Parameter } from "../document/operation.ts";
import { encodeStrict } from "./percent-encode.ts";
import { inPlaceSchemas, requiredNames } from "../schema/resolve-schema.ts";
import { meansReserved, reservedKeys, type ReservedNames } from "./reserved-names.ts";

/**
 * The keys of an exploded object for which every call with it would be refused, since other parameters of the same place
 * have those names, or nobody may choose them: all that it declares, or one that it requires. Empty: it can be sent. A key
 * beside others that can be sent is refused at the call.
 */
export function clashingKeys(parameter: Parameter, reserved: ReservedNames): readonly string[] {
  if (!isExploded(parameter)) return [];
  const { schema, defs } = parameter.schema;
  const keys = new Set(
    inPlaceSchemas([schema], defs).flatMap(({ properties }) =>
      Object.keys((properties ?? {}) as object),
    ),
  );
  const names = keys.size === 0 ? undefined : reservedKeys(parameter, reserved);
  if (names === undefined) return [];
  const clashing = [...keys].filter((key) => meansReserved(wireKey(parameter, key), names));
  const required = requiredNames(schema, defs);
  const isHopeless = clashing.length === keys.size || clashing.some((key) => required.has(key));
  return isHopeless ? clashing : [];
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

/** What the host is told of a parameter that is left out. */
export function clashWarning({ name }: Parameter, clashing: readonly string[]): string {
  const keys = clashing.map((key) => JSON.stringify(visibleText(key).slice(0, 40)));
  const whose = JSON.stringify(visibleText(name).slice(0, 40));
  return `The keys ${keys.slice(0, 5).join(", ")} of its parameter ${whose} would be sent under the names of others: the parameter is left out.`;
}
