import { text, type ContentBlock } from "../contract/content-block.ts";
import { stringifyExact } from "../contract/exact-json.ts";
import { isObject, type JsonValue } from "../json/json.ts";
import { canonicalJson } from "../json/canonical-json.ts";

/** The member of a block's `_meta` that marks the text which `withStructuredContent` has added. */
const addedKey = "toolweave/structuredContent";

/**
 * Adds the JSON of structured content to the blocks of a result, unless their texts hold it: models read only the
 * blocks. Without a text or a file, the JSON is all of the content.
 *
 * @param content blocks of an MCP result.
 * @param value `structuredContent` of the same result.
 * @throws RangeError if the value nests too deep to be written.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#structured-content
 */
export function withStructuredContent(
  content: readonly ContentBlock[],
  value: JsonValue,
): readonly ContentBlock[] {
  const filled = content.filter((block) => block.type !== "text" || block.text !== "");
  if (filled.length === 0) return [text(stringifyExact(value))];
  if (isEmpty(value) || holdsValue(filled.flatMap(readText), value)) return content;
  return [...filled, { ...text(stringifyExact(value)), _meta: { [addedKey]: true } }];
}

/** The blocks as the server sent them, for a client that receives the structured content as well. */
export function withoutStructuredContent(
  content: readonly ContentBlock[],
): readonly ContentBlock[] {
  const isAdded = ({ _meta }: ContentBlock): boolean => _meta?.[addedKey] === true;
  return content.some(isAdded) ? content.filter((block) => !isAdded(block)) : content;
}

function isEmpty(value: JsonValue): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function readText(block: ContentBlock): readonly string[] {
  if (block.type === "text") return [block.text];
  return block.type === "resource" && block.resource.text !== undefined
    ? [block.resource.text]
    : [];
}

/**
 * True if a text holds the value, or if there is one text for each item of a list. SDKs put a value that is no object
 * into an object with the one member `result`, and do not repeat that in the text.
 */
function holdsValue(texts: readonly string[], value: JsonValue): boolean {
  if (holdsOrLists(texts, value)) return true;
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  const { result } = value;
  return result !== undefined && holdsOrLists(texts, result);
}

function holdsOrLists(texts: readonly string[], value: JsonValue): boolean {
  if (texts.some(containsJson(value))) return true;
  if (!Array.isArray(value) || texts.length !== value.length) return false;
  return texts.every((one, index) => containsJson(value[index] as JsonValue)(one));
}

/** A test whether a text is the value, as text or as JSON, or has its JSON between other words. */
function containsJson(value: JsonValue): (text: string) => boolean {
  if (typeof value !== "object" || value === null) {
    const json = JSON.stringify(value);
    return (one) => one === value || one.trim() === json;
  }
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const json = JSON.stringify(value);
  let canonical: string | undefined;
  return (one) => {
    const part = one.slice(one.indexOf(open), one.lastIndexOf(close) + 1);
    if (part === json) return true;
    try {
      return canonicalJson(JSON.parse(part)) === (canonical ??= canonicalJson(value));
    } catch {
      return false;
    }
  };
}
