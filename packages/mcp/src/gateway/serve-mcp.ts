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
import { checks } from "@toolweave/core/adapter";
import { CallerBudgets, describeLimit } from "./clients/caller-budgets.ts";
import { CallRunner } from "./calls/call-runner.ts";
import { ClientTools } from "./clients/client-tools.ts";
import { findUnlistableOutputs } from "./server/mcp-tool.ts";
import { RequestHandlers } from "./server/request-handlers.ts";
import { GatewayClient, StatelessClients, toCallerKey } from "./clients/gateway-client.ts";
import type { GatewayFetch, GatewayRequest } from "./http/http-options.ts";
import { GatewayServer, WatchedTransport } from "./server/gateway-server.ts";
import { isEventStream, toErrorResponse } from "./http/http-exchange.ts";
import { markIdleStream, withStreamEnd } from "./http/idle-streams.ts";
import { StoreCheck } from "./http/health.ts";
import { measuredHandlers } from "./server/measured-handlers.ts";
import { parseMessages } from "./server/exact-arguments.ts";
import { LegacySessions } from "./server/legacy-sessions.ts";
import { ReplicaRouter } from "./server/replica-router.ts";
import { ListChanges } from "./clients/list-changes.ts";
import { ChangeSubscriptions, readListenRequest } from "./server/change-subscriptions.ts";
import { ProviderCalls, type ProviderProblem } from "./providers/provider-calls.ts";
import { ProviderAggregator } from "./providers/provider-aggregator.ts";
import { errorCode } from "./clients/request-port.ts";
import {
  invalidCredentialResponse,
  misdirectedResponse,
  Replica,
  toParts,
} from "./replicas/replica.ts";
import { RequestStates } from "./clients/request-states.ts";
import { toSettings, type GatewaySettings, type ServeMcpOptions } from "./clients/serve-options.ts";
import { WatchedResources } from "./providers/watched-resources.ts";

/** Options of a connection to one client over standard input and output. */
export interface StdioOptions {
  /** Caller on whose behalf the client acts. */
  readonly caller?: Caller;
  /** Default: the standard streams of the process. */
  readonly input?: Readable;
  readonly output?: Writable;
}

/** A connection over standard input and output. */
export interface StdioConnection {
  /** Resolves when the client has disconnected, or the connection was closed. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** A registry served over MCP. */
export interface McpGateway extends GatewayFetch {
  /** Serves one client over standard input and output. Nothing else may write to the output. */
  stdio(options?: StdioOptions): StdioConnection;
  /**
   * Handles one request over Streamable HTTP of either protocol generation. The caller of this function checks who
   * the request is from: see `listenHttp`.
   */
  fetch(request: Request, from?: GatewayRequest): Promise<Response>;
  /**
   * Resolves to true if clients should be sent to this process: it is not draining, and the store of tasks responds,
   * which is checked at most once per second.
   */
  ready(): Promise<boolean>;
  /**
   * Prepares the end: `ready` resolves to false, and new sessions are refused with 503. Everything else continues, so
   * that a load balancer can notice it before `close`. Idempotent.
   */
  drain(): void;
  /**
   * Resources and prompts of providers that are not served because another provider has the same, and tools that are
   * listed without their output schema, since some clients would reject the whole list.
   */
  readonly problems: readonly ProviderProblem[];
  /**
   * Closes the gateway: new calls are rejected, those in progress are cancelled after `graceMs` (default 10,000),
   * then every connection is closed. Executor and registry stay open. Idempotent.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

const executorCheck = checks.withMethods("new ToolExecutor({ registry })", "startRun");

/**
 * Serves a registry over the Model Context Protocol in both generations (up to 2025-11-25, and 2026-07-28), over
 * stdio or HTTP: its tools, through the executor's pipeline; its artifacts as resources; and the resources, prompts
 * and completion of the providers. If a call requires a person, the client's user is asked; see `approvals`.
 *
 * @param registry The registry of the executor.
 * @throws ToolError `invalid_configuration` when an option is invalid.
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
  executorCheck.check("serveMcp: executor", executor);
  if (executor.registry !== registry) {
    throw new ToolError(
      "invalid_configuration",
      "serveMcp: the executor belongs to another registry.",
    );
  }
  return new Gateway(executor, toSettings(options));
}

/**
 * Requests by the body of the response that is being sent. An unreferenced `Request` is garbage-collected and its
 * signal no longer fires, so the end of the client would not be noticed.
 */
const requestsByBody = new WeakMap<ReadableStream, Request>();

/** Implementation of `McpGateway`, with the members that a client in the same process needs. */
export class Gateway implements McpGateway {
  readonly #served: GatewaySettings;
  readonly #providers: ProviderAggregator;
  readonly #watchedResources: WatchedResources;
  readonly #runner: CallRunner;
  readonly #handlers: RequestHandlers;
  readonly #changes = new ListChanges();
  readonly #budgets: CallerBudgets;
  readonly #sessions: LegacySessions;
  readonly #clients: StatelessClients;
  readonly #modern: McpHttpHandler;
  readonly #executor: ToolExecutor;
  readonly #tools: ClientTools;
  readonly #replica: Replica | undefined;
  readonly #router: ReplicaRouter | undefined;
  readonly #store: StoreCheck;
  #draining = false;
  readonly #connections = new Set<Pick<StdioConnection, "close">>();
  readonly #unsubscribe: (() => void)[];
  #closed: Promise<void> | undefined;

