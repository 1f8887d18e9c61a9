import { ToolError, type JsonObject, type ToolContext } from "@toolweave/core";
import type { LoadedTools, SecretSet } from "@toolweave/core/adapter";
import { ServerAuth } from "./auth/server-auth.ts";
import type { McpToolHost } from "./calls/mcp-tool.ts";
import { RemoteTasks } from "./calls/remote-tasks.ts";
import type { ConnectionLease } from "./connection/connection-lease.ts";
import { closedError } from "./connection/reconnecting-connection.ts";
import type { CallRequestOptions, OnBehalf } from "./connection/requester.ts";
import { ServerConnections } from "./connection/server-connections.ts";
import {
  cacheList,
  readCachedList,
  listDefinitions,
  type ListedDefinitions,
} from "./listing/list-definitions.ts";
import type { McpServer } from "./options/mcp-options.ts";
import type { ProviderToolHost } from "./resources/provider-tools.ts";
import type { ServerProvider } from "./resources/server-provider.ts";
import { ServerRequestHandler } from "./server-requests/server-request-handler.ts";
import { createTools } from "./source-tools.ts";
import { isLostSession, toCallError } from "./transport/call-error.ts";
import type { McpConnection, McpDefinition } from "./transport/messages/mcp-connection.ts";

const defaultTimeoutMs = 60_000;

/** Listener of a session: its source. */
export interface SessionListener {
  /** The server's tools may have changed: they must be listed again. */
  onToolsChanged(): void;
  /** `trouble` was set or cleared. */
  onTrouble(): void;
}

/** The state of a source: its server's connections, tasks, list and provider. */
export class ServerSession implements McpToolHost, ProviderToolHost {
  readonly requestHandler: ServerRequestHandler;
  /** False for a client of the host: the SDK writes its messages. */
  readonly acceptsBigint: boolean;
  /** Credentials of a server over HTTP. */
  readonly auth: ServerAuth | undefined;
  /** The resources, prompts and completion of the server. */
  readonly provider: ServerProvider;
  readonly tasks: RemoteTasks;
  readonly #connections: ServerConnections;
  readonly #server: McpServer;
  readonly #timeoutMs: number;
  readonly #closing: AbortSignal;
  readonly #listener: SessionListener;
  /** Number of lists in progress. A connection that a list has made needs no further list. */
  #listing = 0;
  /** The list in progress that calls wait for. */
  #latestList: Promise<ListedDefinitions> | undefined;
  readonly #throttle = new ListRefreshThrottle();
  #hasBegun = false;
  #hasListed = false;
  #hasListedAll = false;
  /** Reasons why lists of resources and prompts are incomplete, by method. */
  readonly #incomplete = new Map<string, string>();

