import {
  isContentBlock,
  roundedIntegers,
  roundedWarning,
  stringifyExact,
  text,
  ToolError,
  visibleText,
  type ContentBlock,
  type JsonValue,
  type ToolOutput,
} from "@toolweave/core";
import { isObject } from "../schema/schema-keywords.ts";

const known = new Set<unknown>(["text", "image", "audio", "resource_link", "resource"]);

/** RFC 4648 section 4; padding may be missing, lines may be broken. */
const base64 = /^[A-Za-z0-9+/\s]*(?:=\s*){0,2}$/;

/**
 * The output of what a server answered to `tools/call`: its blocks as they are, its structured content as the value. A
 * block of a kind that is not known is its JSON, as text: nothing is lost.
 *
 * @throws ToolError `invalid_output` when it is no such answer.
 */
export function toToolOutput(server: string, answer: unknown): ToolOutput {
  const {
    content,
    structuredContent: value,
    isError,
    _meta,
    resultType,
  } = isObject(answer) ? answer : {};
  if (resultType !== undefined && resultType !== "complete")
    throw unknownResult(server, resultType);
  if (!Array.isArray(content) && (content !== undefined || value === undefined)) {
    throw misshapen(server, "has no list of content");
  }
  const blocks = (content ?? []).map((block) => toContentBlock(server, block));
  const stands = blocks.length > 0 || value === undefined;
  const warning = roundedWarning(roundedIntegers(value));
  const details = {
    ...(_meta === undefined ? {} : { _meta }),
    ...(warning === undefined ? {} : { warnings: [warning] }),
  };
  return {
    content: stands ? blocks : [jsonOf(server, value)],
    ...(value === undefined ? {} : { value }),
    ...(isError === true ? { isError: true } : {}),
    ...(_meta === undefined && warning === undefined ? {} : { details }),
  };
}

/** A block of content as it is. @throws ToolError `invalid_output` when it is none. */
export function toContentBlock(server: string, block: JsonValue): ContentBlock {
  const { type } = isObject(block) ? block : {};
  if (typeof type !== "string") throw misshapen(server, "has content that says of no kind it is");
  if (!known.has(type)) return jsonOf(server, block);
  if (!isContentBlock(block))
    throw misshapen(server, `has content of the kind ${type} that is none`);
  const bytes = bytesOf(block);
  if (bytes !== undefined && !base64.test(bytes)) {
    throw misshapen(server, `has content of the kind ${type} whose bytes are no base64`);
  }
  return block;
}

function jsonOf(server: string, value: JsonValue | undefined): ContentBlock {
  try {
    return text(stringifyExact(value as JsonValue));
  } catch {
    throw misshapen(server, "nests too deep to be written down");
  }
}

function bytesOf(block: ContentBlock): string | undefined {
  if (block.type === "image" || block.type === "audio") return block.data;
  return block.type === "resource" ? block.resource.blob : undefined;
}

function unknownResult(server: string, type: JsonValue): ToolError {
  return new ToolError(
    "execution_failed",
    `The MCP server ${server} answered with ${shownKind(type)} in place of a result, which is not supported here.`,
  );
}

function shownKind(type: JsonValue): string {
  return typeof type === "string" ? `"${visibleText(type.slice(0, 100))}"` : "something else";
}

function misshapen(server: string, what: string): ToolError {
  return new ToolError(
    "invalid_output",
    `The answer of the MCP server ${server} ${what}. The call did run: do not repeat it before checking what it did.`,
  );
}

/** Characters of what a server says of its progress that are looked at: an event has 1,000 bytes of it. */
const mostOfMessage = 2_000;

/** What a server says of its progress, for whoever watches: without what nobody sees, and what steers a terminal. */
export function toProgressMessage(message: string): string {
  return visibleText(message.slice(0, mostOfMessage));
}