  constructor(executor: ToolExecutor, served: GatewaySettings) {
    this.#served = served;
    this.#executor = executor;
    this.#providers = new ProviderAggregator(served.providers, new ProviderCalls(executor));
    this.#watchedResources = new WatchedResources(this.#providers);
    const tools = (this.#tools = new ClientTools(executor, served));
    const states = new RequestStates(served.key);
    const { replica, key, metrics } = served;
    this.#replica = replica && new Replica(replica, key, (result) => metrics.forwarded(result));
    this.#store = new StoreCheck(() => executor.tasks.list({ sessionId: "readiness" }));
    this.#runner = new CallRunner(executor, served, tools, states, this.#replica);
    this.#handlers = new RequestHandlers(
      executor,
      tools,
      this.#runner,
      this.#providers,
      this.#watchedResources,
      states,
      served,
    );
    this.#budgets = new CallerBudgets(served.limits, served.rateLimits);
    this.#clients = new StatelessClients(this.#budgets);
    this.#sessions = new LegacySessions(
      {
        id: async (caller) =>
          (await this.#replica?.createSessionId(toCallerKey(caller))) ?? crypto.randomUUID(),
        client: (caller, id) => new GatewayClient(this.#budgets.forCaller(caller), id, caller, id),
        server: (client) => this.#createConnectedServer(client, "legacy"),
        ended: (client) => this.#onClientEnd(client),
      },
      served.limits,
      served.metrics,
    );
    this.#router = this.#replica && new ReplicaRouter(this.#replica, this.#sessions, states);
    this.#modern = createMcpHandler(
      ({ authInfo }) => this.#createServer(authInfo?.extra?.["client"] as GatewayClient, "modern"),
      // Streams are limited by caller, before the SDK limits their total.
      { legacy: "reject", onerror: this.#report, maxSubscriptions: Number.MAX_SAFE_INTEGER },
    );
    const { notify } = this.#modern;
    this.#changes.listen({
      onListChanged: (kind) => notify[`${kind}Changed`](),
      onResourceUpdated: (uri) => notify.resourceUpdated(uri),
    });
    this.#unsubscribe = [
      executor.registry.onChange(() => this.#changes.listChanged("tools")),
      ...served.providers.map((provider) =>
        provider.onChange((change) => {
          if (change.type === "resource") this.#changes.resourceUpdated(change.uri);
          else this.#changes.listChanged(change.type);
        }),
      ),
    ];
  }

