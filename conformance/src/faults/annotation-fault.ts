import type { JsonObject, JsonValue } from "@toolweave/core";
import type { Fault } from "./check-each.ts";
import { isObject } from "../schema/subschemas.ts";
import { isBoolean, isString, findMismatch, type Test } from "./field-tests.ts";

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
  access: (value) => isObject(value) && findMismatch(value, access) === undefined,
  redact: (value) =>
    Array.isArray(value) &&
    value.every((rule: JsonValue) => isObject(rule) && findMismatch(rule, redaction) === undefined),
};

/** Finds the first annotation that is unknown or has the wrong type. */
export function findAnnotationFault(value: JsonObject): Fault | undefined {
  const name = findMismatch(value, annotations);
  if (name === undefined) return undefined;
  const wrong = Object.hasOwn(annotations, name)
    ? `has the annotation ${name} with an invalid value`
    : `has the unknown annotation ${name}`;
  return { wrong, seen: value[name] };
}
