import {
  steadyClock,
  ToolError,
  type Cancellation,
  type JsonObject,
  type LoadedTools,
  type SecretSet,
  type ToolContext,
} from "@toolweave/core";
import { ServerRequestHandler } from "./server-requests/server-request-handler.ts";
import { InboundMessages } from "./server-requests/inbound-messages.ts";
import { ServerAuth } from "./auth/server-auth.ts";
import type { McpConnection, McpDefinition } from "./transport/messages/mcp-connection.ts";
import { listDefinitions, type ListedDefinitions } from "./listing/list-definitions.ts";
import { createTools } from "./source-tools.ts";
import type { ProviderToolHost } from "./resources/provider-tools.ts";
import type { ServerProvider } from "./resources/server-provider.ts";
import { RemoteTasks } from "./calls/remote-tasks.ts";
import type { McpServer } from "./options/mcp-options.ts";
import { toCallError, toConnectError, isLostSession } from "./transport/call-error.ts";
import type { McpCall, McpToolHost } from "./calls/mcp-tool.ts";
import { cacheList, readCachedList } from "./listing/list-cache.ts";
import { ListRefreshThrottle } from "./listing/list-refresh-throttle.ts";
import { ConnectionLease } from "./connection/connection-lease.ts";
import { detachOnAbort } from "./connection/late-response.ts";
import type { CallRequestOptions, OnBehalf } from "./connection/requester.ts";
import { closedError, ReconnectingConnection } from "./connection/reconnecting-connection.ts";
import { Sessions } from "./connection/sessions.ts";

const defaultTimeoutMs = 60_000;

/** Starts of a process, one after the other, that may fail before it is left alone. */
const mostStarts = 5;

/** Milliseconds that a server gets to say whether it speaks the newer protocol by now. */
const newerMs = 5_000;

/** Who hears of a session. */
export interface SessionListener {
  /** The server's tools may have changed: list them again. */
  onToolsChanged(): void;
  /** `trouble` has come or gone. */
  onTrouble(): void;
}

/** What a source and its tools do with a server, over whatever connection there is at the time. */
export class ServerSession implements McpToolHost, ProviderToolHost {
  readonly asking: ServerRequestHandler;
  /** Of a server over HTTP. */
  readonly auth: ServerAuth | undefined;
  /** What the server offers beside its tools. */
  readonly provider: ServerProvider;
  #invalidText: string | undefined;
  readonly #tasks: RemoteTasks = new RemoteTasks(this);
  readonly #server: McpServer;
  readonly #timeoutMs: number;
  readonly #closing: AbortSignal;
  readonly #listener: SessionListener;
  readonly #sessions: Sessions;
  /** Lists that are being asked for: none is needed because of a connection that they made. */
  #listing = 0;
  /** A list that calls wait for. */
  #newest: Promise<ListedDefinitions> | undefined;
  readonly #pace = new ListRefreshThrottle();
  #hasBegun = false;
  #hasListed = false;
  /** The host wants to know which version the server speaks by now. */
  #negotiateAnew = false;

  /** @param closing fires when the source is closed. */
  constructor(
    server: McpServer,
    secrets: SecretSet,
    closing: AbortSignal,
    listener: SessionListener,
    provider: ServerProvider,
  ) {
    this.#server = server;
    this.#timeoutMs = server.timeoutMs ?? defaultTimeoutMs;
    this.#closing = closing;
    this.#listener = listener;
    this.asking = new ServerRequestHandler(server.name, server);
    this.provider = provider;
    provider.attach(this);
    this.auth = "url" in server ? new ServerAuth(server, secrets) : undefined;
    this.#sessions = new Sessions((owner, onIdle) => this.#linkOf(owner, onIdle));
  }

  /** Why the tools cannot be called: attempts to connect fail. What only somebody else can change is asked each time. */
  get trouble(): ToolError | undefined {
    const { trouble } = this.#shared;
    return trouble?.retryable === true && this.#hasListed ? trouble : undefined;
  }

