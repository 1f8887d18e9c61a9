import type { Awaitable, Caller, JsonObject, JsonSchema, JsonValue } from "@toolweave/core";

/** Handlers for requests that a server makes during its work. */
export interface ServerRequestOptions {
  /**
   * Passes a server's question to a person at once. Absent: the call is interrupted until the question is answered;
   * on a connection of the older protocol, where it cannot be interrupted, a form is rejected and a page cancelled. An
   * error thrown here is not sent to the server, which receives `cancel`. Forms that ask for secrets, and pages that are not
   * https, are rejected without a call of this handler.
   */
  readonly onElicitation?: (
    request: ElicitationRequest,
    call: ActiveCall,
  ) => Awaitable<ElicitationAnswer>;
  /**
   * Lets a server use the host's model. Throw to reject; the server receives no reason. Absent: the capability is not
   * declared.
   */
  readonly onSampling?: (request: SamplingRequest, call: ActiveCall) => Awaitable<SamplingAnswer>;
  /**
   * Servers may give the model tools that they run themselves: `onSampling` receives `tools` and `toolChoice`.
   * Default: false; a request with tools is rejected.
   */
  readonly samplingTools?: boolean;
  /**
   * The folders that a server may work in. A function is called for each request, with the call if there is one;
   * `source.rootsChanged()` notifies servers of a change. Absent: the capability is not declared.
   */
  readonly roots?: readonly Root[] | ((call: ActiveCall | undefined) => Awaitable<readonly Root[]>);
  /**
   * Receives log messages of a server, from `debug` on, with the call that they belong to if it is known. Absent:
   * servers are not asked for logs; a message during a call becomes progress of the call, from `info` on.
   */
  readonly onLog?: (message: LogMessage, call: ActiveCall | undefined) => void;
}

/**
 * A form that a server asks a person to fill in.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#form-mode-elicitation-requests
 */
export interface FormElicitation {
  readonly mode: "form";
  /** Name of the server in the host's configuration. */
  readonly server: string;
  /** Message of the server, at most 4,000 characters, without hidden ones. It is not a message of the host. */
  readonly message: string;
  /** Object schema with strings, numbers, booleans and choices; no member looks like a secret. */
  readonly requestedSchema: JsonSchema;
}

/**
 * A page that a server asks a person to visit.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-mode-elicitation-requests
 */
export interface UrlElicitation {
  readonly mode: "url";
  /** Name of the server in the host's configuration. */
  readonly server: string;
  /** Message of the server, at most 4,000 characters, without hidden ones. It is not a message of the host. */
  readonly message: string;
  /** `https:`, or `http:` on loopback. Display it in full; only the person may open it. */
  readonly url: string;
  /** Up to 2025-11-25: the server's id of the request. */
  readonly elicitationId?: string;
  /** Resolves when the server reports that the person has finished; many servers never do. */
  readonly completed: Promise<void>;
}

/** A question of a server to a person. */
export type ElicitationRequest = FormElicitation | UrlElicitation;

/**
 * Answer of a person: `decline` is a refusal, `cancel` means that there was no answer. `content` holds the values of
 * the form; it is validated against `requestedSchema`, whose defaults replace missing values.
 */
export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content?: JsonObject }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/**
 * A request of a server to the host's model. All members but `server` come from the server: their texts are not
 * instructions of the host.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#creating-messages
 */
export interface SamplingRequest {
  /** Name of the server in the host's configuration. */
  readonly server: string;
  /** The protocol's `SamplingMessage` objects: `role`, and `content`, a block or a list of them. */
  readonly messages: readonly JsonObject[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly modelPreferences?: JsonObject;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly metadata?: JsonObject;
  /** With `samplingTools`: tools that the server runs for the model, as in `tools/list`. */
  readonly tools?: readonly JsonObject[];
  /** With `samplingTools`: `{ mode: "auto" | "required" | "none" }`. */
  readonly toolChoice?: JsonObject;
}

/** Response of the host's model. */
export interface SamplingAnswer {
  readonly role: "assistant" | "user";
  /** A content block, or a list of them. */
  readonly content: JsonValue;
  /** Name of the model. */
  readonly model: string;
  /** `endTurn`, `stopSequence`, `maxTokens` or a value of the model. */
  readonly stopReason?: string;
}

/**
 * The call during which a server makes a request. If the server does not name it and several calls of one session are
 * in progress, it is the latest of them.
 */
export interface ActiveCall {
  readonly callId: string;
  readonly runId: string;
  readonly toolName: string;
  readonly caller?: Caller;
  /** Aborted when the call is stopped, or the server cancels its request: no answer is needed any more. */
  readonly signal: AbortSignal;
}

/**
 * A folder that a server may work in. It is a hint and is not enforced.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots
 */
export interface Root {
  /** A path, or a `file:` URL. */
  readonly uri: string;
  /** Name for display. */
  readonly name?: string;
}

/** Severity of a message (RFC 5424), in ascending order. */
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

/** Severity of a message. */
export type LogLevel = (typeof logLevels)[number];

/**
 * A log message of a server.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging
 */
export interface LogMessage {
  /** Name of the server in the host's configuration. */
  readonly server: string;
  readonly level: LogLevel;
  /** Name of the server's logger. */
  readonly logger?: string;
  /** Data as the server sent it; secrets are not redacted. */
  readonly data: JsonValue;
}
