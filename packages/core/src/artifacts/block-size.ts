import type { ContentBlock } from "../contract/content-block.ts";
import { utf8Length } from "../text/truncate-utf8.ts";

/** Bytes of text in a block, without images and sound, which have a limit of their own. */
export function textSize(block: ContentBlock): number {
  switch (block.type) {
    case "text":
      return utf8Length(block.text);
    case "image":
    case "audio":
      return utf8Length(block.mimeType);
    case "resource": {
      const { uri, mimeType, text, blob = "" } = block.resource;
      return blob.length + sum(uri, mimeType, text);
    }
    case "resource_link":
      return sum(block.uri, block.name, block.title, block.description, block.mimeType);
  }
}

/** Optional members are as the tool wrote them, of any type. */
function sum(...texts: unknown[]): number {
  let bytes = 0;
  for (const text of texts) if (typeof text === "string") bytes += utf8Length(text);
  return bytes;
}

/** Bytes of an image or a sound, decoded; 0 for what is neither. */
export function mediaSize(block: ContentBlock): number {
  return block.type === "image" || block.type === "audio" ? decodedSize(block.data) : 0;
}

/** Number of bytes that a base64 text encodes. */
export function decodedSize(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}
