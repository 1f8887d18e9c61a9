import type { JsonObject, ToolContext } from "@toolweave/core";
import type { InboundMessages } from "../server-requests/inbound-messages.ts";
import type { McpConnection } from "../transport/messages/mcp-connection.ts";
import { detachOnAbort, type CallRequestOptions } from "./requester.ts";

/** A connection with the number of requests in progress. A retired connection is closed after the last of them. */
export class ConnectionLease {
  readonly connection: McpConnection;
  /** Handles the requests and notifications of its server. */
  readonly inbound: InboundMessages;
  /** True after a call has been answered over it. */
  hasAnswered = false;
  #running = 0;
  #isRetired = false;

  constructor(connection: McpConnection, inbound: InboundMessages) {
    this.connection = connection;
    this.inbound = inbound;
  }

  /** No request is in progress over it. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /**
   * Sends a request over this connection.
   *
   * @param ctx The call that requests of the server in the meantime belong to; `undefined`: no call.
   */
  async request(
    method: string,
    params: JsonObject,
    options: CallRequestOptions,
    ctx: ToolContext | undefined,
  ): Promise<unknown> {
    const { connection, inbound } = this;
    this.begin();
    const active = inbound.begin(ctx);
    let isAnswered = false;
    try {
      const sent = inbound.addMeta(params);
      const answer = await (options.onLate === undefined
        ? connection.request(method, sent, options, active)
        : detachOnAbort(options, (detached) => connection.request(method, sent, detached, active)));
      this.hasAnswered = true;
      isAnswered = true;
      return answer;
    } catch (error) {
      isAnswered = !options.signal.aborted && isErrorAnswer(error);
      throw error;
    } finally {
      inbound.end(active, isAnswered);
      this.done();
    }
  }

  /** Registers work that needs the connection. */
  begin(): void {
    this.#running += 1;
  }

  /** Ends work that `begin` has registered. */
  done(): void {
    this.#running -= 1;
    if (this.#isRetired && this.isIdle) void this.connection.close();
  }

  /** Closes the connection as soon as no request is in progress; no new one is made over it. */
  retire(): void {
    this.#isRetired = true;
    if (this.isIdle) void this.connection.close();
  }
}

/** True for an error that the server has answered with, which has a code of JSON-RPC. */
function isErrorAnswer(error: unknown): boolean {
  return typeof (error as { readonly code?: unknown } | undefined)?.code === "number";
}
