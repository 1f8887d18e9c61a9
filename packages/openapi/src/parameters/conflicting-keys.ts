import { visibleText } from "@toolweave/core/adapter";
import type { Parameter } from "../document/operation.ts";
import { encodeStrict } from "./percent-encode.ts";
import { collectInPlaceSchemas, getRequiredNames } from "../schema/resolve-schema.ts";
import { mayMeanReserved, getReservedKeys, type ReservedNames } from "./reserved-names.ts";

/**
 * Returns the keys of an exploded object that conflict with names of other parameters in the same location, or with
 * reserved names, if every call with the object would be refused: all declared keys, or a required one. Empty: it can
 * be sent. A single conflicting key is refused at the call.
 */
export function findConflictingKeys(
  parameter: Parameter,
  reserved: ReservedNames,
): readonly string[] {
  if (!isExploded(parameter)) return [];
  const { schema, defs } = parameter.schema;
  const keys = new Set(
    collectInPlaceSchemas([schema], defs).flatMap(({ properties }) =>
      Object.keys((properties ?? {}) as object),
    ),
  );
  const names = keys.size === 0 ? undefined : getReservedKeys(parameter, reserved);
  if (names === undefined) return [];
  const clashing = [...keys].filter((key) => mayMeanReserved(toWireKey(parameter, key), names));
  const required = getRequiredNames(schema, defs);
  const isHopeless = clashing.length === keys.size || clashing.some((key) => required.has(key));
  return isHopeless ? clashing : [];
}

/** Returns true for an object whose members each become a separate name. */
function isExploded({ in: place, style, explode, mediaType }: Parameter): boolean {
  if (mediaType !== undefined || (place !== "query" && place !== "cookie")) return false;
  return style === "deepObject" || explode;
}

/** Returns the name of a member on the wire, as the writer encodes it. */
function toWireKey({ name, style }: Parameter, key: string): string {
  return style === "deepObject"
    ? `${encodeStrict(name)}%5B${encodeStrict(key)}%5D`
    : encodeStrict(key);
}

/** Formats the warning about a parameter that is omitted. */
export function formatConflict({ name }: Parameter, clashing: readonly string[]): string {
  const keys = clashing.map((key) => JSON.stringify(visibleText(key).slice(0, 40)));
  const whose = JSON.stringify(visibleText(name).slice(0, 40));
  return `The keys ${keys.slice(0, 5).join(", ")} of its parameter ${whose} would be sent under the names of other parameters: it is omitted.`;
}
