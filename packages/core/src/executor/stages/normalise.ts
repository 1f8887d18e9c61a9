import {
  isThenable,
  promised,
  type Awaitable,
  type JsonSchema,
  type JsonValue,
} from "../../json/json.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import { toJson } from "../../json/to-json.ts";
import { answerWithin } from "../../contract/call-info.ts";
import { text } from "../../contract/content-block.ts";
import { isSuspension } from "../../contract/interruption.ts";
import type { ToolOutput } from "../../contract/tool-result.ts";
import { isTrustedRead, type ParsedOutput, type ValidationProblem } from "../../contract/tool.ts";
import { parsePointer } from "../../json/json-pointer.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CompiledSchema } from "../../schema/schema-validator.ts";
import type { CallState } from "../call/call-state.ts";
import { InterruptSignal } from "../call/interrupt-signal.ts";
import { toOutput } from "../../results/to-output.ts";

/** Stage 9: normalises the returned value to an output that matches the output schema. */
export function normalise(execution: CallState, returned: unknown): Awaitable<ToolOutput> {
  const { tool } = execution;
  if (isSuspension(returned)) throw new InterruptSignal(returned.requests, returned);
  let schema: JsonSchema | undefined;
  const limit = execution.engine.largeOutputs.maxCapturedBytes;
  try {
    schema = tool.spec.outputSchema;
  } catch (error) {
    const output = toOutput(returned, false, limit, execution);
    unusable(execution, error);
    return output;
  }
  const output = toOutput(returned, schema !== undefined, limit, execution);
  if (execution.promiseAt !== undefined) throw notAwaited(execution, execution.promiseAt);
  if (schema === undefined || output.isError === true) return output;
  if (tool.parseOutput === undefined || output.value === undefined) {
    return validateOutput(execution, output, schema);
  }
  const parsed = tool.parseOutput(output.value);
  if (!isThenable(parsed)) return replaceValue(execution, output, schema, parsed);
  const { hookTimeoutMs } = execution.engine;
  return answerWithin(execution, hookTimeoutMs, promised(parsed)).then((parsed) =>
    replaceValue(execution, output, schema, parsed),
  );
}

/** The output with the value that its schema returns, and with the text of that, if its own was that of the value. */
function replaceValue(
  execution: CallState,
  output: ToolOutput,
  schema: JsonSchema,
  parsed: ParsedOutput | undefined,
): Awaitable<ToolOutput> {
  if (parsed === undefined) return validateOutput(execution, output, schema);
  if ("problems" in parsed) {
    reportProblem(execution, parsed.problems);
    return output;
  }
  if (canonicalJson(parsed.value) === canonicalJson(output.value)) return output;
  const limit = execution.engine.largeOutputs.maxCapturedBytes;
  const value = toJson(parsed.value, limit, execution);
  const [block, more] = output.content;
  const isDerived =
    more === undefined && block?.type === "text" && block.text === toText(output.value);
  return { ...output, value, content: isDerived ? [text(toText(value))] : output.content };
}

function toText(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function validateOutput(
  execution: CallState,
  output: ToolOutput,
  schema: JsonSchema,
): Awaitable<ToolOutput> {
  const { tool } = execution;
  // Without a listener for its warning, the output need not be validated.
  if (tool.outputValidation === "warning" && !execution.engine.events.active) return output;
  try {
    const compiled = execution.engine.schemas.get(schema);
    if (isThenable(compiled)) {
      return compiled
        .then(
          (compiled) => check(execution, output, compiled),
          (error: unknown) => unusable(execution, error),
        )
        .then(() => output);
    }
    check(execution, output, compiled);
  } catch (error) {
    unusable(execution, error);
  }
  return output;
}

const tooMuch = "is more than is captured, so that there is no whole value to check";

function check(execution: CallState, output: ToolOutput, compiled: CompiledSchema): void {
  const problems =
    output.value === undefined
      ? [{ path: "", message: execution.truncated ? tooMuch : "has no structured value" }]
      : compiled(output.value);
  if (problems !== undefined) reportProblem(execution, problems);
}

function reportProblem(execution: CallState, problems: readonly ValidationProblem[]): void {
  const { path, message } = problems[0] as ValidationProblem;
  const where = path === "" ? "it" : parsePointer(path).join(".");
  const { name } = execution.tool.spec;
  report(execution, `The output of ${name} does not match its output schema: ${where} ${message}`);
}

function unusable(execution: CallState, error: unknown): void {
  if (ToolError.is(error) && error.code === "invalid_output") throw error;
  report(execution, `The output schema of ${execution.tool.spec.name} cannot be used`, error);
}

function report(execution: CallState, what: string, cause?: unknown): void {
  if (execution.tool.outputValidation === "warning") {
    (execution.warnings ??= []).push(what);
    return;
  }
  throw invalidOutput(execution, what, cause);
}

function notAwaited(execution: CallState, pointer: string): ToolError {
  delete execution.promiseAt;
  const place = parsePointer(pointer).join(".");
  return invalidOutput(
    execution,
    `${execution.tool.spec.name} returned a promise inside its value, at ${place}: the tool has to await it before it returns`,
  );
}

function invalidOutput(execution: CallState, what: string, cause?: unknown): ToolError {
  return new ToolError(
    "invalid_output",
    `${what}. ${isTrustedRead(execution.entry) ? "The call did run, and changed nothing." : "The call did run: do not repeat it before checking what it did."}`,
    { cause },
  );
}
