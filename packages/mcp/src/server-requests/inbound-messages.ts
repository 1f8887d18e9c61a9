import type { JsonObject, JsonValue, ToolContext } from "@toolweave/core";
import type { McpConnection, ServerRequest } from "../transport/messages/mcp-connection.ts";
import type { ServerRequestHandler, ParsedServerRequest } from "./server-request-handler.ts";
import { relatedTask, toClientCapabilities, toRequestMeta } from "./client-capabilities.ts";
import { ActiveCalls, toActiveCall, type ActiveRequest } from "./active-calls.ts";
import { logLevels, type LogLevel, type LogMessage } from "../options/server-request-options.ts";
import { InvalidServerRequest } from "./form-answer.ts";
import { isObject, visibleText, whilePersonAnswers, truncate } from "@toolweave/core/adapter";

/** Maximum number of concurrent requests of one server. */
const maxConcurrent = 20;

/** Maximum number of requests to people and models during one call: each has a cost. */
const maxPerCall = 100;

const info = logLevels.indexOf("info");

/** JSON-RPC's code for an internal error of the client. */
const internalError = -32603;

/**
 * Handles the requests and notifications of the server of one connection. Created before the connection, and anew
 * with each.
 */
export class InboundMessages {
  readonly #requestHandler: ServerRequestHandler;
  readonly #live = new ActiveCalls();
  #meta: JsonObject | undefined;
  #open = 0;
  /** Number of requests that were passed on, by call. */
  readonly #passedOn = new WeakMap<ToolContext, number>();

  constructor(requestHandler: ServerRequestHandler) {
    this.#requestHandler = requestHandler;
  }

  /** Capabilities that the connection is opened with: `ConnectOptions.capabilities`. */
  get capabilities(): JsonObject {
    return toClientCapabilities(this.#requestHandler.options, "legacy");
  }

  /** Must be called when the connection is open. Subscribes to the server's log if the host has a listener. */
  onConnected(connection: McpConnection): void {
    if (connection.era === "modern") {
      this.#meta = toRequestMeta(this.#requestHandler.options, this.capabilities);
    } else if (
      this.#requestHandler.options.onLog !== undefined &&
      connection.server.capabilities["logging"] !== undefined
    ) {
      const { signal } = new AbortController();
      // A server that rejects it sends no log.
      connection.request("logging/setLevel", { level: "debug" }, { signal }).catch(() => {});
    }
  }

  /** Adds `_meta` to the params of a request. */
  addMeta(params: JsonObject): JsonObject {
    const meta = this.#meta;
    if (meta === undefined) return params;
    return { ...params, _meta: { ...(params["_meta"] as JsonObject | undefined), ...meta } };
  }

  /**
   * Registers a request: until it ends, requests and log messages of the server belong to its call.
   *
   * @param ctx `undefined`: it is made for no call.
   */
  begin(ctx: ToolContext | undefined): ActiveRequest {
    return this.#live.begin(ctx);
  }

  /** Ends a registered request: see `ActiveCalls.end`. */
  end(request: ActiveRequest, isAnswered: boolean): void {
    this.#live.end(request, isAnswered);
  }

  /** Handles `ConnectOptions.onRequest`; an error that it throws is sent to the server. */
  async handleRequest(received: ServerRequest): Promise<JsonValue> {
    const request = this.#requestHandler.read(received.method, received.params);
    if (
      request.method === "elicitation/create" &&
      this.#requestHandler.options.onElicitation === undefined
    ) {
      if (request.request.mode === "url") return { action: "cancel" };
      // 2025-11-25, Elicitation, Error Handling: the mode was not declared. See `toClientCapabilities`.
      throw new InvalidServerRequest("the client does not support forms");
    }
    const calls = await this.#findCalls(received);
    if (this.#open >= maxConcurrent)
      throw new InvalidServerRequest("there are too many concurrent requests", -1);
    this.#open += 1;
    try {
      return await this.#answer(request, calls, received.signal);
    } finally {
      this.#open -= 1;
    }
  }

  /** Finds the calls that a request may belong to, as `ActiveCalls.findCalls`. Roots may belong to none. */
  async #findCalls(received: ServerRequest): Promise<readonly ToolContext[]> {
    const { options, server, callsByTask } = this.#requestHandler;
    const isRoots = received.method === "roots/list";
    if (isRoots && typeof options.roots !== "function") return [];
    const task = readRelatedTask(received.params);
    try {
      if (task !== undefined) {
        const call = callsByTask.get(task);
        if (call !== undefined) return [call];
        throw new InvalidServerRequest("no call waits for its task", -1);
      }
      return await this.#live.findCalls(`${received.method} of ${server}`, received);
    } catch (error) {
      // No person or model is asked for an unknown call: it could be that of another caller.
      if (isRoots && !received.signal.aborted) return [];
      throw error;
    }
  }

  /** @param calls Result of `#findCalls`: the handler receives the latest one. */
  async #answer(
    request: ParsedServerRequest,
    calls: readonly ToolContext[],
    signal: AbortSignal,
  ): Promise<JsonValue> {
    const { method } = request;
    const ctx = calls.at(-1);
    if (ctx === undefined || method === "roots/list") {
      return this.#requestHandler.roots(ctx && toActiveCall(ctx, signal)).catch(throwRootsError);
    }
    const count = this.#passedOn.get(ctx) ?? 0;
    if (count >= maxPerCall)
      throw new InvalidServerRequest("there are too many requests during this call", -1);
    this.#passedOn.set(ctx, count + 1);
    const stop = AbortSignal.any([ctx.signal, signal]);
    let answer: PromiseLike<JsonObject> = this.#requestHandler.handle(request, ctx, stop);
    // The handler pauses the deadline of the call that it receives.
    if (method === "elicitation/create")
      for (const other of calls.slice(0, -1)) answer = whilePersonAnswers(other, answer);
    try {
      return await answer;
    } catch (error) {
      if (error instanceof InvalidServerRequest) throw error;
      // For the host only: errors of its handlers are not sent to the server.
      ctx.progress({
        message: `${method} of ${this.#requestHandler.server} could not be answered: ${String(error)}`,
      });
      if (method === "elicitation/create") return { action: "cancel" };
      throw new InvalidServerRequest("the host rejected it", -1);
    }
  }

