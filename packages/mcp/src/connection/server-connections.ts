import { ToolError, type JsonObject, type ToolContext } from "@toolweave/core";
import { steadyClock, type Cancellation } from "@toolweave/core/adapter";
import type { ServerAuth } from "../auth/server-auth.ts";
import type { McpServer } from "../options/mcp-options.ts";
import { InboundMessages } from "../server-requests/inbound-messages.ts";
import type { ServerRequestHandler } from "../server-requests/server-request-handler.ts";
import { isLostSession, toCallError, toConnectError } from "../transport/call-error.ts";
import type { McpConnection } from "../transport/messages/mcp-connection.ts";
import { ConnectionLease } from "./connection-lease.ts";
import { closedError, ReconnectingConnection } from "./reconnecting-connection.ts";
import type { CallRequestOptions, OnBehalf, Requester } from "./requester.ts";

/** Failed starts of a process in a row, after which it is not started again. */
const maxStarts = 5;

/** Milliseconds that a server gets to respond whether it now speaks the newer protocol. */
const newerVersionTimeoutMs = 5_000;

/** Options of a server's connections. */
export interface ServerConnectionsOptions {
  readonly server: McpServer;
  /** Milliseconds for connecting; 0: no limit. */
  readonly timeoutMs: number;
  /** Aborted when the source is closed. */
  readonly closing: AbortSignal;
  /** Credentials of a server over HTTP. */
  readonly auth: ServerAuth | undefined;
  readonly requestHandler: ServerRequestHandler;
  /** Called for every opened shared connection. */
  onReady(connection: McpConnection): void;
  /** Called when `trouble` of the shared connection was set or cleared. */
  onTrouble(): void;
  /**
   * Called for every notification that belongs to no call.
   *
   * @param isShared It came over the connection that all callers share.
   */
  onNotification(method: string, params: JsonObject, isShared: boolean): void;
}

/**
 * The connections to one server: a shared one, and one for each owner of credentials. Requests with one owner's
 * credentials are never sent over the connection of another.
 */
export class ServerConnections implements Requester {
  readonly requestHandler: ServerRequestHandler;
  readonly #options: ServerConnectionsOptions;
  readonly #byOwner = new Map<string | undefined, ReconnectingConnection>();
  #closed: Promise<unknown> | undefined;
  #invalidText: string | undefined;
  /** The next connection must negotiate the version anew. */
  #negotiateAnew = false;

  constructor(options: ServerConnectionsOptions) {
    this.#options = options;
    this.requestHandler = options.requestHandler;
    // A source waits for its list before it closes: an attempt to connect must end before that.
    options.closing.addEventListener("abort", () => void this.close(), { once: true });
  }

  /** The connection that all callers share. */
  get shared(): ReconnectingConnection {
    return this.#connectionForOwner(undefined);
  }

  /** Part of the first text of the server that was not valid UTF-8. */
  get invalidText(): string | undefined {
    return this.#invalidText;
  }

  /**
   * Makes the next connection negotiate the version anew. A process does so when it is started again: a running one
   * does not change.
   */
  negotiateAnew(): void {
    this.#negotiateAnew = true;
  }

  /**
   * Sends a request on behalf of a call. A request that the server rejects because it no longer knows the session was
   * not run, and is sent once more in a new session.
   *
   * @throws ToolError as `toCallError` creates it, and when there is no connection.
   */
  async request(
    method: string,
    params: JsonObject,
    options: CallRequestOptions,
    on: ToolContext | OnBehalf,
  ): Promise<unknown> {
    const { signal } = options;
    const ctx = "runId" in on ? on : undefined;
    const reconnecting = this.#connectionForCaller(on);
    try {
      let lease = reconnecting.ready ?? (await reconnecting.connection(signal));
      for (let isAgain = false; ; isAgain = true) {
        try {
          return await lease.request(method, params, options, ctx);
        } catch (error) {
          if (isAgain || signal.aborted || !isLostSession(error)) throw error;
        } finally {
          reconnecting.done();
        }
        lease = await reconnecting.replace(lease, signal);
      }
    } catch (error) {
      const { server, closing } = this.#options;
      if (signal.aborted) {
        throw new ToolError("cancelled", "The call was cancelled.", { cause: error });
      }
      if (closing.aborted) throw closedError(server.name, error);
      throw toCallError(server.name, error, method);
    }
  }

  /** Returns the connection of a call, for its era and the server's capabilities. */
  async connection(ctx: OnBehalf, cancellation?: Cancellation): Promise<McpConnection> {
    const reconnecting = this.#connectionForCaller(ctx);
    return (reconnecting.ready ?? (await reconnecting.connection(cancellation))).connection;
  }

