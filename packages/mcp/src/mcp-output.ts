import {
  isContentBlock,
  text,
  type ContentBlock,
  type JsonObject,
  type JsonValue,
  type ToolOutput,
} from "@toolweave/core";

/**
 * The output of what a server answered: its blocks as they are, its structured content as the value.
 * A block of a kind that is not known is its JSON, as text: nothing is lost.
 */
export function outputOf(answer: unknown): ToolOutput {
  const { content, structuredContent, isError, _meta } = recordOf(answer);
  const blocks = Array.isArray(content) ? content.map(blockOf) : [];
  const value = structuredContent as JsonValue | undefined;
  const stands = blocks.length > 0 || value === undefined;
  return {
    content: stands ? blocks : [text(JSON.stringify(value))],
    ...(value === undefined ? {} : { value }),
    ...(isError === true ? { isError: true } : {}),
    ...(_meta === undefined ? {} : { details: { _meta: _meta as JsonValue } }),
  };
}

function blockOf(block: unknown): ContentBlock {
  return isContentBlock(block) ? block : text(JSON.stringify(block));
}

function recordOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null ? (value as JsonObject) : {};
}
