import type { JsonObject, JsonValue } from "@toolweave/core";

/** Tests whether a field can have a value. */
export type Test = (value: JsonValue) => boolean;

/** True for a boolean. */
export const isBoolean: Test = (value) => typeof value === "boolean";

/** True for a string. */
export const isString: Test = (value) => typeof value === "string";

/** True for a string that is not blank. */
export const isNonBlankString: Test = (value) => typeof value === "string" && value.trim() !== "";

/** Finds the first field that is unknown or has an invalid value. */
export function findMismatch(
  value: JsonObject,
  tests: Readonly<Record<string, Test>>,
): string | undefined {
  return Object.keys(value).find((name) => {
    const test = Object.hasOwn(tests, name) ? tests[name] : undefined;
    return value[name] !== undefined && (test === undefined || !test(value[name]));
  });
}