  /** Returns the shared connection, or a new one if a new negotiation was requested and the server has become newer. */
  async withCurrentVersion(lease: ConnectionLease): Promise<ConnectionLease> {
    const { server, closing } = this.#options;
    const { connection } = lease;
    if (!this.#negotiateAnew || !("url" in server)) return lease;
    const signal = AbortSignal.any([closing, AbortSignal.timeout(newerVersionTimeoutMs)]);
    if ((await connection.supportsNewerProtocol?.(signal)) !== true) {
      this.#negotiateAnew = false;
      return lease;
    }
    const { shared } = this;
    for (const other of this.#byOwner.values()) {
      const { ready } = other;
      // Connections of callers: no request waits for them now.
      if (other !== shared && ready !== undefined) other.replace(ready).catch(() => {});
    }
    return shared.replace(lease);
  }

  /** Notifies the server of changed roots, over every connection on which it may request them by itself. */
  rootsChanged(): void {
    for (const { ready } of this.#byOwner.values()) {
      if (ready?.connection.era !== "legacy") continue;
      // A server that misses it requests them again with the next connection.
      ready.connection.notify("notifications/roots/list_changed", {}).catch(() => {});
    }
  }

  /** Closes all connections. Idempotent: every caller waits for the end of all. */
  async close(): Promise<void> {
    this.#closed ??= Promise.all(Array.from(this.#byOwner.values(), (owned) => owned.close()));
    await this.#closed;
  }

  #connectionForCaller(ctx: OnBehalf): ReconnectingConnection {
    return this.#connectionForOwner(this.#options.auth?.getOwner(ctx));
  }

  #connectionForOwner(owner: string | undefined): ReconnectingConnection {
    const known = this.#byOwner.get(owner);
    if (known !== undefined) return known;
    const connection = this.#create(owner, () => {
      if (this.#byOwner.get(owner) === connection) this.#byOwner.delete(owner);
    });
    if (this.#closed !== undefined) void connection.close();
    else this.#byOwner.set(owner, connection);
    return connection;
  }

  #create(owner: string | undefined, onIdle: () => void): ReconnectingConnection {
    const { server, timeoutMs, onReady, onTrouble } = this.#options;
    const isShared = owner === undefined;
    return new ReconnectingConnection({
      server: server.name,
      clock: steadyClock,
      timeoutMs,
      reconnect: isShared && server.connect !== "lazy",
      // Further attempts over HTTP cost nothing; a client of the host's is reconnected by the host only.
      maxFailures: "url" in server ? Infinity : "command" in server ? maxStarts : 0,
      random: Math.random,
      open: (signal, isAgain) => this.#open(owner, signal, isAgain),
      toError: (thrown) =>
        "client" in server
          ? notConnectedError(server.name, thrown)
          : toConnectError(server.name, thrown),
      ...(isShared ? { onReady: ({ connection }) => onReady(connection), onTrouble } : { onIdle }),
    });
  }

  async #open(
    owner: string | undefined,
    signal: AbortSignal,
    isAgain: boolean,
  ): Promise<ConnectionLease> {
    const { server, timeoutMs, auth, onNotification } = this.#options;
    if ("client" in server && server.client.transport === undefined) {
      throw notConnectedError(server.name);
    }
    // The protocol's implementation is loaded when it is needed: it is the largest import of the package.
    const { connect } = await import("../transport/connect.ts");
    const inbound = new InboundMessages(this.requestHandler);
    const connection = await connect(server, {
      timeoutMs: timeoutMs === 0 ? Infinity : timeoutMs,
      signal,
      // A restarted process is mostly the same: it is negotiated with anew only if it rejects the known version.
      negotiateAnew: this.#negotiateAnew || (isAgain && "url" in server),
      capabilities: inbound.capabilities,
      authorization: auth?.authorizationFor(owner),
      onNotification: (method, params, streamOwner) => {
        if (inbound.onNotification(method, params, streamOwner)) return;
        onNotification(method, params, owner === undefined);
      },
      onInvalidText: (excerpt) => void (this.#invalidText ??= excerpt),
      onRequest: (request) => inbound.handleRequest(request),
    });
    this.#negotiateAnew = false;
    inbound.onConnected(connection);
    return new ConnectionLease(connection, inbound);
  }
}

function notConnectedError(server: string, cause?: unknown): ToolError {
  const message = `The client of the MCP server ${server} is not connected: connect it again.`;
  return new ToolError("unavailable", message, { cause, retryable: false });
}
