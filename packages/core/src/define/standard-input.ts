import { isThenable, promised, type Awaitable, type JsonObject } from "../json/json.ts";
import type { ValidationProblem } from "../contract/tool.ts";
import { childPointer } from "../json/json-pointer.ts";
import { ToolError } from "../contract/tool-error.ts";
import type { StandardResult, StandardSchema } from "./standard-schema.ts";

/** A Standard Schema at work on a tool's arguments: each arguments object is validated once. */
export interface StandardInput {
  validate(args: JsonObject): Awaitable<readonly ValidationProblem[] | undefined>;
  /** The arguments with the schema's defaults and transformations. */
  parse(args: JsonObject): Awaitable<unknown>;
}

/** Wraps a Standard Schema. */
export function standardInput(schema: StandardSchema): StandardInput {
  const results = new WeakMap<JsonObject, StandardResult<unknown>>();
  const resultOf = (args: JsonObject): Awaitable<StandardResult<unknown>> => {
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
      const result = resultOf(args);
      return isThenable(result) ? result.then(problemsOf) : problemsOf(result);
    },
    parse(args) {
      const result = resultOf(args);
      return isThenable(result) ? result.then(valueOf) : valueOf(result);
    },
  };
}

function problemsOf(result: StandardResult<unknown>): readonly ValidationProblem[] | undefined {
  return result.issues?.map(({ message, path = [] }) => ({
    path: path.reduce<string>((pointer, part) => childPointer(pointer, String(keyOf(part))), ""),
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

function keyOf(part: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof part === "object" ? part.key : part;
}
