import type { JsonObject, JsonValue } from "@toolweave/core";
import type { Fault } from "./check-each.ts";
import { isObject } from "../schema/subschemas.ts";
import { isBoolean, isString, schemaMismatch, type Test } from "./schema-mismatch.ts";

const access: Readonly<Record<string, Test>> = {
  filesystem: (value) => value === "none" || value === "read" || value === "write",
  process: isBoolean,
  network: isBoolean,
  spend: isBoolean,
  workspaceRoot: isString,
};

const redaction: Readonly<Record<string, Test>> = { path: isString };

const annotations: Readonly<Record<string, Test>> = {
  title: isString,
  readOnlyHint: isBoolean,
  destructiveHint: isBoolean,
  idempotentHint: isBoolean,
  openWorldHint: isBoolean,
  needsApprovalHint: isBoolean,
  streamingHint: isBoolean,
  access: (value) => isObject(value) && schemaMismatch(value, access) === undefined,
  redact: (value) =>
    Array.isArray(value) &&
    value.every(
      (rule: JsonValue) => isObject(rule) && schemaMismatch(rule, redaction) === undefined,
    ),
};

/** The first annotation that is unknown or of the wrong type. */
export function annotationFault(value: JsonObject): Fault | undefined {
  const name = schemaMismatch(value, annotations);
  if (name === undefined) return undefined;
  const wrong = Object.hasOwn(annotations, name)
    ? `has the annotation ${name} with a wrong value`
    : `has the annotation ${name}, which does not exist`;
  return { wrong, seen: value[name] };
}
