import { checkOptions, type ToolResult, type Toolset } from "@toolweave/core";
import { exportedTools, type ExportedTools } from "../conversion/exported-tools.ts";
import { frozen, perToolset } from "../conversion/per-toolset.ts";
import type { ProviderTools } from "../conversion/provider-tools.ts";
import { fieldsOf, itemsOf } from "../conversion/response-parts.ts";
import { openAiRules, openAiStrictRules } from "../rules/openai-rules.ts";
import { answerParts, resultsOf, type AnswerFile } from "../conversion/tool-answers.ts";
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

/** The media types that the API accepts as `input_image`. */
const images = new Set(["image/gif", "image/jpeg", "image/png", "image/webp"]);
const pdf = "application/pdf";

/**
 * The tools of a snapshot for OpenAI's Responses API. Results contain PNG, JPEG, GIF and WebP images and PDF documents;
 * other files are named in their text.
 *
 * @param toolset the tools for the model: `executor.toolset`, or `run.toolset`.
 * @throws ToolError `internal` for an unknown option.
 * @see https://developers.openai.com/api/docs/guides/function-calling
 */
export function openAiResponsesTools(
  toolset: Toolset,
  options: OpenAiOptions = {},
): OpenAiResponsesTools {
  checkOptions("openAiResponsesTools", options, ["strict"]);
  return options.strict === true ? strictTools(toolset) : looseTools(toolset);
}

const looseTools = perToolset((toolset) => responsesTools(exportedTools(toolset, openAiRules)));
const strictTools = perToolset((toolset) =>
  responsesTools(exportedTools(toolset, openAiStrictRules, openAiRules)),
);

function responsesTools(exported: ExportedTools): OpenAiResponsesTools {
  return {
    tools: frozen(
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
      itemsOf(fieldsOf(response)["output"]).flatMap((item) => {
        const { type, call_id: id, name, arguments: args } = fieldsOf(item);
        return type === "function_call" ? [exported.call({ id, name, arguments: args })] : [];
      }),
    results: (outcomes) =>
      resultsOf(outcomes).map((result) => ({
        type: "function_call_output",
        call_id: result.callId,
        output: outputOf(result),
      })),
  };
}

function outputOf(result: ToolResult): string | OpenAiOutputPart[] {
  const parts = answerParts(result, ({ mediaType }) => images.has(mediaType) || mediaType === pdf);
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length === parts.length) return texts.join("\n");
  return parts.map((part) =>
    part.type === "text" ? { type: "input_text", text: part.text } : filePart(part.file),
  );
}

function filePart({ mediaType, data, name }: AnswerFile): OpenAiOutputPart {
  const url = `data:${mediaType};base64,${data}`;
  if (images.has(mediaType)) return { type: "input_image", image_url: url, detail: "auto" };
  const last =
    (name ?? "")
      .replace(/[?#].*$/, "")
      .split("/")
      .at(-1) ?? "";
  return { type: "input_file", filename: last === "" ? "document.pdf" : last, file_data: url };
}
