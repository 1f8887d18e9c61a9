import type { Awaitable, JsonSchema } from "../json/json.ts";

/** One thing that a Standard Schema found wrong. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** The result of a Standard Schema's validation. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/**
 * The part of Standard Schema that is used here: validation, the types, and the JSON Schema where
 * the library gives one (Zod 4, ArkType).
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Awaitable<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?:
      | {
          readonly input: (options: {
            readonly target: "draft-2020-12";
          }) => Record<string, unknown>;
          readonly output: (options: {
            readonly target: "draft-2020-12";
          }) => Record<string, unknown>;
        }
      | undefined;
  };
}

/** True for a Standard Schema of any library. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    "~standard" in value
  );
}

/** The JSON Schema that a Standard Schema gives for one side; `undefined` when it gives none. */
export function jsonSchemaOf(
  schema: StandardSchema,
  side: "input" | "output",
): JsonSchema | undefined {
  const given = schema["~standard"].jsonSchema?.[side]({ target: "draft-2020-12" });
  return given as JsonSchema | undefined;
}
