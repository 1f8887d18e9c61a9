import {
  isContentBlock,
  text,
  type ContentBlock,
  type TextBlock,
} from "../contract/content-block.ts";
import type { JsonObject, JsonValue } from "../json/json.ts";
import type { ToolOutput } from "../contract/tool-result.ts";
import { truncateUtf8, isWellFormed, wellFormed } from "../text/utf8.ts";
import { toJson, maxBytes, plainBytes, wellFormedValue, type Cut } from "../json/to-json.ts";

/** The maximum size in bytes of a tool's artifact references: a key and a few words for each. */
const maxArtifactsBytes = 1_048_576;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Copies an output as JSON of at most `limit` bytes. Unknown members of blocks stay. If the output is
 * truncated, it says so. A value that does not fit is omitted, since half a value is another value.
 *
 * The copy is always a new object with new blocks, and each member is read once. So what is searched
 * for secrets is what is returned, even if the members of the tool's object change between reads.
 */
export function properOutput(
  output: ToolOutput,
  limit: number = maxBytes,
  cut: Cut = { truncated: false },
): ToolOutput {
  const { content, value, isError, error, artifacts, details, childRunId, provider } = output;
  const proper: Writable<ToolOutput> = { content: properContent(content, limit, cut) };
  if (value !== undefined) {
    const short: Cut = { truncated: false };
    const json = wellFormedJson(toJson(value, limit, short), limit);
    if (short.truncated) cut.truncated = true;
    else proper.value = json;
  }
  if (isError !== undefined) proper.isError = isError;
  if (error !== undefined) proper.error = error;
  if (Array.isArray(artifacts)) {
    proper.artifacts = toJson(artifacts, maxArtifactsBytes) as unknown as NonNullable<
      typeof artifacts
    >;
  }
  if (details !== undefined) proper.details = wellFormedJson(toJson(details, limit), limit);
  if (typeof childRunId === "string") proper.childRunId = childRunId;
  if (provider !== undefined) {
    proper.provider = wellFormedJson(toJson(provider, limit), limit) as NonNullable<
      ToolOutput["provider"]
    >;
  }
  return proper;
}

/** The very same value where each text in it is valid Unicode: stores, hashes and other runtimes refuse halves. */
function wellFormedJson(json: JsonValue, limit: number): JsonValue {
  return isWellFormedJson(json) ? json : wellFormedValue(json, limit);
}

function isWellFormedJson(json: JsonValue): boolean {
  if (typeof json === "string") return isWellFormed(json);
  if (typeof json !== "object" || json === null) return true;
  if (Array.isArray(json)) return json.every(isWellFormedJson);
  for (const key in json as JsonObject) {
    if (!isWellFormed(key) || !isWellFormedJson((json as JsonObject)[key] as JsonValue))
      return false;
  }
  return true;
}

function properContent(
  content: readonly ContentBlock[],
  limit: number,
  cut: Cut,
): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  let left = limit;
  if (content.length === 1) {
    const block = content[0] as ContentBlock;
    return [bareText(block, left) ?? properBlock(block, left, cut)];
  }
  for (let index = 0; index < content.length; index++) {
    if (left <= 0) {
      cut.truncated = true;
      break;
    }
    const block = content[index] as ContentBlock;
    const proper = bareText(block, left) ?? properBlock(block, left, cut);
    left -= Math.max(1, plainBytes(proper));
    blocks.push(proper);
  }
  return blocks;
}

/** The ordinary case: a text, and nothing beside it. */
function bareText(block: ContentBlock, limit: number): TextBlock | undefined {
  for (const key in block) if (key !== "type" && key !== "text") return undefined;
  const { type, text: said } = block as TextBlock;
  if (type !== "text" || said.length > limit || !isWellFormed(said)) return undefined;
  return text(said);
}

function properBlock(block: ContentBlock, left: number, cut: Cut): ContentBlock {
  const short: Cut = { truncated: false };
  const json = wellFormedValue(block, left, short);
  if (!short.truncated && isContentBlock(json)) return json;
  cut.truncated = true;
  const { type, text: said } = block as TextBlock;
  // Half of an image is none.
  if (type !== "text") return text(`[${String(type)} left out: it is more than is kept]`);
  return text(wellFormed(truncateUtf8(said.slice(0, left + 1), left)));
}

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
