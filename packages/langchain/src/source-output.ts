import { ToolMessage, type ContentBlock as MessageBlock } from "@langchain/core/messages";
import { text, type ContentBlock, type JsonValue, type ToolOutput } from "@toolweave/core";

/** Converts the output of a LangChain tool: a message with content for the model, or any value. */
export function toToolOutput(answer: unknown): ToolOutput | JsonValue {
  if (!ToolMessage.isInstance(answer)) return answer as JsonValue;
  const content = answer.contentBlocks.map(toContentBlock);
  const value = parseJsonContent(content);
  return {
    content,
    ...(value === undefined ? {} : { value }),
    isError: answer.status === "error",
    ...(answer.artifact === undefined ? {} : { details: answer.artifact as JsonValue }),
  };
}

/** Converts a value that a generator tool yields before its result. */
export function toUpdate(chunk: unknown): ToolOutput {
  return { content: [text(typeof chunk === "string" ? chunk : (JSON.stringify(chunk) ?? ""))] };
}

/** The value of a text that is JSON: LangChain serializes an object or a list, and does not keep it. */
function parseJsonContent([first, ...more]: readonly ContentBlock[]): JsonValue | undefined {
  if (first?.type !== "text" || more.length > 0 || !/^\s*[[{]/.test(first.text)) return undefined;
  try {
    return JSON.parse(first.text) as JsonValue;
  } catch {
    return undefined;
  }
}

function toContentBlock(block: MessageBlock.Standard): ContentBlock {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
    case "audio":
    case "video":
    case "file":
    case "text-plain":
      return toDataBlock(block);
    default:
      return text(JSON.stringify(block));
  }
}

function toDataBlock(block: MessageBlock.Multimodal.Standard): ContentBlock {
  const { type, mimeType } = block;
  if (block.data !== undefined) {
    const data = typeof block.data === "string" ? block.data : toBase64(block.data);
    if ((type === "image" || type === "audio") && mimeType !== undefined) {
      return { type, data, mimeType };
    }
    const resource = { uri: `attachment:${type}`, blob: data };
    return {
      type: "resource",
      resource: mimeType === undefined ? resource : { ...resource, mimeType },
    };
  }
  if (type === "text-plain" && block.text !== undefined) return text(block.text);
  if (block.url === undefined) return text(JSON.stringify(block));
  const link = { type: "resource_link" as const, uri: block.url, name: type };
  return mimeType === undefined ? link : { ...link, mimeType };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
