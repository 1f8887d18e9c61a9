import type { JsonObject, JsonSchema, JsonValue, ToolError } from "@toolweave/core";
import { isObject } from "../../schema/schema-keywords.ts";

/**
 * One request of a client as the rest of this room sees it: only `gateway-server.ts` knows what the SDK makes of it.
 */
export interface RequestPort {
  /** `legacy`: the client can be asked while the request is open. `modern`: it is asked with the answer to it. */
  readonly era: "legacy" | "modern";
  /** Fires when the client takes the request back, or is gone. */
  readonly signal: AbortSignal;
  /** What the client says that it can do. */
  readonly capabilities: JsonObject;
  readonly progressToken: string | number | undefined;
  /** What a client of 2026-07-28 hands back, as it came. */
  readonly requestState: string | undefined;
  /** Its answers to what it was asked, by key, unchecked. */
  readonly inputResponses: JsonObject | undefined;
  /**
   * A result of `tools/call` as the client's protocol can carry it: up to 2025-11-25 structured content is an object, so
   * that anything else is wrapped, as the output schema is in the list.
   */
  projected(result: JsonObject, outputSchema: JsonSchema | undefined): JsonObject;
  /** Goes with the request, on its own stream. */
  notify(method: string, params: JsonObject): Promise<void>;
  /** The same, beside any request: over HTTP, on the stream that the client may have opened for that. */
  tell(method: string, params: JsonObject): Promise<void>;
  /** Asks the client, on a legacy connection; the answer is unchecked. */
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonValue>;
  /** At the level that the client has asked for, else not at all. */
  log(message: ClientLog): Promise<void>;
}

/** A log message for the client that made a call (2025-11-25, server/utilities/logging). */
export interface ClientLog {
  readonly level:
    | "debug"
    | "info"
    | "notice"
    | "warning"
    | "error"
    | "critical"
    | "alert"
    | "emergency";
  readonly logger?: string;
  readonly data: JsonValue;
}

/** An error of the protocol: what a client reads of a request that has no result. */
export class McpError extends Error {
  override readonly name: string = "McpError";
  readonly code: number;
  readonly data?: JsonValue;

  constructor(code: number, message: string, data?: JsonValue) {
    super(message);
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}

/** JSON-RPC 2.0 and what MCP adds to it. */
export const errorCode = {
  parse: -32700,
  invalidParams: -32602,
  internal: -32603,
  methodNotFound: -32601,
  /** 2026-07-28: the request needs something that the client cannot do. */
  missingCapability: -32021,
} as const;

/** An MCP server's own error, as it came; `undefined`: it is none. */
export function serverErrorIn({ code, body }: ToolError): McpError | undefined {
  if ((code !== "upstream" && code !== "invalid_arguments") || !isObject(body)) return undefined;
  const { code: number, message, data } = body;
  if (!Number.isInteger(number) || typeof message !== "string") return undefined;
  return new McpError(number as number, message, data);
}

/** What has gone wrong with a request that is no call of a tool. */
export function asMcpError(error: ToolError): McpError {
  const isTheirs = error.audience === "model";
  return (
    serverErrorIn(error) ??
    new McpError(isTheirs ? errorCode.invalidParams : errorCode.internal, error.message)
  );
}

/** The request needs something that the client cannot do. @param required as a client would declare it. */
export function missingCapabilities(required: JsonObject): McpError {
  const { extensions } = required;
  const names = Object.keys(isObject(extensions) ? extensions : required).join(", ");
  return new McpError(
    errorCode.missingCapability,
    `Missing required client capabilities: ${names}`,
    { requiredCapabilities: required },
  );
}

/** A `requestState` that is forged, of somebody else, used before, or too old. */
export function invalidState(): McpError {
  return new McpError(errorCode.invalidParams, "Invalid or expired requestState", {
    reason: "invalid_request_state",
  });
}

/** Answers requests of one method, for one client. */
export type RequestHandler = (
  params: JsonObject,
  port: RequestPort,
) => PromiseLike<JsonObject> | JsonObject;
