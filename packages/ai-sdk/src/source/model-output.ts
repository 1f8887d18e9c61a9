import { isContentBlock, type ContentBlock } from "@toolweave/core";
import type { Tool } from "ai";

/** The output that the SDK sends to a model as a tool's result. */
export type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>;

type ContentPart = Extract<ModelOutput, { type: "content" }>["value"][number];

/** The maximum length, in UTF-16 units, of a value without its original content. */
const maxListed = 50_000;

const remembered = new WeakMap<object, () => ModelOutput>();

/** Keeps what the model reads with what the host reads, for as long as that lives. */
export function remember<Output extends object>(output: Output, model: () => ModelOutput): Output {
  remembered.set(output, model);
  return output;
}

/**
 * The content for the model in place of the host's output: the content that came with it. An output that was serialized
 * in between, such as one in a user interface's messages, has lost it: content blocks are used as they are, and a value
 * becomes its JSON text, truncated at 50,000 characters.
 */
export function modelOutput(output: unknown): ModelOutput {
  if (typeof output === "string") return textOutput(output);
  if (typeof output === "object" && output !== null) {
    const known = remembered.get(output);
    if (known !== undefined) return known();
    if (Array.isArray(output) && output.length > 0 && output.every(isContentBlock)) {
      return contentOutput(output);
    }
  }
  const json = JSON.stringify(output) ?? "";
  const value = json.length > maxListed ? `${json.slice(0, maxListed)}… [cut]` : json;
  return { type: "text", value };
}

/** Content in the SDK's form: one text if it has only that, parts otherwise. */
export function contentOutput(content: readonly ContentBlock[]): ModelOutput {
  const parts = content.map(contentPart);
  return parts.some(({ type }) => type !== "text")
    ? { type: "content", value: parts }
    : textOutput(plainText(content));
}

/** Some models refuse a result without a text. */
function textOutput(text: string): ModelOutput {
  return { type: "text", value: text === "" ? "(no output)" : text };
}

/** The content as text, with a note for what is none. */
export function plainText(content: readonly ContentBlock[]): string {
  return content
    .map(contentPart)
    .map((part) => (part.type === "text" ? part.text : `[${mediaTypeOf(part)}, not shown]`))
    .join("\n");
}

function mediaTypeOf(part: ContentPart): string {
  return part.type === "file" ? part.mediaType : part.type;
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
      // As text: the SDK would download a link that a tool chose.
      const { name, uri, description } = block;
      return { type: "text", text: `${name}: ${uri}${description ? ` (${description})` : ""}` };
    }
  }
}

function file(base64: string, mediaType: string): ContentPart {
  return { type: "file", mediaType, data: { type: "data", data: base64 } };
}
