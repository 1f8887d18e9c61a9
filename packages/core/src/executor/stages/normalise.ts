import { isThenable, type Awaitable, type JsonSchema } from "../../spec/json.ts";
import { isContentBlock, text, type ContentBlock } from "../../spec/content-block.ts";
import { isSuspension } from "../../spec/interruption.ts";
import type { ToolOutput } from "../../spec/tool-result.ts";
import { ToolError } from "../../tool-error.ts";
import type { CompiledSchema } from "../../schema/schema-validator.ts";
import type { Execution } from "../execution.ts";
import { Interrupted } from "../interrupted.ts";
import { jsonValue } from "../json-value.ts";

/** Stage 9: whatever came back becomes a proper output that keeps its schema. */
export function normalise(execution: Execution): Awaitable<void> {
  const { returned, tool } = execution;
  if (isSuspension(returned)) throw new Interrupted(returned.requests, returned);
  let schema: JsonSchema | undefined;
  try {
    schema = tool.spec.outputSchema;
  } catch (error) {
    execution.output = toOutput(returned);
    return unusable(execution, error);
  }
  const output = toOutput(returned, schema !== undefined);
  execution.output = output;
  if (schema === undefined || output.isError === true) return;
  // A warning that nobody hears is not worth a validation.
  if (tool.outputValidation === "warning" && !execution.engine.events.active) return;
  try {
    const compiled = execution.engine.schemas.get(schema);
    return isThenable(compiled)
      ? compiled.then(
          (compiled) => check(execution, output, compiled),
          (error: unknown) => unusable(execution, error),
        )
      : check(execution, output, compiled);
  } catch (error) {
    unusable(execution, error);
  }
}

function check(execution: Execution, output: ToolOutput, compiled: CompiledSchema): void {
  const problems =
    output.value === undefined
      ? [{ path: "", message: "has no structured value" }]
      : compiled(output.value);
  if (problems === undefined) return;
  const [first] = problems;
  const what = `${first?.path === "" ? "its output" : first?.path} ${first?.message}`;
  report(execution, `${execution.tool.spec.name} answered against its own output schema: ${what}`);
}

function unusable(execution: Execution, error: unknown): void {
  if (ToolError.is(error) && error.code === "invalid_output") throw error;
  report(execution, `the output schema of ${execution.tool.spec.name} cannot be used`, error);
}

function report(execution: Execution, what: string, cause?: unknown): void {
  if (execution.tool.outputValidation === "warning") {
    (execution.warnings ??= []).push(what);
    return;
  }
  throw new ToolError(
    "invalid_output",
    `${what}. The call did run: do not repeat it before checking what it did.`,
    { cause },
  );
}

const outputKeys = new Set([
  "content",
  "value",
  "isError",
  "error",
  "artifacts",
  "details",
  "childRunId",
  "provider",
]);

/**
 * Makes an output of whatever a tool returned. Text is content; content blocks are content; an
 * object with a `content` array of blocks and nothing foreign beside it is an output; anything else
 * is a JSON value, with its text as content.
 *
 * @param structured the tool has an output schema: text is its value, too.
 */
export function toOutput(returned: unknown, structured = false): ToolOutput {
  if (typeof returned === "string") {
    return { content: [text(returned)], ...(structured ? { value: returned } : {}) };
  }
  if (returned === undefined) return { content: [] };
  if (typeof returned === "object" && returned !== null) {
    if (isBlockList(returned) && returned.length > 0) return { content: returned };
    if (isOutput(returned)) return withJsonValue(returned);
  }
  const value = jsonValue(returned);
  return { content: [text(typeof value === "number" ? `${value}` : JSON.stringify(value))], value };
}

/** An output whose value is JSON. */
export function withJsonValue(output: ToolOutput): ToolOutput {
  if (output.value === undefined) return output;
  const value = jsonValue(output.value);
  return value === output.value ? output : { ...output, value };
}

function isBlockList(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.every(isContentBlock);
}

/** True for an object that is an output, and not data. */
export function isOutput(value: object): value is ToolOutput {
  return (
    "content" in value &&
    isBlockList(value.content) &&
    Object.keys(value).every((key) => outputKeys.has(key))
  );
}
