import {
  displayProse,
  type Interruption,
  type ToolError,
  type ToolOutcome,
  type ToolOutput,
  type ToolResult,
} from "@toolweave/core";
import { contentOutput, plainText, remember } from "./source/model-output.ts";
import { ToolFailure } from "./tool-failure.ts";

/**
 * The host's `toolResults[].output`: the structured value; or the text; or, if there is more than text and no value,
 * the content blocks. If a call waits for input that the SDK cannot request, it is the `interrupted` outcome, to be
 * resumed with `executor.resume`.
 *
 * @throws ToolError when the result is an error. The SDK makes a tool error of it, and the model reads its message.
 */
export function outputOf(outcome: ToolOutcome): unknown {
  if (outcome.status === "interrupted") {
    const value = waiting(outcome.interruption);
    return remember({ ...outcome }, () => ({ type: "error-text", value }));
  }
  const { result, error } = outcome;
  if (result.isError) throw failureOf(result, error);
  return hostOutput(result);
}

/** The structured value, or the text, or the content blocks. */
export function hostOutput({ content, value }: Pick<ToolOutput, "content" | "value">): unknown {
  if (typeof value === "object" && value !== null) {
    // A copy: a tool may return one object twice, with other content.
    const output = Array.isArray(value) ? [...value] : { ...value };
    return remember(output, () => contentOutput(content));
  }
  const text = content.every(({ type }) => type === "text") ? plainText(content) : undefined;
  if (value !== undefined && text === plainValue(value)) return value;
  return text ?? remember([...content], () => contentOutput(content));
}

function plainValue(value: string | number | boolean | null): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The error with the whole of what the model may read as its message. */
function failureOf({ content }: ToolResult, error: ToolError | undefined): ToolFailure {
  const text = plainText(content);
  if (error === undefined) return new ToolFailure("execution_failed", text);
  const { code, message, cause, retryable, audience, status, body, retryAfterMs } = error;
  return new ToolFailure(code, text === "" ? message : text, {
    cause: text === message ? cause : error,
    retryable,
    audience,
    ...(status === undefined ? {} : { status }),
    ...(body === undefined ? {} : { body }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function waiting({ call, requests }: Interruption): string {
  const needs = requests.map((request) => {
    if (request.type === "approval") return `approval: ${displayProse(request.permission.summary)}`;
    if (request.type === "result") return "a result from the host";
    return `${request.type}: ${displayProse(request.message)}`;
  });
  const what = needs.join("; ");
  return (
    `${call.name} is not finished: it waits for ${what.length > 500 ? `${what.slice(0, 500)}…` : what}. ` +
    `Do not call it again; go on without its result and say what it waits for.`
  );
}
