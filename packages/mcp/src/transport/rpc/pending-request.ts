import {
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
} from "@modelcontextprotocol/client";
import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import { Stop } from "../messages/channel.ts";
import type { McpProgress, RequestOptions } from "../messages/mcp-connection.ts";
import {
  isMarkedLost,
  isRejection,
  markLostSession,
  markRejection,
} from "../messages/transport-errors.ts";

// JSON-RPC 2.0, section 5.1.
const internalError = -32603;

/** The connection of a request. */
interface PendingRequestOwner {
  forget(id: number): void;
  cancelRequest(request: PendingRequest): void;
}

/** A request without a response yet. It settles once and then holds no resources. */
export class PendingRequest {
  readonly id: number;
  readonly #requests: PendingRequestOwner;
  readonly #options: RequestOptions;
  readonly #resolve: (result: unknown) => void;
  readonly #reject: (error: unknown) => void;
  #stop: Stop | undefined;

  constructor(
    id: number,
    requests: PendingRequestOwner,
    options: RequestOptions,
    resolve: (result: unknown) => void,
    reject: (error: unknown) => void,
  ) {
    this.id = id;
    this.#requests = requests;
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Aborts its HTTP request. */
  get stop(): Stop {
    return (this.#stop ??= new Stop());
  }

  /** The caller wants progress notifications. */
  get wantsProgress(): boolean {
    return this.#options.onProgress !== undefined;
  }

  /** Starts the request. False: it is cancelled already, and has failed. */
  begin(): boolean {
    const { signal } = this.#options;
    if (signal.aborted) this.#reject(toCancelledError(signal.reason));
    else signal.addEventListener("abort", this);
    return !signal.aborted;
  }

  /** Called when its signal is aborted. */
  handleEvent(): void {
    this.fail(toCancelledError(this.#options.signal.reason));
    this.#requests.cancelRequest(this);
  }

  onProgress({ progress, total, message }: McpProgress): void {
    this.#options.onProgress?.({ progress, total, message });
  }

  /** @param modern In the newer protocol results are objects; a result without a `resultType` is complete (SEP-2322). */
  settle(message: object, modern: boolean): void {
    const { result, error } = message as { readonly result?: unknown; readonly error?: unknown };
    if (error !== undefined) {
      const failure = toProtocolError(error);
      if (isRejection(message)) markRejection(failure);
      if (isMarkedLost(message)) markLostSession(failure);
      return this.fail(failure);
    }
    const isResult = modern ? typeof result === "object" && result !== null : result !== undefined;
    if (!isResult) {
      const reason = "The server answered without a result or an error.";
      return this.fail(new ProtocolError(internalError, reason));
    }
    this.#done();
    if (modern) removeEnvelope(result as Record<string, unknown>);
    this.#resolve(result);
  }

  fail(error: unknown): void {
    this.#done();
    this.#reject(error);
  }

  #done(): void {
    this.#options.signal.removeEventListener("abort", this);
    this.#requests.forget(this.id);
  }
}

/**
 * Key under which each result names its server. It describes the connection, not the result (2026-07-28, basic,
 * `_meta`).
 */
const serverKey = "io.modelcontextprotocol/serverInfo";

/** Removes the members that every result of the newer protocol carries: callers do not need them. */
function removeEnvelope(result: Record<string, unknown>): void {
  if (result["resultType"] === "complete") delete result["resultType"];
  const { _meta: meta } = result;
  if (typeof meta !== "object" || meta === null || !Object.hasOwn(meta, serverKey)) return;
  const { [serverKey]: _server, ...rest } = meta as Readonly<Record<string, unknown>>;
  if (Object.keys(rest).length === 0) delete result["_meta"];
  else result["_meta"] = rest;
}

function toCancelledError(reason: unknown): unknown {
  if (ToolError.is(reason)) return reason;
  return new ToolError("cancelled", "The request was cancelled.", { cause: reason });
}

function toProtocolError(error: unknown): Error {
  const { code, message, data } = (error ?? {}) as Readonly<Record<string, unknown>>;
  return ProtocolError.fromError(
    typeof code === "number" ? code : internalError,
    typeof message === "string" ? message : "The server gave no reason.",
    data as JsonValue | undefined,
  );
}

/** Creates the members of `_meta` that every request of the newer protocol has. */
export function toEnvelope(
  version: string,
  client: JsonObject,
  capabilities: JsonObject,
): JsonObject {
  return {
    [PROTOCOL_VERSION_META_KEY]: version,
    [CLIENT_INFO_META_KEY]: client,
    [CLIENT_CAPABILITIES_META_KEY]: capabilities,
  };
}