  /** What the host should know of a server whose tools can be called. */
  get warnings(): readonly string[] {
    if (this.#invalidText === undefined) return [];
    return [
      `The server sent text that is not valid UTF-8; its bytes were replaced by U+FFFD: ${JSON.stringify(this.#invalidText)}.`,
    ];
  }

  get unavailable(): string | undefined {
    return this.trouble === undefined
      ? undefined
      : `there is no connection to the MCP server ${this.#server.name}.`;
  }

  /**
   * The tools as the server lists them now; for the first time those of last time, where they are known.
   *
   * @throws ToolError when they cannot be had.
   */
  async list(): Promise<LoadedTools> {
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    const kept = isFirst ? await readCachedList(this.#server) : undefined;
    if (kept !== undefined) {
      this.#hasListed = true;
      // Whoever calls hears of a failure.
      if (this.#server.connect !== "lazy") this.#shared.connection().catch(() => {});
      this.provider.offers(kept.capabilities);
      return createTools(kept, this.#server, this);
    }
    const listed = await this.#listed();
    this.#hasListed = true;
    await cacheList(this.#server, listed);
    return this.#pace.measure(() => createTools(listed, this.#server, this));
  }

  /**
   * The next list finds out which version the server speaks. A process is asked when it is started again: one that runs
   * stays what it is.
   */
  negotiateAnew(): void {
    this.#negotiateAnew = true;
  }

  call(call: McpCall, ctx: ToolContext): Promise<unknown> {
    const { definition, args, more, onProgress, headers, asTask } = call;
    const params = { name: definition.name, arguments: args, ...more };
    return this.#tasks.call(params, ctx, { onProgress, headers, asTask });
  }

  async latestDefinition(name: string): Promise<McpDefinition | undefined> {
    this.#newest ??= this.#listed().finally(() => (this.#newest = undefined));
    const { definitions } = await this.#newest;
    this.#listener.onToolsChanged();
    return definitions.find((definition) => definition.name === name);
  }

  /**
   * Makes a request on behalf of a call. One that the server refuses because it no longer knows the session has not been
   * run, and is made once more in a new one.
   *
   * @throws ToolError as `toCallError` says, and when there is no connection.
   */
  async request(
    method: string,
    params: JsonObject,
    options: CallRequestOptions,
    on: ToolContext | OnBehalf,
  ): Promise<unknown> {
    const { signal } = options;
    const link = this.#linkFor(on);
    try {
      let live = link.ready ?? (await link.connection(signal));
      for (let isAgain = false; ; isAgain = true) {
        const { connection, conversation } = live;
        live.begin();
        const request = conversation.begin(callOf(on));
        try {
          const asked = conversation.addMeta(params);
          const answer = await detachOnAbort(options, (sent) =>
            connection.request(method, asked, sent),
          );
          live.hasAnswered = true;
          return answer;
        } catch (error) {
          if (isAgain || signal.aborted || !isLostSession(error)) throw error;
        } finally {
          conversation.end(request);
          live.done();
          link.done();
        }
        live = await link.replace(live, signal);
      }
    } catch (error) {
      if (signal.aborted) {
        throw new ToolError("cancelled", "The call was cancelled.", { cause: error });
      }
      if (this.#closing.aborted) throw closedError(this.#server.name, error);
      throw toCallError(this.#server.name, error, method);
    }
  }

  /** The connection for a call, for what has to know it: its era, what the server can do. */
  async connection(ctx: OnBehalf, cancellation?: Cancellation): Promise<McpConnection> {
    const link = this.#linkFor(ctx);
    return (link.ready ?? (await link.connection(cancellation))).connection;
  }

  /** Tells the server that there are other roots, over every connection on which it may ask for them by itself. */
  rootsChanged(): void {
    for (const { ready } of this.#sessions.all()) {
      if (ready?.connection.era !== "legacy") continue;
      // Whoever is told of nothing asks again with the next connection.
      ready.connection.notify("notifications/roots/list_changed", {}).catch(() => {});
    }
  }

  /** Lets go of all connections. Idempotent. */
  async close(): Promise<void> {
    this.#pace.stop();
    await this.#sessions.close();
    await this.auth?.close();
  }

  get #shared(): ReconnectingConnection {
    return this.#sessions.of(undefined);
  }

  #linkFor(ctx: OnBehalf): ReconnectingConnection {
    return this.#sessions.of(this.auth?.ownerOf(ctx));
  }

  #linkOf(owner: string | undefined, onIdle: () => void): ReconnectingConnection {
    const server = this.#server;
    const isShared = owner === undefined;
    return new ReconnectingConnection({
      server: server.name,
      clock: steadyClock,
      timeoutMs: this.#timeoutMs,
      reconnect: isShared && server.connect !== "lazy",
      // To ask over HTTP costs nobody anything; what somebody else has connected, only they connect again.
      maxFailures: "url" in server ? Infinity : "command" in server ? mostStarts : 0,
      random: Math.random,
      open: (signal, isAgain) => this.#open(owner, signal, isAgain),
      toError: (thrown) =>
        "client" in server
          ? notConnected(server.name, thrown)
          : toConnectError(server.name, thrown),
      ...(isShared
        ? {
            onReady: ({ connection }) => {
              this.provider.connected(connection);
              if (this.#listing === 0) this.#listener.onToolsChanged();
            },
            onTrouble: () => this.#listener.onTrouble(),
          }
        : { onIdle }),
    });
  }

  async #open(
    owner: string | undefined,
    signal: AbortSignal,
    isAgain: boolean,
  ): Promise<ConnectionLease> {
    if ("client" in this.#server && this.#server.client.transport === undefined) {
      throw notConnected(this.#server.name);
    }
    // What speaks the protocol is loaded when it is needed: it costs more than all the rest.
    const { connect } = await import("./transport/connect.ts");
    const conversation = new InboundMessages(this.asking);
    const connection = await connect(this.#server, {
      timeoutMs: this.#timeoutMs === 0 ? Infinity : this.#timeoutMs,
      signal,
      // A process that is started again is mostly the same: it is asked anew when it does not speak what it spoke.
      negotiateAnew: this.#negotiateAnew || (isAgain && "url" in this.#server),
      capabilities: conversation.capabilities,
      authorization: this.auth?.authorizationFor(owner),
      onNotification: (method, params) => {
        if (conversation.onNotification(method, params)) return;
        if (method === "notifications/tasks/status") this.#tasks.onStatus(params);
        if (owner !== undefined || this.provider.hear(method, params)) return;
        if (method !== "notifications/tools/list_changed") return;
        this.#pace.schedule(() => this.#listener.onToolsChanged());
      },
      onInvalidText: (excerpt) => void (this.#invalidText ??= excerpt),
      onRequest: (request) => conversation.answerRequest(request),
    });
    this.#negotiateAnew = false;
    conversation.onConnected(connection);
    return new ConnectionLease(connection, conversation);
  }

  async #listed(): Promise<ListedDefinitions> {
    const { name } = this.#server;
    const link = this.#shared;
    this.#listing += 1;
    try {
      let live = await this.#upToDate(link, await link.connectNow());
      live.begin();
      try {
        return await this.#listOver(live).catch(async (error: unknown) => {
          if (!isLostSession((error as ToolError).cause)) throw error;
          live.done();
          live = await link.replace(live);
          live.begin();
          return this.#listOver(live);
        });
      } catch (error) {
        // A connection over which nothing has ever been listed is good for nothing.
        if (!this.#hasListed) link.fail(live, error as ToolError);
        throw error;
      } finally {
        live.done();
        link.done();
      }
    } catch (error) {
      if (this.#closing.aborted) throw closedError(name, error);
      throw error;
    } finally {
      this.#listing -= 1;
    }
  }

  /** The connection, or another one where the host has asked and the server has become newer. */
  async #upToDate(link: ReconnectingConnection, live: ConnectionLease): Promise<ConnectionLease> {
    const { connection } = live;
    if (!this.#negotiateAnew || !("url" in this.#server)) return live;
    const signal = AbortSignal.any([this.#closing, AbortSignal.timeout(newerMs)]);
    if ((await connection.speaksNewer?.(signal)) !== true) {
      this.#negotiateAnew = false;
      return live;
    }
    for (const other of this.#sessions.all()) {
      const { ready } = other;
      // Those of callers: nobody waits for them now.
      if (other !== link && ready !== undefined) other.replace(ready).catch(() => {});
    }
    return link.replace(live);
  }

  async #listOver({ connection }: ConnectionLease): Promise<ListedDefinitions> {
    const { name } = this.#server;
    const late = this.#timeoutMs === 0 ? [] : [AbortSignal.timeout(this.#timeoutMs)];
    try {
      return await listDefinitions(connection, AbortSignal.any([this.#closing, ...late]));
    } catch (error) {
      if (late[0]?.aborted !== true) throw toCallError(name, error);
      const message = `Listing the tools of the MCP server ${name} took more than ${this.#timeoutMs} ms.`;
      throw new ToolError("timeout", message, { cause: error });
    }
  }
}

/** A call, for what the server asks meanwhile to be about it. */
function callOf(on: ToolContext | OnBehalf): ToolContext | undefined {
  return "runId" in on ? on : undefined;
}

function notConnected(server: string, cause?: unknown): ToolError {
  const message = `The client of the MCP server ${server} is not connected: connect it again.`;
  return new ToolError("unavailable", message, { cause, retryable: false });
}
