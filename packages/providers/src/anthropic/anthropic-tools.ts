import type { ToolResult, Toolset } from "@toolweave/core";
import { contentParts, imageTypes, perObject, type ContentFile } from "@toolweave/core/integration";
import { exportedTools, type ExportedTools } from "../conversion/exported-tools.ts";
import {
  asFields,
  freezeList,
  asItems,
  toResults,
  type ProviderTools,
} from "../conversion/provider-tools.ts";
import { anthropicRules } from "../rules/all-rules.ts";

/** A custom tool of the Messages API: one of its `tools`. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
}

/** The images that the Messages API takes. */
export type AnthropicImageType = "image/gif" | "image/jpeg" | "image/png" | "image/webp";

/** One part of a tool's result. */
export type AnthropicResultPart =
  | { type: "text"; text: string }
  | {
      type: "image";
      source: { type: "base64"; media_type: AnthropicImageType; data: string };
    }
  | {
      type: "document";
      source: { type: "base64"; media_type: "application/pdf"; data: string };
    };

/** A tool's result: one block of the message that answers calls. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: AnthropicResultPart[];
  is_error?: true;
}

/** The one message that answers all calls of a turn: the API wants them together. */
export interface AnthropicMessage {
  role: "user";
  content: AnthropicToolResult[];
}

/** The parts of a Messages API response that are read. */
export interface AnthropicResponse {
  readonly content: readonly { readonly type?: unknown }[];
}

/** A snapshot of tools for the Messages API. */
export type AnthropicTools = ProviderTools<AnthropicTool, AnthropicResponse, AnthropicMessage>;

const pdf = "application/pdf";

/**
 * The tools of a snapshot for Anthropic's Messages API. Results contain PNG, JPEG, GIF and WebP images and PDF
 * documents; other files, and all files of an error, are named in their text.
 *
 * @param toolset the tools for the model: `executor.toolset`, or `run.toolset`.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools
 */
export const anthropicTools: (toolset: Toolset) => AnthropicTools = perObject((toolset) =>
  messagesTools(exportedTools(toolset, anthropicRules)),
);

function messagesTools(exported: ExportedTools): AnthropicTools {
  return {
    tools: freezeList(
      exported.tools.map(({ wireName, description, projection }) => ({
        name: wireName,
        description,
        input_schema: { ...projection.schema, type: "object" },
      })),
    ),
    problems: exported.problems,
    simplified: exported.simplified,
    calls: (response) =>
      asItems(asFields(response)["content"]).flatMap((block) => {
        const { type, id, name, input } = asFields(block);
        return type === "tool_use" ? [exported.call({ id, name, arguments: input })] : [];
      }),
    results: (outcomes) => {
      const content = toResults(outcomes).map(toToolResult);
      return content.length === 0 ? [] : [{ role: "user", content }];
    },
  };
}

function toToolResult({ callId, content, isError }: ToolResult): AnthropicToolResult {
  return {
    type: "tool_result",
    tool_use_id: callId,
    // An error that holds more than text is refused: https://github.com/vellum-ai/vellum-assistant/pull/18387.
    content: contentParts(content, isError ? () => undefined : toFilePart),
    ...(isError && { is_error: true }),
  };
}

function toFilePart({ mediaType, data }: ContentFile): AnthropicResultPart | undefined {
  if (mediaType === pdf) {
    return { type: "document", source: { type: "base64", media_type: pdf, data } };
  }
  if (!imageTypes.has(mediaType)) return undefined;
  const media_type = mediaType as AnthropicImageType;
  return { type: "image", source: { type: "base64", media_type, data } };
}