  /** @param closing Aborted when the source is closed. */
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
    this.requestHandler = new ServerRequestHandler(server.name, server);
    this.acceptsBigint = !("client" in server);
    this.provider = provider;
    provider.attach(this);
    this.auth = "url" in server ? new ServerAuth(server, secrets) : undefined;
    this.#connections = new ServerConnections({
      server,
      timeoutMs: this.#timeoutMs,
      closing,
      auth: this.auth,
      requestHandler: this.requestHandler,
      onReady: (connection) => {
        provider.onConnected(connection);
        if (this.#listing === 0) listener.onToolsChanged();
      },
      onTrouble: () => listener.onTrouble(),
      onNotification: (method, params, isShared) => {
        if (method === "notifications/tasks/status") this.tasks.onStatus(params);
        if (!isShared || provider.onNotification(method, params)) return;
        if (method !== "notifications/tools/list_changed") return;
        this.#throttle.schedule(() => listener.onToolsChanged());
      },
    });
    this.tasks = new RemoteTasks(this.#connections);
  }

  /**
   * Reason why the tools cannot be called: attempts to connect fail. Errors that only the host can resolve are
   * reported by the calls instead.
   */
  get trouble(): ToolError | undefined {
    const { trouble } = this.#connections.shared;
    return trouble?.retryable === true && this.#hasListed ? trouble : undefined;
  }

  /** Warnings about a server whose tools can be called. */
  get warnings(): readonly string[] {
    const { invalidText } = this.#connections;
    const incomplete = Array.from(
      this.#incomplete,
      ([method, fault]) => `The list of ${method} may be incomplete: ${fault}.`,
    );
    if (invalidText === undefined) return incomplete;
    return [
      ...incomplete,
      `The server sent text that is not valid UTF-8; its bytes were replaced by U+FFFD: ${JSON.stringify(invalidText)}.`,
    ];
  }

  get unavailable(): string | undefined {
    return this.trouble === undefined
      ? undefined
      : `there is no connection to the MCP server ${this.#server.name}.`;
  }

  /**
   * Lists the tools of the server. The first time, the stored list is used where there is one.
   *
   * @throws ToolError when the tools cannot be listed.
   */
  async list(): Promise<LoadedTools> {
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    const cached = isFirst ? await readCachedList(this.#server) : undefined;
    if (cached !== undefined) {
      this.#hasListed = true;
      // A failure is reported by the calls.
      if (this.#server.connect !== "lazy") this.#connections.shared.connection().catch(() => {});
      this.provider.setCapabilities(cached.capabilities);
      return createTools(cached, this.#server, this);
    }
    const listed = await this.#listed();
    this.#hasListed = true;
    await cacheList(this.#server, listed);
    return this.#throttle.measure(() => createTools(listed, this.#server, this));
  }

  onListed(method: string, fault: string | undefined): void {
    if (fault === undefined) this.#incomplete.delete(method);
    else this.#incomplete.set(method, fault);
  }

  /** See `ServerConnections.negotiateAnew`. */
  negotiateAnew(): void {
    this.#connections.negotiateAnew();
  }

  async latestDefinition(name: string): Promise<McpDefinition | undefined> {
    this.#latestList ??= this.#listed().finally(() => (this.#latestList = undefined));
    const { definitions } = await this.#latestList;
    this.#listener.onToolsChanged();
    return definitions.find((definition) => definition.name === name);
  }

  /** See `ServerConnections.request`. */
  request(
    method: string,
    params: JsonObject,
    options: CallRequestOptions,
    on: ToolContext | OnBehalf,
  ): Promise<unknown> {
    return this.#connections.request(method, params, options, on);
  }

  /** See `ServerConnections.connection`. */
  connection(on: OnBehalf): Promise<McpConnection> {
    return this.#connections.connection(on);
  }

  /** See `ServerConnections.rootsChanged`. */
  rootsChanged(): void {
    this.#connections.rootsChanged();
  }

  /** Closes all connections. Idempotent. */
  async close(): Promise<void> {
    this.#throttle.stop();
    await this.#connections.close();
    await this.auth?.close();
  }

  async #listed(): Promise<ListedDefinitions> {
    const { name } = this.#server;
    const { shared } = this.#connections;
    this.#listing += 1;
    try {
      let lease = await this.#connections.withCurrentVersion(await shared.connectNow());
      lease.begin();
      try {
        return await this.#listOver(lease, isLostSession).catch(async (error: unknown) => {
          if (!isLostSession((error as ToolError).cause)) throw error;
          lease.done();
          lease = await shared.replace(lease);
          lease.begin();
          return this.#listOver(lease, () => false);
        });
      } catch (error) {
        // A connection over which no list has ever succeeded is not kept.
        if (!this.#hasListed) shared.failConnection(lease, error as ToolError);
        throw error;
      } finally {
        lease.done();
        shared.done();
      }
    } catch (error) {
      if (this.#closing.aborted) throw closedError(name, error);
      throw error;
    } finally {
      this.#listing -= 1;
    }
  }

  /** @param isLost True for an error after which the list is requested again in another session. */
  async #listOver(
    { connection }: ConnectionLease,
    isLost: (error: unknown) => boolean,
  ): Promise<ListedDefinitions> {
    const { name } = this.#server;
    const timeouts = this.#timeoutMs === 0 ? [] : [AbortSignal.timeout(this.#timeoutMs)];
    try {
      // After a complete list, its tools stay until another one is complete.
      const isFatal = (error: unknown): boolean =>
        this.#hasListedAll || this.#closing.aborted || isLost(error);
      const signal = AbortSignal.any([this.#closing, ...timeouts]);
      const listed = await listDefinitions(connection, signal, isFatal);
      this.#hasListedAll = listed.isComplete;
      return listed;
    } catch (error) {
      if (timeouts[0]?.aborted !== true) throw toCallError(name, error);
      const message = `Listing the tools of the MCP server ${name} took more than ${this.#timeoutMs} ms.`;
      throw new ToolError("timeout", message, { cause: error });
    }
  }
}

/** Milliseconds of work that a list may take without a delay of the next one. */
const freeMs = 250;

/** Factor by which the delay of an expensive list is longer than its work. */
const waitFactor = 10;

/** Maximum delay in milliseconds. */
const maxWaitMs = 60_000;

/**
 * Limits how often a server's list is refreshed: an expensive list that changes constantly would take all of the
 * process's time.
 */
export class ListRefreshThrottle {
  #nextAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** Runs the work for a list and measures it. */
  async measure<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      const endedAt = performance.now();
      const spentMs = endedAt - startedAt;
      this.#nextAt = spentMs <= freeMs ? 0 : endedAt + Math.min(waitFactor * spentMs, maxWaitMs);
    }
  }

  /** Refreshes the list at once, or after the delay. Requests in the meantime are coalesced. */
  schedule(read: () => void): void {
    if (this.#isOver || this.#timer !== undefined) return;
    const waitMs = this.#nextAt - performance.now();
    if (waitMs <= 0) return read();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      read();
    }, waitMs);
    this.#timer.unref();
  }

  /** Stops; a scheduled refresh is cancelled. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
