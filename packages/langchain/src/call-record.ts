import type { ContentBlock as MessageBlock } from "@langchain/core/messages";
import {
  ToolError,
  type Interruption,
  type JsonObject,
  type ToolErrorCode,
  type ToolOutcome,
  type ToolResult,
} from "@toolweave/core";
import {
  contentParts,
  imageTypes,
  waitingText,
  type ContentFile,
} from "@toolweave/core/integration";

/** The outcome of a call, as plain JSON: a checkpointer stores it, and returns it in another process. */
export type CallRecord =
  | { readonly result: ToolResult; readonly error?: JsonObject }
  | { readonly interruption: Interruption }
  | ThrownRecord;

/** The outcome of a call that was made. */
export type AnswerRecord = Exclude<CallRecord, ThrownRecord>;

/** The call was not made, for a reason that is thrown. */
export interface ThrownRecord {
  readonly thrown: { readonly code: ToolErrorCode; readonly message: string };
}

/** The outcome as plain JSON. */
export function toCallRecord(outcome: ToolOutcome): CallRecord {
  if (outcome.status === "interrupted") return { interruption: outcome.interruption };
  const { result, error } = outcome;
  return { result, ...(error === undefined ? {} : { error: error.toJSON() }) };
}

/**
 * An exception as plain JSON. An exception within a LangGraph task ends the whole graph, even if it would be caught
 * outside the task.
 */
export function toThrownRecord(error: unknown): ThrownRecord {
  const code = ToolError.is(error) ? error.code : "internal";
  return { thrown: { code, message: error instanceof Error ? error.message : String(error) } };
}

/** Converts the record back to an error. */
export function toThrownError({ thrown: { code, message } }: ThrownRecord): ToolError {
  return new ToolError(code, message);
}

/** The `artifact` of a `ToolMessage` whose call has ended: the result without what the model reads. */
export interface AnsweredArtifact extends Omit<ToolResult, "content"> {
  /** The failure: a `ToolError` as plain data, with `code` and `message`. */
  readonly error?: JsonObject;
}

/** The `artifact` of a `ToolMessage` whose call waits for what could not be asked for here. */
export interface WaitingArtifact {
  /** To be resumed with `executor.resume`. */
  readonly interruption: Interruption;
}

/** The artifact of a `ToolMessage`, for the host. Plain JSON. */
export type ToolArtifact = AnsweredArtifact | WaitingArtifact;

/** The part of a record for the host. */
export function toArtifact(record: AnswerRecord): ToolArtifact {
  if ("interruption" in record) return { interruption: record.interruption };
  const { content: _, ...rest } = record.result;
  return { ...rest, ...(record.error === undefined ? {} : { error: record.error }) };
}

/** The content of a record for the model: one text, or LangChain's standard blocks if there is more. */
export type MessageContent = string | MessageBlock.Standard[];

/** The part of a record for the model. */
export function toMessageContent(record: AnswerRecord): MessageContent {
  if ("interruption" in record) return waitingText(record.interruption);
  const blocks = contentParts<MessageBlock.Standard>(record.result.content, toFileBlock);
  const texts = blocks.flatMap((block) => (block.type === "text" ? [String(block.text)] : []));
  if (texts.length === blocks.length) return texts.join("\n");
  if (texts.length > 0) return blocks;
  // Providers that do not support such a block omit it: the text must mention it.
  const names = blocks.map(
    (block) => `[${"mimeType" in block ? String(block.mimeType) : block.type}]`,
  );
  return [{ type: "text", text: names.join("\n") }, ...blocks];
}

/** An image of another type would be rejected, and the model reads its name. */
function toFileBlock({
  data,
  mediaType: mimeType,
}: ContentFile): MessageBlock.Standard | undefined {
  const [type] = mimeType.split("/");
  if (type === "image") return imageTypes.has(mimeType) ? { type, data, mimeType } : undefined;
  return { type: type === "audio" ? type : "file", data, mimeType };
}
