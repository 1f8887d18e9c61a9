import type { ContentBlock, JsonValue, ToolError, ToolOutcome, ToolOutput } from "@toolweave/core";
import { isOutputForModel, plainText } from "./model-output.ts";
import { ToolFailure } from "./tool-failure.ts";

type EndedOutcome = Exclude<ToolOutcome, { readonly status: "interrupted" }>;

/**
 * The result of a call for the host.
 *
 * @throws ToolError when the result is an error.
 */
export function outputOf({ result, error }: EndedOutcome): unknown {
  if (result.isError) throw failureOf(result.content, error);
  return hostOutput(result);
}

/**
 * The structured value, if the model reads exactly that; the text, if there is nothing else; or both. Mastra stores it
 * and derives the content for the model from it later, perhaps in another process: it must contain all of that.
 */
export function hostOutput({ content, value }: Pick<ToolOutput, "content" | "value">): unknown {
  const [block, ...others] = content;
  const isText = block?.type === "text" && others.length === 0;
  if (isText && (value === undefined || value === block.text)) return block.text;
  // A text alone would be read as it is, not as its JSON; and of no `null` does Mastra ask what the model reads.
  const speaksForItself = typeof value !== "string" && value !== null && !isOutputForModel(value);
  if (isText && speaksForItself && JSON.stringify(value) === block.text) return value;
  return toModelOutput(content, value);
}

function toModelOutput(content: readonly ContentBlock[], value: JsonValue | undefined): object {
  return value === undefined ? { content } : { content, value };
}

/** The error with the whole of what the model may read as its message, and nothing that it may not. */
function failureOf(content: readonly ContentBlock[], error: ToolError | undefined): ToolFailure {
  const text = plainText(content);
  if (error === undefined) return new ToolFailure("execution_failed", text);
  const { code, message, retryable, audience, status, retryAfterMs } = error;
  return new ToolFailure(code, text === "" ? message : text, {
    retryable,
    audience,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
