import type {
  ContentBlock,
  JsonObject,
  JsonValue,
  Tool,
  ToolError,
  ToolOutcome,
  ToolResult,
} from "@toolweave/core";
import { isObject, isRoundedWarning, withoutStructuredContent } from "@toolweave/core/adapter";
import { errorCode, McpError, getServerError } from "./request-port.ts";

/** An outcome of a call that has ended. */
export type EndedOutcome = Exclude<ToolOutcome, { status: "interrupted" }>;

/**
 * Converts an outcome to the client's result: content, structured content and `_meta` of an MCP server's tool
 * unchanged, artifacts as resource links. If integers of the structured content are rounded, `_meta` says so.
 *
 * @param tool The called tool; absent: there is none of that name.
 * @throws McpError for an unknown tool, and for a protocol error of an MCP server.
 */
export function toCallResult(outcome: EndedOutcome, tool: Tool | undefined): JsonObject {
  const { result, error } = outcome;
  const isMcp = tool?.spec.provenance.adapter === "mcp";
  if (error !== undefined) throwAsError(error, isMcp, tool);
  const value = getStructuredContent(result, tool);
  const warnings = value === undefined ? undefined : getWarnings(result);
  const meta = { ...(isMcp ? getMeta(result) : {}), ...warnings };
  // The added text is for readers of the content alone, and has the digits of rounded integers.
  const isRepeated = value !== undefined && warnings === undefined;
  const blocks = isRepeated ? withoutStructuredContent(result.content) : result.content;
  const content = [...blocks, ...result.artifacts.map(toResourceLink)];
  return {
    content: content as unknown as JsonValue,
    ...(value === undefined ? {} : { structuredContent: value }),
    ...(result.isError ? { isError: true } : {}),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}

/**
 * Converts an outcome to a result for a model that reads it directly: only the bounded content, because some clients
 * show the model the full structured content instead.
 *
 * @throws McpError as `toCallResult`.
 */
export function toModelResult({ result, error }: EndedOutcome, tool: Tool | undefined): JsonObject {
  if (error !== undefined) throwAsError(error, tool?.spec.provenance.adapter === "mcp", tool);
  const content = result.content as unknown as JsonValue;
  return { content, ...(result.isError ? { isError: true } : {}) };
}

/** Creates an error result with a text. */
export function errorResult(text: string): JsonObject {
  return { content: [{ type: "text", text }], isError: true };
}

/** Scheme of the URIs of artifacts. */
export const artifactScheme = "artifact:";

function throwAsError(error: ToolError, isMcp: boolean, tool: Tool | undefined): void {
  if (tool === undefined && (error.code === "not_found" || error.code === "not_advertised")) {
    throw new McpError(errorCode.invalidParams, error.message);
  }
  // An error of the MCP server is passed on unchanged.
  const serverError = isMcp ? getServerError(error) : undefined;
  if (serverError !== undefined) throw serverError;
}

/**
 * Returns the structured content. The value of an error is omitted if there is an output schema: the schema describes
 * successful results, and the official clients reject a result that does not match it, even with `isError`. A value
 * that was too large is omitted, unless an output schema requires it.
 */
function getStructuredContent(
  { value, isError, artifacts }: ToolResult,
  tool: Tool | undefined,
): JsonValue | undefined {
  if (tool?.spec.outputSchema !== undefined) return isError ? undefined : value;
  return artifacts.length > 0 ? undefined : value;
}

function getMeta({ details }: ToolResult): JsonObject | undefined {
  const meta = isObject(details) ? details["_meta"] : undefined;
  return isObject(meta) ? meta : undefined;
}

/** The member of `_meta` with the warnings about the structured content. */
const warningsKey = "toolweave/warnings";

/** Returns the warning that integers are rounded. Other members of `details` are for the host alone. */
function getWarnings({ details }: ToolResult): JsonObject | undefined {
  const warnings = isObject(details) ? details["warnings"] : undefined;
  const rounded = Array.isArray(warnings) ? warnings.filter(isRoundedWarning) : [];
  return rounded.length === 0 ? undefined : { [warningsKey]: rounded };
}

function toResourceLink({
  key,
  mediaType,
  size,
  name,
}: ToolResult["artifacts"][number]): ContentBlock {
  return {
    type: "resource_link",
    uri: `${artifactScheme}${key}`,
    name: name ?? key,
    mimeType: mediaType,
    size,
  };
}
