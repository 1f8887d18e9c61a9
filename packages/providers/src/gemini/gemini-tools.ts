import type { JsonValue, ToolResult, Toolset } from "@toolweave/core";
import { contentParts, perObject, type ContentFile } from "@toolweave/core/integration";
import {
  exportedTools,
  isGeneratedCallId,
  type ExportedTools,
} from "../conversion/exported-tools.ts";
import {
  asFields,
  freezeList,
  asItems,
  toResults,
  type ProviderTools,
} from "../conversion/provider-tools.ts";
import { geminiRules } from "../rules/all-rules.ts";
import { asEntries } from "../schema/keywords.ts";

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
    parts?: GeminiFilePart[];
  };
}

/** A file beside the JSON of a tool's result. */
export interface GeminiFilePart {
  inlineData: { mimeType: string; data: string };
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
export const geminiTools: (toolset: Toolset) => GeminiTools = perObject((toolset) =>
  contentTools(exportedTools(toolset, geminiRules)),
);

function contentTools(exported: ExportedTools): GeminiTools {
  const functionDeclarations = exported.tools.map(({ wireName, description, projection }) => ({
    name: wireName,
    description,
    // An object without properties is rejected; without a schema there are no arguments.
    ...(asEntries(projection.schema["properties"]).length > 0 && {
      parametersJsonSchema: { ...projection.schema },
    }),
  }));
  return {
    tools: freezeList(functionDeclarations.length === 0 ? [] : [{ functionDeclarations }]),
    problems: exported.problems,
    simplified: exported.simplified,
    calls: (response) => {
      const [candidate] = asItems(asFields(response)["candidates"]);
      return asItems(asFields(asFields(candidate)["content"])["parts"]).flatMap((part) => {
        const { functionCall } = asFields(part);
        if (functionCall === undefined) return [];
        // Arguments are optional in the API.
        const { id, name, args = {} } = asFields(functionCall);
        return [exported.call({ id, name, arguments: args })];
      });
    },
    results: (outcomes) => {
      const parts = toResults(outcomes).map((result) => toResultPart(result, exported));
      return parts.length === 0 ? [] : [{ role: "user", parts }];
    },
  };
}

function toResultPart(result: ToolResult, { wireName }: ExportedTools): GeminiResultPart {
  const content = contentParts(result.content, toFilePart);
  const text = content.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n");
  const inline = content.flatMap((part) => ("inlineData" in part ? [part] : []));
  return {
    functionResponse: {
      ...(!isGeneratedCallId(result.callId) && { id: result.callId }),
      name: wireName(result.toolName),
      response: result.isError ? { error: text } : { output: toResponseValue(result, text) },
      ...(inline.length > 0 && { parts: inline }),
    },
  };
}

function toFilePart({ mediaType, data }: ContentFile): GeminiFilePart | undefined {
  return files.has(mediaType) ? { inlineData: { mimeType: mediaType, data } } : undefined;
}

/** The structured value if the content for the model is exactly its JSON. */
function toResponseValue({ value }: ToolResult, text: string): JsonValue {
  return value !== undefined && JSON.stringify(value) === text ? value : text;
}
