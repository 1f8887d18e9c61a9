import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { ToolResult, ToolSpec, Toolset } from "@toolweave/core";
import { modelContent, perObject, type ContentFile } from "@toolweave/core/integration";
import type { FilePart, ToolResultOutput, ToolResultPart } from "./message.ts";
import type { ModelCall } from "./model-answer.ts";

/** The listed tools of a toolset for a model; the same list for the same toolset. */
export const functionTools: (toolset: Toolset) => LanguageModelV4FunctionTool[] = perObject(
  (toolset: Toolset) => toolset.specs().flatMap(toFunctionTool),
);

/** The result of a call for a model. */
export function toResultOutput({
  content,
  isError,
}: Pick<ToolResult, "content" | "isError">): ToolResultOutput {
  if (isError) return { type: "error-text", value: modelContent(content) };
  const value = modelContent(content, toFilePart);
  return typeof value === "string" ? { type: "text", value } : { type: "content", value };
}

function toFilePart({ mediaType, data }: ContentFile): FilePart {
  return { type: "file", mediaType, data: { type: "data", data } };
}

/** Nothing for a tool whose schema cannot be read: the others remain. */
function toFunctionTool(spec: ToolSpec): LanguageModelV4FunctionTool | readonly never[] {
  try {
    const { name, description } = spec;
    const inputSchema = spec.inputSchema as LanguageModelV4FunctionTool["inputSchema"];
    return { type: "function", name, description, inputSchema };
  } catch {
    return [];
  }
}

/** The result of a call that the loop has not made. */
export function notRun({ id, name }: Pick<ModelCall, "id" | "name">, why: string): ToolResultPart {
  return {
    type: "tool-result",
    toolCallId: id,
    toolName: name,
    output: { type: "error-text", value: `${name} was not run: ${why}.` },
  };
}
