// A separate file: the main entry needs it, but not the tables of keywords.

/** A version of JSON Schema. */
export type Dialect = "draft-07" | "2019-09" | "2020-12";

/** Returns the dialect that a value of `$schema` names; drafts before 07 are read as that. Default: 2020-12. */
export function getDialect($schema: unknown): Dialect {
  if (typeof $schema !== "string") return "2020-12";
  if (/\bdraft-0[3-7]\b/.test($schema)) return "draft-07";
  return $schema.includes("2019-09") ? "2019-09" : "2020-12";
}
