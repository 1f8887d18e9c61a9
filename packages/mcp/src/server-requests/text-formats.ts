import type { JsonSchema } from "@toolweave/core";
import { isObject } from "../schema/schema-keywords.ts";

// RFC 3339, section 5.6: that a year has a 29th of February is for the server to know.
const date =
  "[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))";
const time =
  "(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";

/** The formats that a field of a form may have (2025-11-25, Elicitation, Supported Schema Types), as patterns. */
const patterns: ReadonlyMap<unknown, string> = new Map([
  ["date", `^${date}$`],
  ["date-time", `^${date}[Tt]${time}$`],
  ["email", '^[^\\s@"(),:;<>\\[\\]\\\\]+@[^\\s@.]+(?:\\.[^\\s@.]+)*$'],
  ["uri", '^[A-Za-z][A-Za-z0-9+.-]*:[^\\s"<>\\\\^`{|}]+$'],
]);

/** A form's fields, with a pattern for each format: a format alone is checked by nobody. */
export function withFormats(properties: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const pattern = isObject(field) ? patterns.get(field["format"]) : undefined;
      if (pattern === undefined) return [name, field];
      return [name, { ...(field as JsonSchema), allOf: [{ pattern }] }];
    }),
  );
}
