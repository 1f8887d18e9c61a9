import { text, type ContentBlock, type JsonValue, type ToolOutput } from "@toolweave/core";
import { isContentBlock, isObject, withStructuredContent } from "@toolweave/core/adapter";
import type { Tool } from "ai";

/** The output that the SDK sends to a model as a tool's result. */
export type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>;

/** A part of a content. `media` is a file of versions 5 and 6. */
type Part =
  | Extract<ModelOutput, { type: "content" }>["value"][number]
  | { readonly type: "media"; readonly data: string; readonly mediaType: string };

/**
 * Combines the output of a tool with the content that its `toModelOutput` makes of it for a model. The result of an MCP
 * server, which that reads the content of, keeps its error and its structured content.
 */
export function toToolOutput(output: unknown, modelOutput: ModelOutput): ToolOutput {
  const combined = combine(output, modelOutput);
  const result = readMcpResult(output);
  if (result === undefined) return combined;
  return { ...combined, content: mergeValue(combined.content, result.value), ...errorMark(result) };
}

/** Reads the result of an MCP server's tool, as the SDK's MCP client returns it; `undefined`: it is another value. */
export function readMcpResult(output: unknown): ToolOutput | undefined {
  if (!isObject(output) || !Array.isArray(output["content"])) return undefined;
  const { content, structuredContent: value, isError } = output;
  const isMcp = content.every(isContentBlock) && (isError === true || value !== undefined);
  if (!isMcp) return undefined;
  const blocks = content as readonly ContentBlock[];
  return {
    content: mergeValue(blocks, value),
    ...(value === undefined || value === null ? {} : { value }),
    ...(isError === true ? { isError } : {}),
  };
}

function mergeValue(
  content: readonly ContentBlock[],
  value: JsonValue | undefined,
): readonly ContentBlock[] {
  return value === undefined || value === null ? content : withStructuredContent(content, value);
}

function errorMark({ isError }: ToolOutput): { readonly isError?: true } {
  return isError === true ? { isError } : {};
}

function combine(output: unknown, modelOutput: ModelOutput): ToolOutput {
  const isBytes = output instanceof ArrayBuffer || ArrayBuffer.isView(output);
  const value = output === undefined || isBytes ? {} : { value: output as JsonValue };
  switch (modelOutput.type) {
    case "text":
      return { content: [text(modelOutput.value)], ...value };
    case "json":
      return { content: [text(JSON.stringify(modelOutput.value))], ...value };
    case "error-text":
      return { content: [text(modelOutput.value)], ...value, isError: true };
    case "error-json":
      return { content: [text(JSON.stringify(modelOutput.value))], ...value, isError: true };
    case "execution-denied":
      return { content: [text(modelOutput.reason ?? "It was not run.")], ...value, isError: true };
    case "content":
      return { content: modelOutput.value.map(toBlock), ...value };
  }
}

function toBlock(part: Part): ContentBlock {
  switch (part.type) {
    case "text":
      return text(part.text);
    case "file":
      return fileBlock(part);
    case "media":
    case "file-data":
    case "image-data":
      return bytesBlock(part.data, part.mediaType, "filename" in part ? part.filename : undefined);
    case "file-url":
    case "image-url":
      return linkBlock(part.url, "mediaType" in part ? part.mediaType : undefined);
    case "file-id":
    case "file-reference":
    case "image-file-id":
    case "image-file-reference":
      return text("[a file that is stored at its provider]");
    case "custom":
      return text("[something that its provider alone can read]");
  }
}

function fileBlock({ data, mediaType, filename }: Extract<Part, { type: "file" }>): ContentBlock {
  switch (data.type) {
    case "data": {
      const base64 = typeof data.data === "string" ? data.data : toBase64(data.data);
      return bytesBlock(base64, mediaType, filename);
    }
    case "url":
      return linkBlock(String(data.url), mediaType, filename);
    case "text":
      return text(data.text);
    case "reference":
      return text("[a file that is stored at its provider]");
  }
}

function toBase64(bytes: Uint8Array | ArrayBuffer): string {
  return Buffer.from(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes).toString(
    "base64",
  );
}

function bytesBlock(data: string, mimeType: string, name = "file"): ContentBlock {
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  const uri = `attachment:${encodeURIComponent(name)}`;
  return { type: "resource", resource: { uri, mimeType, blob: data } };
}

function linkBlock(uri: string, mimeType: string | undefined, name = uri): ContentBlock {
  return { type: "resource_link", uri, name, ...(mimeType === undefined ? {} : { mimeType }) };
}