  get problems(): readonly ProviderProblem[] {
    return [...this.#providers.problems, ...findUnlistableOutputs(this.#executor.registry)];
  }

  get replica(): Replica | undefined {
    return this.#replica;
  }

  async ready(): Promise<boolean> {
    if (this.#draining || this.#closed !== undefined) return false;
    return this.#store.isAvailable();
  }

  drain(): void {
    this.#draining = true;
    this.#sessions.drain();
  }

  stdio({ caller, input, output }: StdioOptions = {}): StdioConnection {
    this.#assertOpen();
    const id = crypto.randomUUID();
    const client = new GatewayClient(this.#budgets.ofConnection(caller), id, caller, id);
    const subscriptions = new ChangeSubscriptions(this.#watchedResources, client);
    const transport = new WatchedTransport(
      input ?? process.stdin,
      output ?? process.stdout,
      (message) => subscriptions.onMessage(message),
    );
    const handle = serveStdio(({ era }) => this.#createConnectedServer(client, era), {
      transport,
      onerror: this.#report,
      maxSubscriptions: this.#served.limits.streams,
    });
    const connection = { closed: transport.closed, close: () => handle.close() };
    this.#connections.add(connection);
    void transport.closed.then(() => {
      subscriptions.close();
      this.#onClientEnd(client);
      this.#connections.delete(connection);
    });
    return connection;
  }

  /** Creates a client for connections of the host. */
  client(caller: Caller | undefined, sessionId: string): GatewayClient {
    const budget = this.#budgets.ofConnection(caller);
    return new GatewayClient(budget, sessionId, caller, sessionId);
  }

  /** Serves a client over a connection of the host, in the older protocol. */
  async connect(transport: Transport, client: GatewayClient): Promise<void> {
    this.#assertOpen();
    // Each connection has its own subscriptions and ends separately.
    const connected = client.withOwnSubscriptions();
    const server = this.#createConnectedServer(connected, "legacy");
    this.#connections.add(server);
    server.onEnd(() => {
      this.#connections.delete(server);
      this.#watchedResources.removeClient(connected);
    });
    await server.connect(transport);
  }

  /** Removes a client that will not connect again. */
  forget(client: GatewayClient): void {
    this.#onClientEnd(client);
  }

  /** Starts a run for one call of a client, in which the call can be admitted before it is made. */
  startRun({ caller, runOptions: behalf }: GatewayClient): ToolRun {
    return this.#executor.startRun({ toolset: this.#tools.forCaller(caller), ...behalf });
  }

  async fetch(request: Request, from: GatewayRequest = {}): Promise<Response> {
    const response = await this.#handle(request, from);
    if (response.body !== null) requestsByBody.set(response.body, request);
    return response;
  }

  async #handle(request: Request, from: GatewayRequest): Promise<Response> {
    const { caller, maxBodyBytes, forwarded } = from;
    if (this.#closed !== undefined) {
      if (forwarded !== undefined) return misdirectedResponse();
      return toErrorResponse(503, "The gateway is shutting down");
    }
    let text: string | undefined;
    let body: unknown;
    if (request.method === "POST") {
      const read = await readRequestBody(request, maxBodyBytes);
      if (read.tooLarge) return toErrorResponse(413, "The request is too large");
      ({ text } = read);
    }
    if (forwarded?.matches(toParts(request, text)) === false) return invalidCredentialResponse();
    if (text !== undefined) {
      try {
        body = parseMessages(text);
      } catch {
        return toErrorResponse(400, "Parse error: Invalid JSON", {}, errorCode.parse);
      }
    }
    const routed = { request, body: text, caller, isForwarded: forwarded !== undefined };
    if (await isLegacyRequest(request, body)) {
      return (
        (await this.#router?.forwardSession(routed)) ?? this.#sessions.fetch(request, body, caller)
      );
    }
    const client = this.#clients.forCaller(caller);
    const answered = await this.#router?.forwardToHolder(client, body, routed);
    if (answered !== undefined) return answered;
    const authInfo = { token: "", clientId: "", scopes: [], extra: { client } };
    const forward = (): Promise<Response> =>
      this.#modern.fetch(request, {
        authInfo,
        ...(body === undefined ? {} : { parsedBody: body }),
      });
    const listenRequest = readListenRequest(body);
    if (listenRequest === undefined) return forward();
    const end = await new ChangeSubscriptions(this.#watchedResources, client).begin(
      request,
      listenRequest,
    );
    if (end === undefined) {
      const message = `This caller has reached its limit of open streams: close one of them first. ${describeLimit("streams")}`;
      return toErrorResponse(429, message, { "retry-after": "5" });
    }
    let response: Response | undefined;
    try {
      response = await forward();
    } finally {
      // The request was rejected: there is no stream that will end.
      if (response === undefined || !isEventStream(response)) end();
    }
    if (!isEventStream(response)) return response;
    return markIdleStream(withStreamEnd(response, request.signal, end));
  }

  close({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    return (this.#closed ??= this.#close(graceMs));
  }

  async #close(graceMs: number): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#changes.close();
    await this.#runner.close(graceMs);
    await Promise.allSettled([
      this.#modern.close(),
      this.#sessions.close(),
      ...Array.from(this.#connections, (connection) => connection.close()),
    ]);
  }

  /** Creates the server of a lasting connection, whose client is notified of changes. */
  #createConnectedServer(client: GatewayClient, era: "legacy" | "modern"): GatewayServer {
    const server = this.#createServer(client, era);
    server.subscribeToChanges(this.#changes, client);
    return server;
  }

  #createServer(client: GatewayClient, era: "legacy" | "modern"): GatewayServer {
    const { info, instructions } = this.#served;
    const handlers = this.#handlers;
    return new GatewayServer({
      info,
      instructions,
      era,
      capabilities: handlers.capabilities(era),
      handlers: measuredHandlers(
        handlers.forClient(client, era),
        this.#served.metrics,
        this.#tools,
        client,
      ),
      findSchema: (name) => handlers.findSchema(client, name),
    });
  }

  /** Handles the end of a client's connection or session. */
  #onClientEnd(client: GatewayClient): void {
    this.#watchedResources.removeClient(client);
    void this.#runner.tasks.onClientEnd(client);
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) {
      throw new ToolError("invalid_configuration", "The gateway was closed.");
    }
  }

  readonly #report = (error: Error): void => this.#served.onError?.(error);
}