  /** Handles `ConnectOptions.onNotification`. False: the notification belongs to no call. */
  onNotification(method: string, params: JsonObject, streamOwner?: object): boolean {
    if (method === "notifications/elicitation/complete") {
      this.#requestHandler.urlElicitations.complete(params["elicitationId"]);
      return true;
    }
    if (method !== "notifications/message") return false;
    const message = readLogMessage(this.#requestHandler.server, params);
    if (message === undefined) return true;
    const task = readRelatedTask(params);
    const ctx =
      task === undefined
        ? this.#live.find(streamOwner)
        : this.#requestHandler.callsByTask.get(task);
    try {
      this.#requestHandler.options.onLog?.(message, ctx && toActiveCall(ctx));
    } catch {
      // An error of the listener has no effect.
    }
    if (logLevels.indexOf(message.level) >= info)
      ctx?.progress({ message: formatLogMessage(message) });
    return true;
  }
}

/** Returns the id of the task that a message belongs to. `undefined`: it names none. */
function readRelatedTask({ _meta: meta }: JsonObject): string | undefined {
  const related = isObject(meta) ? meta[relatedTask] : undefined;
  const id = isObject(related) ? related["taskId"] : undefined;
  return typeof id === "string" ? id : undefined;
}

function throwRootsError(): never {
  throw new InvalidServerRequest("the host failed to handle it", internalError);
}

/** Reads a `notifications/message`; `undefined`: it is invalid. */
function readLogMessage(server: string, params: JsonObject): LogMessage | undefined {
  const { level, logger, data = null } = params;
  if (!logLevels.includes(level as LogLevel)) return undefined;
  return {
    server,
    level: level as LogLevel,
    ...(typeof logger === "string" ? { logger } : {}),
    data,
  };
}

/** Formats a log message in one line, as progress of a call. */
export function formatLogMessage({ level, logger, data }: Omit<LogMessage, "server">): string {
  // Progress contains 1,000 bytes of it.
  const text = truncate(typeof data === "string" ? data : toJson(data), 1_000);
  return visibleText(`${level}${logger === undefined ? "" : ` ${truncate(logger, 100)}`}: ${text}`);
}

function toJson(data: JsonValue): string {
  try {
    return JSON.stringify(data);
  } catch {
    // It may be nested deeper than the stack.
    return "[data that is too deeply nested]";
  }
}
