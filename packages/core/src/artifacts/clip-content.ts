import { text, type ContentBlock } from "../contract/content-block.ts";
import { truncateUtf8, utf8Length } from "../text/utf8.ts";

/** Maximum number of blocks of one output for a model, however short they are. */
export const maxBlocks = 200;

/** Limits of content. */
export interface ContentLimits {
  /** Bytes of text. */
  readonly bytes: number;
  /** Bytes of images and sound, decoded. */
  readonly mediaBytes: number;
  /** Base64 that is neither image nor sound may be shown, too: it counts as text. */
  readonly binary: boolean;
}

/**
 * Truncates the content to its limits, with a note of the full size and the advice.
 *
 * @param advice the end of the note.
 */
export function clipContent(
  content: readonly ContentBlock[],
  { bytes: limit, mediaBytes, binary }: ContentLimits,
  advice = "ask for less",
): ContentBlock[] {
  const total = content.reduce((sum, block) => sum + textSize(block) + mediaSize(block), 0);
  const note = `[cut: the whole output has ${total} bytes, of which ${limit} are shown; ${advice}]`;
  let left = Math.max(0, limit - note.length);
  let mediaLeft = mediaBytes;
  const kept: ContentBlock[] = [];
  for (const block of content) {
    if (left === 0 || kept.length === maxBlocks) break;
    const size = textSize(block);
    const media = mediaSize(block);
    if (block.type === "text" && size > left) {
      kept.push({ ...block, text: truncateUtf8(block.text, left) });
      left = 0;
    } else if (size > left || media > mediaLeft || (!binary && isBinary(block))) {
      const what = truncateUtf8(`[${block.type} of ${fullSize(block)} bytes left out]`, left);
      kept.push(text(what));
      left -= utf8Length(what);
    } else {
      kept.push(block);
      left -= size;
      mediaLeft -= media;
    }
  }
  return [...kept, text(truncateUtf8(note, limit))];
}

/** True for base64 that is neither image nor sound. */
export function isBinary(block: ContentBlock): boolean {
  return block.type === "resource" && block.resource.blob !== undefined;
}

function fullSize(block: ContentBlock): number {
  if (block.type !== "resource" || block.resource.blob === undefined) {
    return Math.max(mediaSize(block), textSize(block));
  }
  return decodedSize(block.resource.blob);
}

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
function decodedSize(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}
