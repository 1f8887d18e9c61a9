import type { JsonObject, ToolResult, Toolset } from "@toolweave/core";
import {
  isObject,
  base64ToBytes,
  bytesToBase64,
  shortHash,
  toExactNumber,
} from "@toolweave/core/adapter";
import { contentParts, perObject, type ContentFile } from "@toolweave/core/integration";
import { exportedTools, type ExportedTools } from "../conversion/exported-tools.ts";
import {
  asFields,
  freezeList,
  asItems,
  toResults,
  type ProviderTools,
} from "../conversion/provider-tools.ts";
import { bedrockRules } from "../rules/all-rules.ts";

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
export const bedrockTools: (toolset: Toolset) => BedrockTools = perObject((toolset) =>
  converseTools(exportedTools(toolset, bedrockRules)),
);

function converseTools(exported: ExportedTools): BedrockTools {
  return {
    tools: freezeList(
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
      const { message } = asFields(asFields(response)["output"]);
      return asItems(asFields(message)["content"]).flatMap((block) => {
        const { toolUse } = asFields(block);
        const { toolUseId: id, name, input, type } = asFields(toolUse);
        // A call that the server runs itself has a type of its own.
        if (toolUse === undefined || type !== undefined) return [];
        return [exported.call({ id, name, arguments: readNumbers(input) })];
      });
    },
    results: (outcomes) => {
      const content = toResults(outcomes).map(toToolResult);
      return content.length === 0 ? [] : [{ role: "user", content }];
    },
  };
}

/**
 * Reads the numbers of Amazon's SDK: those that JavaScript would change are a `bigint`, or an instance of its class
 * `NumericValue`.
 */
function readNumbers(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item) => readNumbers(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const { string, type } = value as { readonly string?: unknown; readonly type?: unknown };
    return typeof string === "string" && type === "bigDecimal" ? toExactNumber(string) : value;
  }
  const members = Object.entries(value).map(([name, member]) => [
    name,
    readNumbers(member, depth + 1),
  ]);
  return Object.fromEntries(members);
}

/** The executor refuses deeper arguments. */
const maxDepth = 250;

function toToolResult(result: ToolResult): BedrockToolResult {
  let documentCount = 0;
  const content = contentParts(result.content, (file) =>
    // A neutral name: a model might read another one as an order.
    toFilePart(file, () => `document-${shortHash(result.callId)}-${++documentCount}`),
  );
  return {
    toolResult: {
      toolUseId: result.callId,
      content: content.map((part) => ("type" in part ? toTextPart(part.text, result) : part)),
      ...(result.isError && { status: "error" }),
    },
  };
}

/** The structured value if the content for the model is exactly its JSON. */
function toTextPart(text: string, { value, content }: ToolResult): BedrockResultPart {
  return content.length === 1 && isObject(value) && JSON.stringify(value) === text
    ? { json: value }
    : { text };
}

function toFilePart(
  { mediaType, data }: ContentFile,
  documentName: () => string,
): BedrockResultPart | undefined {
  const bytes = bytesFromBase64(data);
  if (bytes === undefined) return undefined;
  const source = { bytes };
  const image = Object.hasOwn(images, mediaType) ? images[mediaType] : undefined;
  if (image !== undefined) return { image: { format: image, source } };
  const format = Object.hasOwn(documents, mediaType) ? documents[mediaType] : undefined;
  return format && { document: { format, name: documentName(), source } };
}

/** Bytes that are their base64 in JSON. */
class Base64Bytes extends Uint8Array {
  toJSON(): string {
    return bytesToBase64(this);
  }
}

/**
 * The bytes of base64, as an SDK takes them; written as JSON they are base64 again.
 *
 * @returns nothing for what is no base64.
 */
function bytesFromBase64(base64: string): Uint8Array | undefined {
  const bytes = base64ToBytes(base64);
  return bytes === undefined ? undefined : Base64Bytes.from(bytes);
}
