import { isContentBlock, type ContentBlock, type JsonValue } from "@toolweave/core";

/** A result whose content contains more than its value. */
export interface OutputForModel {
  readonly content: readonly ContentBlock[];
  readonly value?: JsonValue;
}

type Part =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image-data" | "file-data";
      readonly data: string;
      readonly mediaType: string;
    };

/** Converts the host's output to the content for the model: one text, or parts. */
export function modelOutput(output: unknown): object {
  if (isOutputForModel(output)) return contentOutput(output.content);
  return textOutput(typeof output === "string" ? output : (JSON.stringify(output) ?? ""));
}

/** True for a result that brings its content along. */
export function isOutputForModel(output: unknown): output is OutputForModel {
  if (typeof output !== "object" || output === null || !("content" in output)) return false;
  const { content, value: _, ...others } = output as Record<string, unknown>;
  return (
    Array.isArray(content) && content.every(isContentBlock) && Object.keys(others).length === 0
  );
}

/** The content as text, with a note for what is none. */
export function plainText(content: readonly ContentBlock[]): string {
  return content
    .map(contentPart)
    .map((part) => (part.type === "text" ? part.text : `[${part.mediaType}, not shown]`))
    .join("\n");
}

function contentOutput(content: readonly ContentBlock[]): object {
  const parts = content.map(contentPart);
  return parts.every(({ type }) => type === "text")
    ? textOutput(plainText(content))
    : { type: "content", value: parts };
}

/** Some models refuse a result without a text. */
function textOutput(text: string): object {
  return { type: "text", value: text === "" ? "(no output)" : text };
}

function contentPart(block: ContentBlock): Part {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image-data", data: block.data, mediaType: block.mimeType };
    case "audio":
      return { type: "file-data", data: block.data, mediaType: block.mimeType };
    case "resource": {
      const { uri, mimeType, text, blob } = block.resource;
      return blob === undefined
        ? { type: "text", text: text ?? uri }
        : { type: "file-data", data: blob, mediaType: mimeType ?? "application/octet-stream" };
    }
    case "resource_link": {
      // As text: a tool must not cause a download from a link.
      const { name, uri, description } = block;
      return { type: "text", text: `${name}: ${uri}${description ? ` (${description})` : ""}` };
    }
  }
}
