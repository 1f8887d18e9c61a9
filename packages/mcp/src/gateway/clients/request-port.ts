import type { JsonObject, JsonSchema, JsonValue, ToolError } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";

/** A request of a client, independent of the SDK: only `gateway-server.ts` uses the SDK's type. */
export interface RequestPort {
  /** `legacy`: the client can be asked while the request is open. `modern`: it is asked with the response. */
  readonly era: "legacy" | "modern";
  /** Aborted when the client cancels the request, or disconnects. */
  readonly signal: AbortSignal;
  /** Capabilities that the client declares. */
  readonly capabilities: JsonObject;
  readonly progressToken: string | number | undefined;
  /** State of a client of 2026-07-28, unchanged. */
  readonly requestState: string | undefined;
  /** The client's answers by key, not validated. */
  readonly inputResponses: JsonObject | undefined;
  /**
   * Converts a result of `tools/call` to the client's protocol: up to 2025-11-25 structured content is an object, so
   * that any other value is wrapped, like its output schema in the list.
   */
  toProtocolResult(result: JsonObject, outputSchema: JsonSchema | undefined): JsonObject;
  /** Sends a notification on the stream of the request. */
  notify(method: string, params: JsonObject): Promise<void>;
  /**
   * Sends a notification that belongs to no request: over HTTP, on the stream that the client may have opened for
   * them.
   */
  notifyConnection(method: string, params: JsonObject): Promise<void>;
  /** Sends a request to the client on a legacy connection; the result is not validated. */
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonValue>;
  /** Sends a log message, if the client has set its level or a lower one. */
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

/** A protocol error: the response to a request that has no result. */
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

/** Error codes of JSON-RPC 2.0 and MCP. */
export const errorCode = {
  parse: -32700,
  invalidParams: -32602,
  internal: -32603,
  methodNotFound: -32601,
  /** 2026-07-28: the request requires a capability that the client has not declared. */
  missingCapability: -32021,
} as const;

/** Returns an MCP server's own error unchanged; `undefined`: it is another error. */
export function getServerError({ code, body }: ToolError): McpError | undefined {
  if ((code !== "upstream" && code !== "invalid_arguments") || !isObject(body)) return undefined;
  const { code: number, message, data } = body;
  if (!Number.isInteger(number) || typeof message !== "string") return undefined;
  return new McpError(number as number, message, data);
}

/** Converts the error of a request other than `tools/call`. */
export function toMcpError(error: ToolError): McpError {
  const isForModel = error.audience === "model";
  return (
    getServerError(error) ??
    new McpError(isForModel ? errorCode.invalidParams : errorCode.internal, error.message)
  );
}

/**
 * Error for a missing capability of the client.
 *
 * @param required The capability, in the form in which a client declares it.
 */
export function missingCapabilityError(required: JsonObject): McpError {
  const { extensions } = required;
  const names = Object.keys(isObject(extensions) ? extensions : required).join(", ");
  return new McpError(
    errorCode.missingCapability,
    `Missing required client capabilities: ${names}`,
    { requiredCapabilities: required },
  );
}

/** Error for a `requestState` that is forged, belongs to another client, was used before, or has expired. */
export function invalidStateError(): McpError {
  return new McpError(errorCode.invalidParams, "Invalid or expired requestState", {
    reason: "invalid_request_state",
  });
}

/** Handles requests of one method, for one client. */
export type RequestHandler = (
  params: JsonObject,
  port: RequestPort,
) => PromiseLike<JsonObject> | JsonObject;
