import type { JsonObject, JsonValue } from "@toolweave/core";

/** Data that a provider expects back with its own part, by the provider's name. Passed on unchanged. */
export type ProviderOptions = Record<string, JsonObject>;

interface Part {
  readonly providerOptions?: ProviderOptions;
}

/** A text of a message. */
export interface TextPart extends Part {
  readonly type: "text";
  text: string;
}

/** The reasoning of a model. Some providers expect it back with the next turn. */
export interface ReasoningPart extends Part {
  readonly type: "reasoning";
  text: string;
}

/** A file, as base64. */
export interface FilePart extends Part {
  readonly type: "file";
  /** A media type, such as `image/png`. */
  readonly mediaType: string;
  readonly filename?: string;
  readonly data: { readonly type: "data"; readonly data: string };
}

/** A file that belongs to what a model thought, as base64. */
export interface ReasoningFilePart extends Part {
  readonly type: "reasoning-file";
  readonly mediaType: string;
  readonly data: { readonly type: "data"; readonly data: string };
}

/** A part that only its provider understands: all of it is in `providerOptions`. */
export interface CustomPart extends Part {
  readonly type: "custom";
  readonly kind: `${string}.${string}`;
}

/** A call that a model asks for. */
export interface ToolCallPart extends Part {
  readonly type: "tool-call";
  /** Unique among the calls of its message. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments; `{}` for what was no JSON object. */
  readonly input: JsonObject;
  /** The model's provider has run it itself. */
  readonly providerExecuted?: boolean;
}

/** The result of a call as the model reads it. */
export type ToolResultOutput =
  | { readonly type: "text" | "error-text"; readonly value: string }
  | { readonly type: "json" | "error-json"; readonly value: JsonValue }
  | {
      readonly type: "content";
      readonly value: (
        | { readonly type: "text"; readonly text: string }
        | Pick<FilePart, "type" | "mediaType" | "data">
      )[];
    };

/** The result of a call. */
export interface ToolResultPart extends Part {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: ToolResultOutput;
}

/** The refusal of an approval that a provider requested. */
export interface ToolApprovalResponsePart extends Part {
  readonly type: "tool-approval-response";
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason?: string;
}

/** The parts of an assistant's message. */
export type AssistantPart =
  | TextPart
  | ReasoningPart
  | FilePart
  | ReasoningFilePart
  | CustomPart
  | ToolCallPart
  | ToolResultPart;

/**
 * One message of a transcript: plain JSON, the same for every provider, and as it stands a message of a
 * `LanguageModelV4Prompt` of `@ai-sdk/provider`.
 */
export type AgentMessage = { readonly providerOptions?: ProviderOptions } & (
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: (TextPart | FilePart)[] }
  | { readonly role: "assistant"; readonly content: AssistantPart[] }
  | { readonly role: "tool"; readonly content: (ToolResultPart | ToolApprovalResponsePart)[] }
);
