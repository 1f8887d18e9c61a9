import { text, type ContentBlock, type JsonValue, type ToolOutput } from "@toolweave/core";
import { StarlarkError, type HostValue } from "@toolweave/starlark";
import { toJsonValue } from "../builtins/to-json.ts";

/** How results of a script become the output of a tool. */
export interface ResultOptions {
  /** Whether `{"error": …}` is an error of the tool. */
  readonly errorShape?: "value" | "error";
  /** For the host. */
  readonly details?: JsonValue;
}

/**
 * The output of a tool for the result of a script: a text as it is, every other value as JSON. Ints of any size are
 * written exactly; in `value`, those beyond 2^53 are rounded.
 *
 * @throws StarlarkError `execution_failed` for a value without a JSON form.
 */
export function toOutput(result: HostValue, options: ResultOptions = {}): ToolOutput {
  const { errorShape = "value", details } = options;
  const value = toJsonValue(result, "the result of the script");
  const isError =
    errorShape === "error" &&
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    "error" in value &&
    value["error"] !== null;
  return {
    content: result === null || result === undefined ? [] : [toContent(result)],
    value,
    ...(isError ? { isError: true } : {}),
    ...(details === undefined ? {} : { details }),
  };
}

function toContent(result: HostValue): ContentBlock {
  return text(typeof result === "string" ? result : writeJson(result));
}

/** JSON with ints of any size. */
function writeJson(value: HostValue): string {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value) || value instanceof Set) {
    return `[${Array.from(value as Iterable<HostValue>, writeJson).join(",")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value as Readonly<Record<string, HostValue>>);
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${writeJson(item)}`).join(",")}}`;
  }
  return JSON.stringify(value ?? null);
}

/** Fails for a script that does not have a function. */
export function missingFunction(kind: string, name: string, fn: string): StarlarkError {
  return new StarlarkError(
    "execution_failed",
    `${kind} script ${JSON.stringify(name)} must define a '${fn}' function`,
  );
}
