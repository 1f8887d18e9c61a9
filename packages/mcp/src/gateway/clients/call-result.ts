import type {
  ContentBlock,
  JsonObject,
  JsonValue,
  Tool,
  ToolError,
  ToolOutcome,
  ToolResult,
} from "@toolweave/core";
import { isObject } from "../../schema/schema-keywords.ts";
import { errorCode, McpError, serverErrorIn } from "./request-port.ts";

/** An outcome that is an end. */
export type EndedOutcome = Exclude<ToolOutcome, { status: "interrupted" }>;

/**
 * What a client gets of a call: content, structured content and `_meta` of an MCP server's tool as they came, artifacts as
 * links that can be read.
 *
 * @param tool what was called; absent: it is not there.
 * @throws McpError for what the protocol calls no result: a tool that there is not, or an error of an MCP server's own.
 */
export function callResult(outcome: EndedOutcome, tool: Tool | undefined): JsonObject {
  const { result, error } = outcome;
  const isMcp = tool?.spec.provenance.adapter === "mcp";
  if (error !== undefined) throwAsError(error, isMcp, tool);
  const meta = isMcp ? metaOf(result) : undefined;
  const value = structured(result, tool);
  return {
    content: [...result.content, ...result.artifacts.map(linkTo)] as unknown as JsonValue,
    ...(value === undefined ? {} : { structuredContent: value }),
    ...(result.isError ? { isError: true } : {}),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/**
 * The same for a model that reads it as it comes: the bounded content alone. Some show a model structured content in its
 * place, whole.
 *
 * @throws McpError as above.
 */
export function modelResult({ result, error }: EndedOutcome, tool: Tool | undefined): JsonObject {
  if (error !== undefined) throwAsError(error, tool?.spec.provenance.adapter === "mcp", tool);
  const content = result.content as unknown as JsonValue;
  return { content, ...(result.isError ? { isError: true } : {}) };
}

/** A result that says in words what has gone wrong. */
export function errorResult(text: string): JsonObject {
  return { content: [{ type: "text", text }], isError: true };
}

/** Where an artifact can be read. */
export const artifactScheme = "artifact:";

function throwAsError(error: ToolError, isMcp: boolean, tool: Tool | undefined): void {
  if (tool === undefined && (error.code === "not_found" || error.code === "not_advertised")) {
    throw new McpError(errorCode.invalidParams, error.message);
  }
  // What a server answered in place of a result goes through as it came.
  const theirs = isMcp ? serverErrorIn(error) : undefined;
  if (theirs !== undefined) throw theirs;
}

/**
 * A value that was too large to be shown is not shown by another way. One that is promised by an output schema has to be
 * there all the same.
 */
function structured(
  { value, isError, artifacts }: ToolResult,
  tool: Tool | undefined,
): JsonValue | undefined {
  if (value === undefined) return undefined;
  const isPromised = tool?.spec.outputSchema !== undefined && !isError;
  return artifacts.length > 0 && !isPromised ? undefined : value;
}

function metaOf({ details }: ToolResult): JsonObject | undefined {
  const meta = isObject(details) ? details["_meta"] : undefined;
  return isObject(meta) ? meta : undefined;
}

function linkTo({ key, mediaType, size, name }: ToolResult["artifacts"][number]): ContentBlock {
  return {
    type: "resource_link",
    uri: `${artifactScheme}${key}`,
    name: name ?? key,
    mimeType: mediaType,
    size,
  };
}
