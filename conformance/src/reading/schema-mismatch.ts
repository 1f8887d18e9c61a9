import type { JsonObject, JsonValue } from "@toolweave/core";

/** Says whether a value is one that a field can have. */
export type Test = (value: JsonValue) => boolean;

/** True or false. */
export const isBoolean: Test = (value) => typeof value === "boolean";

/** Any text. */
export const isString: Test = (value) => typeof value === "string";

/** A text that says something. */
export const isFilledString: Test = (value) => typeof value === "string" && value.trim() !== "";

/** The first field that is unknown or has a wrong value. */
export function schemaMismatch(
  value: JsonObject,
  tests: Readonly<Record<string, Test>>,
): string | undefined {
  return Object.keys(value).find((name) => {
    const test = Object.hasOwn(tests, name) ? tests[name] : undefined;
    return value[name] !== undefined && (test === undefined || !test(value[name]));
  });
}
