import { shortHash, type JsonObject, type ToolResult, type Toolset } from "@toolweave/core";
import { exportedTools, type ExportedTools } from "../conversion/exported-tools.ts";
import { frozen, perToolset } from "../conversion/per-toolset.ts";
import type { ProviderTools } from "../conversion/provider-tools.ts";
import { fieldsOf, itemsOf } from "../conversion/response-parts.ts";
import { bedrockRules } from "../rules/bedrock-rules.ts";
import { isObject } from "../schema/subschemas.ts";
import { answerParts, resultsOf, type AnswerFile } from "../conversion/tool-answers.ts";
import { base64Bytes } from "./base64-bytes.ts";

/** A tool of the Converse API: one of `toolConfig.tools`. */
export interface BedrockTool {
  toolSpec: {
    name: string;
    description?: string;
    inputSchema: { json: JsonObject };
  };
}

/** The formats of images in the Converse API. */
export type BedrockImageFormat = "gif" | "jpeg" | "png" | "webp";

/** The formats of documents in the Converse API. */
export type BedrockDocumentFormat =
  | "csv"
  | "doc"
  | "docx"
  | "html"
  | "md"
  | "pdf"
  | "txt"
  | "xls"
  | "xlsx";

/**
 * One part of a tool's result. Bytes are what Amazon's SDK takes; written as JSON they are the base64
 * that the API takes.
 */
export type BedrockResultPart =
  | { text: string }
  | { json: JsonObject }
  | { image: { format: BedrockImageFormat; source: { bytes: Uint8Array } } }
  | {
      document: { format: BedrockDocumentFormat; name: string; source: { bytes: Uint8Array } };
    };

/** A tool's result: one block of the message that answers calls. */
export interface BedrockToolResult {
  toolResult: {
    toolUseId: string;
    content: BedrockResultPart[];
    /** Absent: a success. Only Claude and Nova know the field. */
    status?: "error";
  };
}

/** The one message that answers all calls of a turn: the API wants them together. */
export interface BedrockMessage {
  role: "user";
  content: BedrockToolResult[];
}

/** The parts of a `Converse` response that are read. */
export interface BedrockResponse {
  readonly output?: unknown;
}

/** A snapshot of tools for the Converse API. */
export type BedrockTools = ProviderTools<BedrockTool, BedrockResponse, BedrockMessage>;

const images: Readonly<Record<string, BedrockImageFormat>> = {
  "image/gif": "gif",
  "image/jpeg": "jpeg",
  "image/png": "png",
  "image/webp": "webp",
};
const documents: Readonly<Record<string, BedrockDocumentFormat>> = {
  "application/msword": "doc",
  "application/pdf": "pdf",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "text/plain": "txt",
};

/**
 * The tools of a snapshot for Amazon Bedrock's Converse API, in a form that all of its models take. Results contain
 * images and documents to the models that read them; other files are named in their text.
 *
 * @param toolset the tools for the model: `executor.toolset`, or `run.toolset`.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use.html
 */
export const bedrockTools: (toolset: Toolset) => BedrockTools = perToolset((toolset) =>
  converseTools(exportedTools(toolset, bedrockRules)),
);

function converseTools(exported: ExportedTools): BedrockTools {
  return {
    tools: frozen(
      exported.tools.map(({ wireName, description, projection }) => ({
        toolSpec: {
          name: wireName,
          ...(description !== "" && { description }),
          inputSchema: { json: projection.schema },
        },
      })),
    ),
    problems: exported.problems,
    simplified: exported.simplified,
    calls: (response) => {
      const { message } = fieldsOf(fieldsOf(response)["output"]);
      return itemsOf(fieldsOf(message)["content"]).flatMap((block) => {
        const { toolUse } = fieldsOf(block);
        const { toolUseId: id, name, input, type } = fieldsOf(toolUse);
        // A call that the server runs itself has a type of its own.
        if (toolUse === undefined || type !== undefined) return [];
        return [exported.call({ id, name, arguments: input })];
      });
    },
    results: (outcomes) => {
      const content = resultsOf(outcomes).map(toolResult);
      return content.length === 0 ? [] : [{ role: "user", content }];
    },
  };
}

function toolResult(result: ToolResult): BedrockToolResult {
  const takes = ({ mediaType, data }: AnswerFile): boolean =>
    (Object.hasOwn(images, mediaType) || Object.hasOwn(documents, mediaType)) &&
    base64Bytes(data) !== undefined;
  const content = answerParts(result, takes).map((part, index) =>
    part.type === "text"
      ? textPart(part.text, result)
      : filePart(part.file, `document-${shortHash(result.callId)}-${index + 1}`),
  );
  return {
    toolResult: {
      toolUseId: result.callId,
      content,
      ...(result.isError && { status: "error" }),
    },
  };
}

/** The structured value if the content for the model is exactly its JSON. */
function textPart(text: string, { value, content }: ToolResult): BedrockResultPart {
  return content.length === 1 && isObject(value) && JSON.stringify(value) === text
    ? { json: value }
    : { text };
}

/** @param name a neutral name: a model might read it as an order. */
function filePart({ mediaType, data }: AnswerFile, name: string): BedrockResultPart {
  const source = { bytes: base64Bytes(data) ?? new Uint8Array() };
  const image = Object.hasOwn(images, mediaType) ? images[mediaType] : undefined;
  return image === undefined
    ? { document: { format: documents[mediaType] ?? "txt", name, source } }
    : { image: { format: image, source } };
}
