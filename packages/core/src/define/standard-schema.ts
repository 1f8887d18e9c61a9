import {
  isThenable,
  promised,
  type Awaitable,
  type JsonSchema,
  type JsonObject,
} from "../json/json.ts";
import type { ParsedOutput, Tool, ValidationProblem } from "../contract/tool.ts";
import { childPointer } from "../json/json-pointer.ts";
import { ToolError } from "../contract/tool-error.ts";

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
export function toJsonSchema(
  schema: StandardSchema,
  side: "input" | "output",
): JsonSchema | undefined {
  const given = schema["~standard"].jsonSchema?.[side]({ target: "draft-2020-12" });
  return given as JsonSchema | undefined;
}

/** A Standard Schema at work on a tool's arguments: each arguments object is validated once. */
export interface StandardInput {
  validate(args: JsonObject): Awaitable<readonly ValidationProblem[] | undefined>;
  /** The arguments with the schema's defaults and transformations. */
  parse(args: JsonObject): Awaitable<unknown>;
}

/** Wraps a Standard Schema. */
export function standardInput(schema: StandardSchema): StandardInput {
  const results = new WeakMap<JsonObject, StandardResult<unknown>>();
  const getResult = (args: JsonObject): Awaitable<StandardResult<unknown>> => {
    const known = results.get(args);
    if (known !== undefined) return known;
    const keep = (result: StandardResult<unknown>): StandardResult<unknown> => {
      results.set(args, result);
      return result;
    };
    const result = schema["~standard"].validate(args);
    return isThenable(result) ? promised(result).then(keep) : keep(result);
  };
  return {
    validate(args) {
      const result = getResult(args);
      return isThenable(result) ? result.then(toProblems) : toProblems(result);
    },
    parse(args) {
      const result = getResult(args);
      return isThenable(result) ? result.then(valueOf) : valueOf(result);
    },
  };
}

/**
 * Wraps a Standard Schema of results: the library decides, and its value is the result's, such as one without unknown
 * properties. If it transforms, a tool may also return the transformed value, which the JSON Schema describes.
 */
export function standardOutput(schema: StandardSchema): NonNullable<Tool["parseOutput"]> {
  let transforms: boolean | undefined;
  const read = (result: StandardResult<unknown>): ParsedOutput | undefined => {
    if (result.issues === undefined) return { value: result.value };
    transforms ??= isTransforming(schema);
    return transforms ? undefined : { problems: toProblems(result) ?? [] };
  };
  return (value) => {
    const result = schema["~standard"].validate(value);
    return isThenable(result) ? promised(result).then(read) : read(result);
  };
}

/** Keywords in which the two sides of a schema differ if it only fills in defaults and removes properties. */
const sideKeywords: ReadonlySet<string> = new Set(["additionalProperties", "default", "required"]);

function isTransforming(schema: StandardSchema): boolean {
  const write = (side: "input" | "output"): string =>
    JSON.stringify(toJsonSchema(schema, side), (key, value: unknown) =>
      sideKeywords.has(key) ? undefined : value,
    );
  try {
    return write("input") !== write("output");
  } catch {
    return true;
  }
}

function toProblems(result: StandardResult<unknown>): readonly ValidationProblem[] | undefined {
  return result.issues?.map(({ message, path = [] }) => ({
    path: path.reduce<string>(
      (pointer, part) => childPointer(pointer, String(toPropertyKey(part))),
      "",
    ),
    message,
  }));
}

function valueOf(result: StandardResult<unknown>): unknown {
  if (result.issues === undefined) return result.value;
  throw new ToolError(
    "invalid_arguments",
    `The arguments are not valid: ${result.issues.map(({ message }) => message).join("; ")}`,
  );
}

function toPropertyKey(part: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof part === "object" ? part.key : part;
}
