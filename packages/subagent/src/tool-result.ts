import type { ContentBlock, ToolResult } from "@toolweave/core";
import type { FilePart, ToolResultOutput } from "./message.ts";

type ContentPart = Extract<ToolResultOutput, { type: "content" }>["value"][number];

/** The result as a model reads it. */
export function resultOutput({
  content,
  isError,
}: Pick<ToolResult, "content" | "isError">): ToolResultOutput {
  const parts = content.map(contentPart);
  if (!isError && parts.some(({ type }) => type !== "text"))
    return { type: "content", value: parts };
  const value = parts
    .map((part) => (part.type === "text" ? part.text : `[${part.mediaType}, not shown]`))
    .join("\n");
  // Some models refuse a result without a text.
  return { type: isError ? "error-text" : "text", value: value === "" ? "(no output)" : value };
}

function contentPart(block: ContentBlock): ContentPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return file(block.data, block.mimeType);
    case "resource": {
      const { uri, mimeType, text, blob } = block.resource;
      return blob === undefined
        ? { type: "text", text: text ?? uri }
        : file(blob, mimeType ?? "application/octet-stream");
    }
    case "resource_link": {
      // As text: a provider would download a link that a tool chose.
      const { name, uri, description } = block;
      return { type: "text", text: `${name}: ${uri}${description ? ` (${description})` : ""}` };
    }
  }
}

function file(data: string, mediaType: string): Pick<FilePart, "type" | "mediaType" | "data"> {
  return { type: "file", mediaType, data: { type: "data", data } };
}
