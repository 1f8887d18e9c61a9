import { text, type ContentBlock } from "../contract/content-block.ts";
import { truncateUtf8, utf8Length } from "../text/truncate-utf8.ts";
import { decodedSize, mediaSize, textSize } from "./block-size.ts";

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
