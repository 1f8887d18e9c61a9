import { isRecord } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import { isNames } from "./schema-keywords.ts";

/** True for drafts 3 to 7 of JSON Schema, in which `$ref` stands alone. */
export function isOldDialect(dialect: unknown): boolean {
  return typeof dialect === "string" && /\bdraft-0[3-7]\b/.test(dialect);
}

/** `dependencies` of drafts before 2019-09, as `dependentRequired` and `dependentSchemas`. */
export function splitDependencies(dependencies: JsonRecord): {
  readonly names: JsonRecord;
  readonly schemas: JsonRecord;
} {
  const members = Object.entries(dependencies);
  return {
    names: Object.fromEntries(members.filter(([, value]) => isNames(value))),
    schemas: Object.fromEntries(
      members.filter(([, value]) => isRecord(value) || typeof value === "boolean"),
    ),
  };
}
