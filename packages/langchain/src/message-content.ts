import type { ContentBlock } from "@toolweave/core";
import type { ContentBlock as MessageBlock } from "@langchain/core/messages";

/**
 * The media types of images that all providers accept: a request with another type would be rejected, and with it every
 * later one.
 */
const images = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The content of a result for the model: one text, or LangChain's standard blocks if there is more. */
export type MessageContent = string | MessageBlock.Standard[];

/** The content in LangChain's words. Some models refuse a result without a text: there always is one. */
export function messageContent(content: readonly ContentBlock[]): MessageContent {
  const blocks = content.map(messageBlock);
  const media = blocks.filter(({ type }) => type !== "text");
  if (media.length === 0) return plainText(content);
  if (media.length < blocks.length) return blocks;
  // Providers that do not support such a block omit it: the text must mention it.
  return [{ type: "text", text: media.map(named).join("\n") }, ...blocks];
}

/** The content as text, with a note for what is none. */
export function plainText(content: readonly ContentBlock[]): string {
  const text = content
    .map(messageBlock)
    .map((block) => (block.type === "text" ? block.text : named(block)))
    .join("\n");
  return text === "" ? "(no output)" : text;
}

function named(block: MessageBlock.Standard): string {
  return `[${"mimeType" in block ? String(block.mimeType) : block.type}]`;
}

function messageBlock(block: ContentBlock): MessageBlock.Standard {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return image(block.data, block.mimeType);
    case "audio":
      return { type: "audio", data: block.data, mimeType: block.mimeType };
    case "resource": {
      const { uri, mimeType = "application/octet-stream", text, blob } = block.resource;
      if (blob === undefined) return { type: "text", text: text ?? uri };
      if (mimeType.startsWith("image/")) return image(blob, mimeType);
      return { type: "file", data: blob, mimeType };
    }
    case "resource_link": {
      // As text: a provider would download a link that a tool chose.
      const { name, uri, description } = block;
      return { type: "text", text: `${name}: ${uri}${description ? ` (${description})` : ""}` };
    }
  }
}

function image(data: string, mimeType: string): MessageBlock.Standard {
  return images.has(mimeType)
    ? { type: "image", data, mimeType }
    : { type: "text", text: `[${mimeType}, not shown]` };
}
