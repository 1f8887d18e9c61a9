import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { inOrder } from "./in-order.ts";
import type { McpServer } from "./mcp-options.ts";
import { ServerEnded } from "./server-ended.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** A client of the SDK, from version 2. */
export type McpClient = Client;

/** How far the server is with a call, in its own words. */
interface McpProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** How a call is made. */
export interface McpCall {
  /** The tool as the server listed it. */
  readonly definition: McpDefinition;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: McpProgress) => void;
}

/** A tool as a server lists it: nothing of it is checked yet but that it has a name. */
export interface McpDefinition {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** One page of a server's list. */
interface McpPage {
  readonly tools: readonly unknown[];
  readonly nextCursor?: string;
}

/** A connection to a server: all that is asked of the SDK. */
export interface McpConnection {
  /** One page of the tools; without a cursor the first. */
  listPage(cursor: string | undefined, signal: AbortSignal): Promise<McpPage>;
  /** What the server answered, unchecked. */
  call(call: McpCall): Promise<unknown>;
  close(): Promise<void>;
}

/** What a connection is made with. */
export interface ConnectOptions {
  /** Milliseconds for connecting. */
  readonly timeoutMs: number;
  /** Called whenever the server says that its tools have changed. */
  readonly onToolsChanged: () => void;
  /** Ends a connection that is still being made. */
  readonly signal: AbortSignal;
}

/** Node's longest timer. How long a call takes is for the executor to say. */
const longest = 2 ** 31 - 1;

/** A server that never answers what it does not know speaks an older protocol. */
const probeTimeoutMs = 20_000;

/** Milliseconds that a server gets to end a session. */
const farewellMs = 1_000;

/** A server's answer, not checked and not copied: whatever it holds is looked at where it is used. */
const asItIs = {
  "~standard": {
    version: 1 as const,
    vendor: "toolweave",
    validate: (value: unknown): { readonly value: unknown } => ({ value }),
  },
};

/** Connects to a server, and speaks the newest protocol that both know. */
export function connect(server: McpServer, options: ConnectOptions): Promise<McpConnection> {
  if ("client" in server) return adopt(server.client, options);
  if ("url" in server) {
    const { url, headers = {} } = server;
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
    });
    return open(transport, options, "auto");
  }
  return open(new StdioTransport(server), options, "auto").catch((error: unknown) => {
    // Some servers end when they are asked something before `initialize`: they are started again.
    if (options.signal.aborted || !endedDuringProbe(error)) throw error;
    return open(new StdioTransport(server), options, "legacy");
  });
}

async function open(
  transport: Transport,
  options: ConnectOptions,
  mode: "auto" | "legacy",
): Promise<McpConnection> {
  const client = new Client(
    { name: "toolweave", version: "0" },
    {
      versionNegotiation: {
        mode,
        probe: { timeoutMs: Math.min(probeTimeoutMs, options.timeoutMs) },
      },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 0, onChanged: () => options.onToolsChanged() },
      },
    },
  );
  const stop = (): void => void transport.close().catch(() => {});
  options.signal.addEventListener("abort", stop, { once: true });
  try {
    options.signal.throwIfAborted();
    await client.connect(transport, { timeout: options.timeoutMs, signal: options.signal });
    options.signal.throwIfAborted();
    const { onmessage = () => {} } = transport;
    Object.assign(transport, { onmessage: inOrder(onmessage) });
  } catch (error) {
    await transport.close().catch(() => {});
    if (!(transport instanceof StdioTransport)) throw error;
    throw new ServerEnded("the server could not be connected to", transport.said, error);
  } finally {
    options.signal.removeEventListener("abort", stop);
  }
  return new ClientConnection(client, async () => {
    if (transport instanceof StreamableHTTPClientTransport) await endSession(transport);
    await client.close();
  });
}

/** As a courtesy: a server that does not answer keeps nobody waiting. */
async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  if (transport.sessionId === undefined) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, farewellMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    transport.terminateSession().then(done, done);
  });
}

/** A client of the host's own: what it is told of changes goes through it. */
async function adopt(client: McpClient, options: ConnectOptions): Promise<McpConnection> {
  client.setNotificationHandler("notifications/tools/list_changed", () => options.onToolsChanged());
  const listens = client.getServerCapabilities()?.tools?.listChanged === true;
  const heard =
    listens && client.getProtocolEra() === "modern" && client.autoOpenedSubscription === undefined
      ? await client.listen({ toolsListChanged: true })
      : undefined;
  return new ClientConnection(client, async () => {
    client.removeNotificationHandler("notifications/tools/list_changed");
    await heard?.close();
  });
}

class ClientConnection implements McpConnection {
  readonly close: () => Promise<void>;
  readonly #client: McpClient;

  constructor(client: McpClient, close: () => Promise<void>) {
    this.#client = client;
    this.close = close;
  }

  async listPage(cursor: string | undefined, signal: AbortSignal): Promise<McpPage> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return { tools: [] };
    const params = cursor === undefined ? {} : { cursor };
    const page = (await this.#client.request({ method: "tools/list", params }, asItIs, {
      signal,
    })) as Partial<McpPage> | null;
    const { tools, nextCursor } = page ?? {};
    return {
      tools: Array.isArray(tools) ? tools : [],
      ...(typeof nextCursor === "string" ? { nextCursor } : {}),
    };
  }

  call({ definition, args, signal, onProgress }: McpCall): Promise<unknown> {
    const params = { name: definition.name, arguments: args };
    const options = { signal, onprogress: onProgress, timeout: longest };
    if (this.#client.getProtocolEra() !== "modern") {
      return this.#client.request({ method: "tools/call", params }, asItIs, options);
    }
    // Over HTTP the newer protocol has arguments in headers, which the SDK reads from the schema. It
    // would compile the output schema, too, without the bounds that the executor has.
    const { outputSchema: _, ...rest } = definition;
    const toolDefinition = rest as NonNullable<
      NonNullable<Parameters<McpClient["callTool"]>[1]>["toolDefinition"]
    >;
    return this.#client.callTool(params, { ...options, toolDefinition });
  }
}

function endedDuringProbe(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  return cause?.code === "ERA_NEGOTIATION_FAILED";
}
