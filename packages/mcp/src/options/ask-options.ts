import type { Awaitable, Caller, JsonObject, JsonSchema, JsonValue } from "@toolweave/core";

/** What the host answers when a server asks something while it works. */
export interface AskOptions {
  /**
   * Puts a server's question to a person, at once. Absent: the call is interrupted and waits for the answer; on a
   * connection of the older protocol, where it cannot wait, the question is declined. What it throws is told to no
   * server, which hears `cancel`. Forms that ask for secrets, and pages that are not https, are put to nobody.
   */
  readonly onElicitation?: (
    request: ElicitationRequest,
    call: LiveCall,
  ) => Awaitable<ElicitationAnswer>;
  /**
   * Lets a server ask the host's model. Throw to refuse; the server hears no more than that. Absent: servers are told
   * that there is none.
   */
  readonly onSampling?: (request: SamplingRequest, call: LiveCall) => Awaitable<SamplingAnswer>;
  /**
   * Servers may give the model tools of their own, which they run themselves: `onSampling` gets `tools` and `toolChoice`.
   * Default: false; a request with tools is refused.
   */
  readonly samplingTools?: boolean;
  /**
   * The folders that a server may work in. A function is asked each time, with the call if it is about one;
   * `source.rootsChanged()` tells servers to ask again. Absent: servers are told that there are none.
   */
  readonly roots?: readonly Root[] | ((call: LiveCall | undefined) => Awaitable<readonly Root[]>);
  /**
   * Hears what a server writes to its log, from `debug` on, and the call that it is about where that can be told. Absent:
   * servers are not asked for a log; what one writes during a call is the call's progress, from `info` on.
   */
  readonly onLog?: (message: LogMessage, call: LiveCall | undefined) => void;
}

/**
 * A server asks a person to fill in a form.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#form-mode-elicitation-requests
 */
export interface FormElicitation {
  readonly mode: "form";
  /** The server that asks, by the name that the host gave it. */
  readonly server: string;
  /** What it says, at most 4,000 characters, without hidden ones. It is the server's word, not the host's. */
  readonly message: string;
  /** An object with texts, numbers, booleans and choices; none that looks like a secret. */
  readonly requestedSchema: JsonSchema;
}

/**
 * A server asks a person to go to a page.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-mode-elicitation-requests
 */
export interface UrlElicitation {
  readonly mode: "url";
  /** The server that asks, by the name that the host gave it. */
  readonly server: string;
  /** What it says, at most 4,000 characters, without hidden ones. It is the server's word, not the host's. */
  readonly message: string;
  /** `https:`, or `http:` on loopback. To be shown in full, and opened by nobody but the person. */
  readonly url: string;
  /** Up to 2025-11-25: the server's name for it. */
  readonly elicitationId?: string;
  /** Resolves when the server says that the person is done there; with many servers, never. */
  readonly completed: Promise<void>;
}

/** What a server asks a person. */
export type ElicitationRequest = FormElicitation | UrlElicitation;

/**
 * What the person said: `decline` is a no, `cancel` that there was no answer. `content` is what they filled in; it is
 * checked against `requestedSchema`, whose defaults stand for what is missing.
 */
export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content?: JsonObject }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/**
 * A server asks for an answer of the host's model. All but `server` is the server's word: texts in it are no
 * instructions of the host's.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#creating-messages
 */
export interface SamplingRequest {
  /** The server that asks, by the name that the host gave it. */
  readonly server: string;
  /** The protocol's `SamplingMessage` objects: `role`, and `content`, a block or a list of them. */
  readonly messages: readonly JsonObject[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly modelPreferences?: JsonObject;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly metadata?: JsonObject;
  /** With `samplingTools`: what the model may ask the server to run, as `tools/list` has them. */
  readonly tools?: readonly JsonObject[];
  /** With `samplingTools`: `{ mode: "auto" | "required" | "none" }`. */
  readonly toolChoice?: JsonObject;
}

/** What the host's model said. */
export interface SamplingAnswer {
  readonly role: "assistant" | "user";
  /** A content block, or a list of them. */
  readonly content: JsonValue;
  /** The model that said it. */
  readonly model: string;
  /** `endTurn`, `stopSequence`, `maxTokens` or the model's own word. */
  readonly stopReason?: string;
}

/** The call during which a server asks something. */
export interface LiveCall {
  readonly callId: string;
  readonly runId: string;
  readonly toolName: string;
  readonly caller?: Caller;
  /** Fires when the call is stopped, or the server takes its question back: whoever was asked need not answer. */
  readonly signal: AbortSignal;
}

/**
 * A folder that a server may work in. A hint: what holds a server to it is the system that it runs on.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots
 */
export interface Root {
  /** A path, or a `file:` URL. */
  readonly uri: string;
  /** For people. */
  readonly name?: string;
}

/** How much a message matters (RFC 5424), the least first. */
export const logLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

/** How much a message matters. */
export type LogLevel = (typeof logLevels)[number];

/**
 * What a server writes to its log.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging
 */
export interface LogMessage {
  /** The server, by the name that the host gave it. */
  readonly server: string;
  readonly level: LogLevel;
  /** The part of the server that wrote it. */
  readonly logger?: string;
  /** As the server sent it, not searched for secrets. */
  readonly data: JsonValue;
}
