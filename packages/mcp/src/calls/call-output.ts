import {
  text,
  ToolError,
  type ContentBlock,
  type JsonValue,
  type ToolOutput,
} from "@toolweave/core";
import {
  isObject,
  isContentBlock,
  roundedIntegers,
  roundedWarning,
  stringifyExact,
  visibleText,
  withStructuredContent,
  truncate,
} from "@toolweave/core/adapter";
import { withoutNulls } from "../schema/null-members.ts";

const known = new Set<unknown>(["text", "image", "audio", "resource_link", "resource"]);

/** RFC 4648 section 4; padding may be missing, and lines may be broken. */
const base64 = /^[A-Za-z0-9+/\s]*(?:=\s*){0,2}$/;

/**
 * Converts a result of `tools/call` to an output: its blocks, and its structured content as the value. If no text holds
 * the structured content, its JSON is added. A block of an unknown type becomes text with its JSON.
 *
 * @throws ToolError `invalid_output` when it is not a valid result.
 */
export function toToolOutput(server: string, answer: unknown): ToolOutput {
  const {
    content: list,
    structuredContent,
    isError,
    _meta,
    resultType,
  } = isObject(answer) ? answer : {};
  if (resultType !== undefined && resultType !== "complete")
    throw unsupportedResultError(server, resultType);
  const content = list === null ? undefined : list;
  if (!Array.isArray(content) && (content !== undefined || structuredContent === undefined)) {
    throw invalidResultError(server, "has no content list");
  }
  const blocks = (content ?? []).map((block) => toContentBlock(server, block));
  const value = isAbsent(structuredContent, blocks) ? undefined : structuredContent;
  const warning = roundedWarning(roundedIntegers(value));
  const details = {
    ...(_meta === undefined ? {} : { _meta }),
    ...(warning === undefined ? {} : { warnings: [warning] }),
  };
  return {
    content: value === undefined ? blocks : addStructuredContent(server, blocks, value),
    ...(value === undefined ? {} : { value }),
    ...(isError === true ? { isError: true } : {}),
    ...(_meta === undefined && warning === undefined ? {} : { details }),
  };
}

/**
 * Validates a content block.
 *
 * @throws ToolError `invalid_output` when it is not valid.
 */
export function toContentBlock(server: string, given: JsonValue): ContentBlock {
  const block = isObject(given) ? withoutNulls(given) : given;
  const { type } = isObject(block) ? block : {};
  if (typeof type !== "string") throw invalidResultError(server, "has content without a type");
  if (!known.has(type)) return toJsonText(server, given);
  if (!isContentBlock(block))
    throw invalidResultError(server, `has invalid content of the type ${type}`);
  const data = getData(block);
  if (data !== undefined && !base64.test(data)) {
    throw invalidResultError(server, `has content of the type ${type} whose data is not base64`);
  }
  return block;
}

/** Servers of several languages write `null` for an absent member: beside other content it is none. */
function isAbsent(value: JsonValue | undefined, blocks: readonly ContentBlock[]): boolean {
  const isNull = (block: ContentBlock): boolean => block.type === "text" && block.text === "null";
  return value === undefined || (value === null && blocks.length > 0 && !blocks.some(isNull));
}

function addStructuredContent(
  server: string,
  blocks: readonly ContentBlock[],
  value: JsonValue,
): readonly ContentBlock[] {
  try {
    return withStructuredContent(blocks, value);
  } catch {
    throw invalidResultError(server, "is too deeply nested");
  }
}

function toJsonText(server: string, value: JsonValue | undefined): ContentBlock {
  try {
    return text(stringifyExact(value as JsonValue));
  } catch {
    throw invalidResultError(server, "is too deeply nested");
  }
}

function getData(block: ContentBlock): string | undefined {
  if (block.type === "image" || block.type === "audio") return block.data;
  return block.type === "resource" ? block.resource.blob : undefined;
}

function unsupportedResultError(server: string, type: JsonValue): ToolError {
  return new ToolError(
    "execution_failed",
    `The MCP server ${server} returned a result of the type ${formatResultType(type)}, which is not supported.`,
  );
}

function formatResultType(type: JsonValue): string {
  return typeof type === "string" ? `"${visibleText(type.slice(0, 100))}"` : "unknown";
}

function invalidResultError(server: string, fault: string): ToolError {
  return new ToolError(
    "invalid_output",
    `The result of the MCP server ${server} ${fault}. The call did run: do not repeat it before checking what it did.`,
  );
}

/** Characters of a progress message that are processed: an event contains 1,000 bytes of it. */
const maxProgressLength = 2_000;

/**
 * Sanitizes a progress message of a server for display: invisible characters and terminal control sequences are
 * removed.
 */
export function toProgressMessage(message: string): string {
  return visibleText(truncate(message, maxProgressLength));
}
