import { isContentBlock, type ContentBlock } from "../contract/content-block.ts";
import type { ToolOutput } from "../contract/tool-result.ts";

/** A record of all of them, so that none is forgotten. */
const outputKeys: Record<keyof ToolOutput, true> = {
  content: true,
  value: true,
  isError: true,
  error: true,
  artifacts: true,
  details: true,
  childRunId: true,
  provider: true,
};

/** True for an object that is an output, and not data. */
export function isOutput(value: object): value is ToolOutput {
  return (
    "content" in value &&
    isBlockList(value.content) &&
    Object.keys(value).every((key) => Object.hasOwn(outputKeys, key))
  );
}

/** A longer list is data: an output of so many blocks would be cut anyway. */
const maxBlocks = 1_000_000;

/** True for a list of nothing but content blocks. */
export function isBlockList(value: unknown): value is readonly ContentBlock[] {
  if (!Array.isArray(value) || value.length > maxBlocks) return false;
  // Not `every`, which visits all the holes of a list that claims billions of items.
  for (let index = 0; index < value.length; index++) {
    if (!isContentBlock(value[index])) return false;
  }
  return true;
}
