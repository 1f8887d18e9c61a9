import type { ToolCall, Toolset } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import { modelContent, perObject } from "@toolweave/core/integration";
import { exportedTools, type ExportedTools } from "../conversion/exported-tools.ts";
import {
  asFields,
  freezeList,
  asItems,
  toResults,
  type ProviderTools,
} from "../conversion/provider-tools.ts";
import { openAiRules, openAiStrictRules } from "../rules/all-rules.ts";

/** Options of the functions for OpenAI. */
export interface OpenAiOptions {
  /**
   * Sends tools with `strict: true`, where their schemas allow that: the model then writes only valid arguments. A tool
   * that has to take keys without a name, or for which `null` differs from an absent value, stays `strict: false` and
   * is named in `simplified`. Default: false.
   */
  readonly strict?: boolean;
}

/** A function of the Chat Completions API: one of its `tools`. */
export interface OpenAiChatTool {
  type: "function";
  function: {
    name: string;
    description: string;
    parameters: Record<string, unknown>;
    strict: boolean;
  };
}

/** A tool's result: one of the messages of the Chat Completions API. */
export interface OpenAiChatMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** The parts of a Chat Completions API response that are read. */
export interface OpenAiChatResponse {
  readonly choices: readonly { readonly message: { readonly tool_calls?: unknown } }[];
}

/** A snapshot of tools for the Chat Completions API. */
export type OpenAiChatTools = ProviderTools<OpenAiChatTool, OpenAiChatResponse, OpenAiChatMessage>;

/**
 * The tools of a snapshot for OpenAI's Chat Completions API, and for the many servers that speak it. Its tool messages
 * are text: images and documents are only named there.
 *
 * @param toolset the tools for the model: `executor.toolset`, or `run.toolset`.
 * @throws ToolError `invalid_configuration` for an unknown option.
 * @see https://developers.openai.com/api/docs/guides/function-calling
 */
export function openAiChatTools(toolset: Toolset, options: OpenAiOptions = {}): OpenAiChatTools {
  checkOptions("openAiChatTools", options, ["strict"]);
  return options.strict === true ? strictTools(toolset) : looseTools(toolset);
}

const looseTools = perObject((toolset: Toolset) => chatTools(exportedTools(toolset, openAiRules)));
const strictTools = perObject((toolset: Toolset) =>
  chatTools(exportedTools(toolset, openAiStrictRules, openAiRules)),
);

function chatTools(exported: ExportedTools): OpenAiChatTools {
  return {
    tools: freezeList(
      exported.tools.map((tool) => ({
        type: "function",
        function: {
          name: tool.wireName,
          description: tool.description,
          parameters: { ...tool.projection.schema },
          strict: tool.rules === openAiStrictRules,
        },
      })),
    ),
    problems: exported.problems,
    simplified: exported.simplified,
    calls: (response) => readCalls(response, exported),
    results: (outcomes) =>
      toResults(outcomes).map((result) => ({
        role: "tool",
        tool_call_id: result.callId,
        content: modelContent(result.content),
      })),
  };
}

function readCalls(response: OpenAiChatResponse, exported: ExportedTools): ToolCall[] {
  const [choice] = asItems(asFields(response)["choices"]);
  const calls = asItems(asFields(asFields(choice)["message"])["tool_calls"]);
  return calls.flatMap((entry) => {
    const { id, type = "function", function: called } = asFields(entry);
    // A custom tool is the host's own: none of ours is sent as one.
    if (type !== "function") return [];
    const { name, arguments: args } = asFields(called);
    return [exported.call({ id, name, arguments: args })];
  });
}
