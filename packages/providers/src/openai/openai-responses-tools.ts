import type { ToolResult, Toolset } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import {
  fileName,
  imageTypes,
  modelContent,
  perObject,
  type ContentFile,
} from "@toolweave/core/integration";
import { exportedTools, type ExportedTools } from "../conversion/exported-tools.ts";
import {
  asFields,
  freezeList,
  asItems,
  toResults,
  type ProviderTools,
} from "../conversion/provider-tools.ts";
import { openAiRules, openAiStrictRules } from "../rules/all-rules.ts";
import type { OpenAiOptions } from "./openai-chat-tools.ts";

/** A function of the Responses API: one of its `tools`. */
export interface OpenAiResponsesTool {
  type: "function";
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  /** Always there: without it the API reads a function as strict. */
  strict: boolean;
}

/** One part of an output that is more than text. */
export type OpenAiOutputPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: "auto" }
  | { type: "input_file"; filename: string; file_data: string };

/** A tool's result: an item of the Responses API's `input`. */
export interface OpenAiOutputItem {
  type: "function_call_output";
  call_id: string;
  output: string | OpenAiOutputPart[];
}

/** The parts of a Responses API response that are read. */
export interface OpenAiResponse {
  readonly output: readonly { readonly type?: unknown }[];
}

/** A snapshot of tools for the Responses API. */
export type OpenAiResponsesTools = ProviderTools<
  OpenAiResponsesTool,
  OpenAiResponse,
  OpenAiOutputItem
>;

/**
 * The tools of a snapshot for OpenAI's Responses API. Results contain PNG, JPEG, GIF and WebP images and PDF documents;
 * other files are named in their text.
 *
 * @param toolset the tools for the model: `executor.toolset`, or `run.toolset`.
 * @throws ToolError `invalid_configuration` for an unknown option.
 * @see https://developers.openai.com/api/docs/guides/function-calling
 */
export function openAiResponsesTools(
  toolset: Toolset,
  options: OpenAiOptions = {},
): OpenAiResponsesTools {
  checkOptions("openAiResponsesTools", options, ["strict"]);
  return options.strict === true ? strictTools(toolset) : looseTools(toolset);
}

const looseTools = perObject((toolset: Toolset) =>
  responsesTools(exportedTools(toolset, openAiRules)),
);
const strictTools = perObject((toolset: Toolset) =>
  responsesTools(exportedTools(toolset, openAiStrictRules, openAiRules)),
);

function responsesTools(exported: ExportedTools): OpenAiResponsesTools {
  return {
    tools: freezeList(
      exported.tools.map((tool) => ({
        type: "function",
        name: tool.wireName,
        description: tool.description,
        parameters: { ...tool.projection.schema },
        strict: tool.rules === openAiStrictRules,
      })),
    ),
    problems: exported.problems,
    simplified: exported.simplified,
    calls: (response) =>
      asItems(asFields(response)["output"]).flatMap((item) => {
        const { type, call_id: id, name, arguments: args } = asFields(item);
        return type === "function_call" ? [exported.call({ id, name, arguments: args })] : [];
      }),
    results: (outcomes) =>
      toResults(outcomes).map((result) => ({
        type: "function_call_output",
        call_id: result.callId,
        output: toOutput(result),
      })),
  };
}

function toOutput({ content }: ToolResult): string | OpenAiOutputPart[] {
  const output = modelContent(content, toFilePart);
  if (typeof output === "string") return output;
  return output.map((part) => (part.type === "text" ? { ...part, type: "input_text" } : part));
}

function toFilePart(file: ContentFile): OpenAiOutputPart | undefined {
  const { mediaType, data } = file;
  const url = `data:${mediaType};base64,${data}`;
  if (imageTypes.has(mediaType)) return { type: "input_image", image_url: url, detail: "auto" };
  if (mediaType !== "application/pdf") return undefined;
  return { type: "input_file", filename: fileName(file) ?? "document.pdf", file_data: url };
}
