import {
  createMcpHandler,
  isLegacyRequest,
  readRequestBody,
  type McpHttpHandler,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import {
  ToolError,
  type Caller,
  type ToolExecutor,
  type ToolRegistry,
  type ToolRun,
} from "@toolweave/core";
import type { Readable, Writable } from "node:stream";
import { CallerBudgets, howToRaise } from "./clients/caller-budgets.ts";
import { CallRunner } from "./calls/call-runner.ts";
import { ClientTools } from "./clients/client-tools.ts";
import { RequestHandlers } from "./server/request-handlers.ts";
import { GatewayClient } from "./clients/gateway-client.ts";
import type { GatewayFetch, GatewayRequest } from "./http/gateway-fetch.ts";
import { GatewayServer } from "./server/gateway-server.ts";
import { isEventStream } from "./http/http-exchange.ts";
import { refusal } from "./http/http-refusal.ts";
import { markIdleStream, withStreamEnd } from "./http/idle-streams.ts";
import { LegacySessions } from "./server/legacy-sessions.ts";
import { ListChanges } from "./clients/list-changes.ts";
import { ChangeSubscriptions, readListenRequest } from "./server/change-subscriptions.ts";
import { StatelessClients } from "./clients/stateless-clients.ts";
import { ProviderCalls } from "./providers/provider-calls.ts";
import type { OfferProblem } from "./providers/provider-problems.ts";
import { ProviderAggregator } from "./providers/provider-aggregator.ts";
import { errorCode } from "./clients/request-port.ts";
import { RequestStates } from "./clients/request-states.ts";
import { checkedOptions, type Served, type ServeMcpOptions } from "./clients/serve-options.ts";
import { WatchedResources } from "./providers/watched-resources.ts";
import { WatchedTransport } from "./server/watched-transport.ts";

/** How a gateway speaks to one client over standard input and output. */
export interface StdioOptions {
  /** On whose behalf the client calls. */
  readonly caller?: Caller;
  /** Default: the process's own. */
  readonly input?: Readable;
  readonly output?: Writable;
}

/** A connection over standard input and output. */
export interface StdioConnection {
  /** Resolves when the client is gone, or the connection was closed. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** A registry as an MCP server. */
export interface McpGateway extends GatewayFetch {
  /** Serves one client over standard input and output. Nothing else may write there. */
  stdio(options?: StdioOptions): StdioConnection;
  /**
   * Answers one request over Streamable HTTP, whichever protocol the client speaks. Whose it may be is for whoever calls
   * this to check: see `listenHttp`.
   */
  fetch(request: Request, from?: GatewayRequest): Promise<Response>;
  /** What a provider offers and clients do not see, since another offers the same. */
  readonly problems: readonly OfferProblem[];
  /**
   * Ends it: new calls are refused, those under way have `graceMs` (default 10,000), then they are cancelled, and every
   * connection ends. Executor and registry stay open. Idempotent.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Serves a registry over the Model Context Protocol, in both of its generations (up to 2025-11-25, and 2026-07-28), over
 * stdio or HTTP: its tools, with everything that the executor does about a call; its artifacts as resources; and what the
 * providers have. A call that needs a person asks the client's user; see `approvals`.
 *
 * @param registry the executor's own.
 * @throws ToolError `internal` when an option cannot be meant.
 * @example
 * ```ts
 * const gateway = serveMcp(registry, executor, { name: "my-tools" });
 * await gateway.stdio().closed;
 * ```
 */
export function serveMcp(
  registry: ToolRegistry,
  executor: ToolExecutor,
  options: ServeMcpOptions = {},
): McpGateway {
  if (executor.registry !== registry) {
    throw new ToolError("internal", "serveMcp: the executor is another registry's.");
  }
  return new Gateway(executor, checkedOptions(options));
}

/**
 * The request of each answer that is being sent. A `Request` that nobody holds is collected, and its signal fires no
 * more: nobody would hear that the client has gone.
 */
const requestsByBody = new WeakMap<ReadableStream, Request>();

/** What `serveMcp` gives, and what else a client in the same process needs. */
export class Gateway implements McpGateway {
  readonly #served: Served;
  readonly #offers: ProviderAggregator;
  readonly #watched: WatchedResources;
  readonly #runner: CallRunner;
  readonly #answers: RequestHandlers;
  readonly #changes = new ListChanges();
  readonly #budgets: CallerBudgets;
  readonly #sessions: LegacySessions;
  readonly #clients: StatelessClients;
  readonly #modern: McpHttpHandler;
  readonly #executor: ToolExecutor;
  readonly #tools: ClientTools;
  readonly #connections = new Set<Pick<StdioConnection, "close">>();
  readonly #unfollow: (() => void)[];
  #closed: Promise<void> | undefined;

  constructor(executor: ToolExecutor, served: Served) {
    this.#served = served;
    this.#executor = executor;
    this.#offers = new ProviderAggregator(served.providers, new ProviderCalls(executor));
    this.#watched = new WatchedResources(this.#offers);
    const tools = (this.#tools = new ClientTools(executor, served.search));
    const states = new RequestStates(served.key);
    this.#runner = new CallRunner(executor, served, tools, states);
    this.#answers = new RequestHandlers(
      executor,
      tools,
      this.#runner,
      this.#offers,
      this.#watched,
      states,
      served.forModel === true,
    );
    this.#budgets = new CallerBudgets(served.limits);
    this.#clients = new StatelessClients(this.#budgets);
    this.#sessions = new LegacySessions(
      {
        client: (caller, id) => new GatewayClient(this.#budgets.of(caller), id, caller, id),
        server: (client) => this.#connected(client, "legacy"),
        ended: (client) => this.#left(client),
      },
      served.limits,
    );
    this.#modern = createMcpHandler(
      ({ authInfo }) => this.#server(authInfo?.extra?.["client"] as GatewayClient, "modern"),
      // How many streams there may be is counted by caller, before the SDK counts those of all.
      { legacy: "reject", onerror: this.#report, maxSubscriptions: Number.MAX_SAFE_INTEGER },
    );
    const { notify } = this.#modern;
    this.#changes.listen({
      listChanged: (kind) => notify[`${kind}Changed`](),
      resourceUpdated: (uri) => notify.resourceUpdated(uri),
    });
    this.#unfollow = [
      executor.registry.onChange(() => this.#changes.listChanged("tools")),
      ...served.providers.map((provider) =>
        provider.onChange((change) => {
          if (change.type === "resource") this.#changes.resourceUpdated(change.uri);
          else this.#changes.listChanged(change.type);
        }),
      ),
    ];
  }

  get problems(): readonly OfferProblem[] {
    return this.#offers.problems;
  }

  stdio({ caller, input, output }: StdioOptions = {}): StdioConnection {
    this.#assertOpen();
    const id = crypto.randomUUID();
    const client = new GatewayClient(this.#budgets.ofConnection(caller), id, caller, id);
    const listening = new ChangeSubscriptions(this.#watched, client);
    const transport = new WatchedTransport(
      input ?? process.stdin,
      output ?? process.stdout,
      (message) => listening.hear(message),
    );
    const handle = serveStdio(({ era }) => this.#connected(client, era), {
      transport,
      onerror: this.#report,
      maxSubscriptions: this.#served.limits.streams,
    });
    const connection = { closed: transport.closed, close: () => handle.close() };
    this.#connections.add(connection);
    void transport.closed.then(() => {
      listening.close();
      this.#left(client);
      this.#connections.delete(connection);
    });
    return connection;
  }

  /** Somebody who is served over connections of the host's own. */
  client(caller: Caller | undefined, sessionId: string): GatewayClient {
    const budget = this.#budgets.ofConnection(caller);
    return new GatewayClient(budget, sessionId, caller, sessionId);
  }

  /** Serves a client over a connection of the host's own, in the older protocol. */
  async connect(transport: Transport, client: GatewayClient): Promise<void> {
    this.#assertOpen();
    // Each connection has subscriptions of its own, and ends alone.
    const twin = client.twin();
    const server = this.#connected(twin, "legacy");
    this.#connections.add(server);
    server.atEnd(() => {
      this.#connections.delete(server);
      this.#watched.forget(twin);
    });
    await server.connect(transport);
  }

  /** It will connect no more. */
  forget(client: GatewayClient): void {
    this.#left(client);
  }

  /** A run for one call of a client's, in which it can be admitted before it is made. */
  startRun({ caller, behalf }: GatewayClient): ToolRun {
    return this.#executor.startRun({ toolset: this.#tools.of(caller), ...behalf });
  }

  async fetch(request: Request, from: GatewayRequest = {}): Promise<Response> {
    const response = await this.#answer(request, from);
    if (response.body !== null) requestsByBody.set(response.body, request);
    return response;
  }

  async #answer(request: Request, from: GatewayRequest): Promise<Response> {
    if (this.#closed !== undefined) return refusal(503, "The gateway is shutting down");
    const { caller, maxBodyBytes } = from;
    let body: unknown;
    if (request.method === "POST") {
      const read = await readRequestBody(request, maxBodyBytes);
      if (read.tooLarge) return refusal(413, "The request is too large");
      try {
        body = JSON.parse(read.text);
      } catch {
        return refusal(400, "Parse error: Invalid JSON", {}, errorCode.parse);
      }
    }
    if (await isLegacyRequest(request, body)) return this.#sessions.fetch(request, body, caller);
    const client = this.#clients.of(caller);
    const authInfo = { token: "", clientId: "", scopes: [], extra: { client } };
    const go = (): Promise<Response> =>
      this.#modern.fetch(request, {
        authInfo,
        ...(body === undefined ? {} : { parsedBody: body }),
      });
    const wanted = readListenRequest(body);
    if (wanted === undefined) return go();
    const end = await new ChangeSubscriptions(this.#watched, client).begin(request, wanted);
    if (end === undefined) {
      const message = `This caller has as many streams open as it may have: end one of them first. ${howToRaise("streams")}`;
      return refusal(429, message, { "retry-after": "5" });
    }
    let response: Response | undefined;
    try {
      response = await go();
    } finally {
      // Refused: there is no stream that will end.
      if (response === undefined || !isEventStream(response)) end();
    }
    if (!isEventStream(response)) return response;
    return markIdleStream(withStreamEnd(response, request.signal, end));
  }

  close({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    return (this.#closed ??= this.#close(graceMs));
  }

  async #close(graceMs: number): Promise<void> {
    for (const unfollow of this.#unfollow) unfollow();
    this.#changes.close();
    await this.#runner.close(graceMs);
    await Promise.allSettled([
      this.#modern.close(),
      this.#sessions.close(),
      ...Array.from(this.#connections, (connection) => connection.close()),
    ]);
  }

  /** For a connection that stays: its client hears of changes. */
  #connected(client: GatewayClient, era: "legacy" | "modern"): GatewayServer {
    const server = this.#server(client, era);
    server.hearChanges(this.#changes, client);
    return server;
  }

  #server(client: GatewayClient, era: "legacy" | "modern"): GatewayServer {
    const { info, instructions } = this.#served;
    const answers = this.#answers;
    return new GatewayServer({
      info,
      instructions,
      era,
      capabilities: answers.capabilities(era),
      answers: answers.of(client, era),
      schemaOf: (name) => answers.schemaOf(client, name),
    });
  }

  /** A client of which nothing is heard any more: its connection, or session, has ended. */
  #left(client: GatewayClient): void {
    this.#watched.forget(client);
    void this.#runner.tasks.left(client);
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) {
      throw new ToolError("internal", "The gateway was closed.");
    }
  }

  readonly #report = (error: Error): void => this.#served.onError?.(error);
}
