import type { JsonValue, ToolResult, Toolset } from "@toolweave/core";
import { isOwnCallId } from "../conversion/call-ids.ts";
import { exportedTools, type ExportedTools } from "../conversion/exported-tools.ts";
import { frozen, perToolset } from "../conversion/per-toolset.ts";
import type { ProviderTools } from "../conversion/provider-tools.ts";
import { fieldsOf, itemsOf } from "../conversion/response-parts.ts";
import { geminiRules } from "../rules/gemini-rules.ts";
import { membersOf } from "../schema/subschemas.ts";
import { answerParts, resultsOf } from "../conversion/tool-answers.ts";

/** A function as Gemini receives it. */
export interface GeminiFunction {
  name: string;
  description: string;
  /** Absent: the function takes no arguments. */
  parametersJsonSchema?: Record<string, unknown>;
}

/** An entry of `tools` for `generateContent`: all functions at once. */
export interface GeminiTool {
  functionDeclarations: GeminiFunction[];
}

/** A tool's result: one part of a content. */
export interface GeminiResultPart {
  functionResponse: {
    /** Absent where the model gave the call no id. */
    id?: string;
    name: string;
    response: { output: JsonValue } | { error: string };
    parts?: { inlineData: { mimeType: string; data: string } }[];
  };
}

/** The one content that answers all calls of a turn. */
export interface GeminiContent {
  role: "user";
  parts: GeminiResultPart[];
}

/** The parts of a `generateContent` response that are read. */
export interface GeminiResponse {
  readonly candidates?: readonly { readonly content?: unknown }[];
}

/** A snapshot of tools for Gemini. */
export type GeminiTools = ProviderTools<GeminiTool, GeminiResponse, GeminiContent>;

/** The media types that a function response may hold beside its JSON. */
const files = new Set(["application/pdf", "image/jpeg", "image/png", "image/webp", "text/plain"]);

/**
 * The tools of a snapshot for the Gemini API, and for Gemini on Vertex AI. Results contain PNG, JPEG and WebP images,
 * PDF documents and plain text to models of Gemini 3 or later; other files are named in their text.
 *
 * @param toolset the tools for the model: `executor.toolset`, or `run.toolset`.
 * @see https://ai.google.dev/gemini-api/docs/function-calling
 */
export const geminiTools: (toolset: Toolset) => GeminiTools = perToolset((toolset) =>
  contentTools(exportedTools(toolset, geminiRules)),
);

function contentTools(exported: ExportedTools): GeminiTools {
  const functionDeclarations = exported.tools.map(({ wireName, description, projection }) => ({
    name: wireName,
    description,
    // An object without properties is rejected; without a schema there are no arguments.
    ...(membersOf(projection.schema["properties"]).length > 0 && {
      parametersJsonSchema: { ...projection.schema },
    }),
  }));
  return {
    tools: frozen(functionDeclarations.length === 0 ? [] : [{ functionDeclarations }]),
    problems: exported.problems,
    simplified: exported.simplified,
    calls: (response) => {
      const [candidate] = itemsOf(fieldsOf(response)["candidates"]);
      return itemsOf(fieldsOf(fieldsOf(candidate)["content"])["parts"]).flatMap((part) => {
        const { functionCall } = fieldsOf(part);
        if (functionCall === undefined) return [];
        // Arguments are optional in the API.
        const { id, name, args = {} } = fieldsOf(functionCall);
        return [exported.call({ id, name, arguments: args })];
      });
    },
    results: (outcomes) => {
      const parts = resultsOf(outcomes).map((result) => resultPart(result, exported));
      return parts.length === 0 ? [] : [{ role: "user", parts }];
    },
  };
}

function resultPart(result: ToolResult, { wireName }: ExportedTools): GeminiResultPart {
  const declared = answerParts(result, ({ mediaType }) => files.has(mediaType));
  const text = declared.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const inline = declared.flatMap((part) =>
    part.type === "file"
      ? [{ inlineData: { mimeType: part.file.mediaType, data: part.file.data } }]
      : [],
  );
  return {
    functionResponse: {
      ...(!isOwnCallId(result.callId) && { id: result.callId }),
      name: wireName(result.toolName),
      response: result.isError ? { error: text } : { output: valueOf(result, text) },
      ...(inline.length > 0 && { parts: inline }),
    },
  };
}

/** The structured value if the content for the model is exactly its JSON. */
function valueOf({ value }: ToolResult, text: string): JsonValue {
  return value !== undefined && JSON.stringify(value) === text ? value : text;
}
