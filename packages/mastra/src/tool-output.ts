import type { ContentBlock, JsonValue, ToolOutcome } from "@toolweave/core";
import { isContentBlock } from "@toolweave/core/adapter";
import { modelContent, toToolFailure, type ContentFile } from "@toolweave/core/integration";

type EndedOutcome = Exclude<ToolOutcome, { readonly status: "interrupted" }>;

/** A result whose content contains more than its value. */
interface ContentOutput {
  readonly content: readonly ContentBlock[];
  readonly value?: JsonValue;
}

/**
 * The result of a call for the host.
 *
 * @throws ToolError when the result is an error.
 */
export function toOutput(outcome: EndedOutcome): unknown {
  // Mastra stores and streams errors.
  if (outcome.result.isError) throw toToolFailure(outcome);
  return hostOutput(outcome.result);
}

/**
 * The structured value, if the model reads exactly that; the text, if there is nothing else; or both. Mastra stores it
 * and derives the content for the model from it later, perhaps in another process: it must contain all of that.
 */
export function hostOutput({ content, value }: ContentOutput): unknown {
  const [block, ...others] = content;
  const isText = block?.type === "text" && others.length === 0;
  if (isText && (value === undefined || value === block.text)) return block.text;
  // A string would be given to the model without its quotes, and Mastra does not convert `null` for the model.
  const isSameForModel = typeof value !== "string" && value !== null && !isContentOutput(value);
  if (isText && isSameForModel && JSON.stringify(value) === block.text) return value;
  return value === undefined ? { content } : { content, value };
}

/** Converts the host's output to the content for the model: one text, or parts. */
export function modelOutput(output: unknown): object {
  const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  const content = isContentOutput(output) ? output.content : [{ type: "text" as const, text }];
  const value = modelContent(content, toFilePart);
  return { type: typeof value === "string" ? "text" : "content", value };
}

function toFilePart({ data, mediaType }: ContentFile): object {
  return { type: mediaType.startsWith("image/") ? "image-data" : "file-data", data, mediaType };
}

/** True for a result that brings its content along. */
function isContentOutput(output: unknown): output is ContentOutput {
  if (typeof output !== "object" || output === null || !("content" in output)) return false;
  const { content, value: _, ...others } = output as Record<string, unknown>;
  return (
    Array.isArray(content) && content.every(isContentBlock) && Object.keys(others).length === 0
  );
}
