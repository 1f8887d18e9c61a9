import type { JsonObject, JsonValue, ToolContext } from "@toolweave/core";
import type { McpConnection, ServerRequest } from "../transport/messages/mcp-connection.ts";
import type { ServerRequestHandler, Question } from "./server-request-handler.ts";
import { clientCapabilities, requestMeta } from "./client-capabilities.ts";
import { ActiveCalls, toLiveCall, type ActiveRequest } from "./active-calls.ts";
import { logLine, readLogMessage } from "./log-message.ts";
import { logLevels } from "../options/ask-options.ts";
import { InvalidServerRequest } from "./invalid-server-request.ts";

/** Questions of one server that wait for the host at once. */
const maxOpen = 20;

/** Questions to people and models during one call: each costs somebody something. */
const maxPerCall = 100;

const info = logLevels.indexOf("info");

/** JSON-RPC's code for an error that is nobody's but the answering side's. */
const internalError = -32603;

/** What one connection's server asks and tells beside its answers. Made before the connection, and with each anew. */
export class InboundMessages {
  readonly #requestHandler: ServerRequestHandler;
  readonly #live = new ActiveCalls();
  #meta: JsonObject | undefined;
  #open = 0;
  /** Questions that were put on behalf of a call. */
  readonly #put = new WeakMap<ToolContext, number>();

  constructor(requestHandler: ServerRequestHandler) {
    this.#requestHandler = requestHandler;
  }

  /** What the connection is made with: `ConnectOptions.capabilities`. */
  get capabilities(): JsonObject {
    return clientCapabilities(this.#requestHandler.options, "legacy");
  }

  /** Once the connection is there. Asks for a log when somebody hears it. */
  onConnected(connection: McpConnection): void {
    if (connection.era === "modern") {
      this.#meta = requestMeta(this.#requestHandler.options, this.capabilities);
    } else if (
      this.#requestHandler.options.onLog !== undefined &&
      connection.server.capabilities["logging"] !== undefined
    ) {
      const { signal } = new AbortController();
      // A server that will not is one that says nothing.
      connection.request("logging/setLevel", { level: "debug" }, { signal }).catch(() => {});
    }
  }

  /** The params of a request as they are to be sent. */
  addMeta(params: JsonObject): JsonObject {
    const meta = this.#meta;
    if (meta === undefined) return params;
    return { ...params, _meta: { ...(params["_meta"] as JsonObject | undefined), ...meta } };
  }

  /**
   * A request begins: until it is over, what the server asks or writes is about its call.
   *
   * @param ctx `undefined`: it is made for no call, and while it is nobody can say whose a question is.
   */
  begin(ctx: ToolContext | undefined): ActiveRequest {
    return this.#live.begin(ctx);
  }

  /** It is over. */
  end(request: ActiveRequest): void {
    this.#live.end(request);
  }

  /** `ConnectOptions.onRequest`: what is thrown is the error that the server gets. */
  async answerRequest({ method, params, signal }: ServerRequest): Promise<JsonValue> {
    const question = this.#requestHandler.read(method, params);
    const ctx = this.#live.only;
    if (this.#open >= maxOpen) throw new InvalidServerRequest("it asks too much at once", -1);
    this.#open += 1;
    try {
      if (question.method === "roots/list") {
        return await this.#requestHandler.roots(ctx && toLiveCall(ctx, signal)).catch(refuseRoots);
      }
      return await this.#answer(question, ctx, signal);
    } finally {
      this.#open -= 1;
    }
  }

  async #answer(
    question: Question,
    ctx: ToolContext | undefined,
    signal: AbortSignal,
  ): Promise<JsonValue> {
    const { method } = question;
    if (ctx === undefined) {
      // Nobody can say on whose behalf: nobody is asked.
      if (method === "elicitation/create") return { action: "decline" };
      throw new InvalidServerRequest("it cannot be told which call it is about", -1);
    }
    const put = this.#put.get(ctx) ?? 0;
    if (put >= maxPerCall) throw new InvalidServerRequest("it asks too often", -1);
    this.#put.set(ctx, put + 1);
    try {
      return await this.#requestHandler.answer(
        question,
        ctx,
        AbortSignal.any([ctx.signal, signal]),
      );
    } catch (error) {
      if (error instanceof InvalidServerRequest) throw error;
      // For the host; what its own handlers throw is no business of a server's.
      ctx.progress({
        message: `${method} of ${this.#requestHandler.server} could not be answered: ${String(error)}`,
      });
      if (method === "elicitation/create") return { action: "cancel" };
      throw new InvalidServerRequest("the host refused", -1);
    }
  }

  /** `ConnectOptions.onNotification`, for those that are about a call; false: it is about something else. */
  onNotification(method: string, params: JsonObject): boolean {
    if (method === "notifications/elicitation/complete") {
      this.#requestHandler.urlElicitations.complete(params["elicitationId"]);
      return true;
    }
    if (method !== "notifications/message") return false;
    const message = readLogMessage(this.#requestHandler.server, params);
    if (message === undefined) return true;
    const ctx = this.#live.only;
    try {
      this.#requestHandler.options.onLog?.(message, ctx && toLiveCall(ctx));
    } catch {
      // Whoever listens changes nothing.
    }
    if (logLevels.indexOf(message.level) >= info) ctx?.progress({ message: logLine(message) });
    return true;
  }
}

function refuseRoots(): never {
  throw new InvalidServerRequest("the host could not answer", internalError);
}
