import { isJSONRPCNotification, type Transport } from "@modelcontextprotocol/client";
import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import type {
  ConnectOptions,
  McpConnection,
  ProtocolEra,
  RequestOptions,
  ServerIdentity,
  ConnectionFaults,
} from "./messages/mcp-connection.ts";
import { ConnectionClosedError } from "./messages/transport-errors.ts";
import { Subscription } from "./rpc/subscription.ts";
import { getServerIdentity } from "./rpc/negotiated-connection.ts";
import { maxTimerMs } from "./messages/channel.ts";
import type { McpClient, HostTransport } from "../options/mcp-options.ts";

/** Methods that the clients of both SDK generations have. */
interface RequestSender {
  request(request: object, schema: object, options: object): Promise<unknown>;
  notification(notification: object): Promise<void>;
}

/** Schema that accepts any result: 2.x expects a Standard Schema, 1.x one of Zod. */
const anyResultSchema = {
  "~standard": {
    version: 1 as const,
    vendor: "toolweave",
    validate: (value: unknown): { readonly value: unknown } => ({ value }),
  },
  parse: (value: unknown): unknown => value,
  safeParse: (data: unknown): { readonly success: true; readonly data: unknown } => ({
    success: true,
    data,
  }),
};

/**
 * Returns a connection over a client that the host has connected itself. The host's own handlers stay in place and
 * are still called; the listeners added here are removed when the connection is closed. The client stays open.
 */
export async function useHostClient(
  client: McpClient,
  options: ConnectOptions,
): Promise<McpConnection> {
  const { transport } = client;
  if (transport === undefined) throw new ConnectionClosedError("the client is not connected", "");
  const connection = new HostClientConnection(client, transport, options);
  await connection.listen();
  return connection;
}

class HostClientConnection implements McpConnection {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  readonly server: ServerIdentity;
  readonly closed: Promise<unknown>;
  /** The client checks messages itself. */
  readonly faults: ConnectionFaults = { skipped: 0, unmatched: 0 };
  readonly #client: McpClient;
  readonly #sender: RequestSender;
  readonly #subscription: Subscription;
  readonly #restore: () => void;
  readonly #ending = new AbortController();

  constructor(client: McpClient, transport: HostTransport, options: ConnectOptions) {
    this.#client = client;
    this.#sender = client as unknown as RequestSender;
    this.era = client.getProtocolEra?.() === "modern" ? "modern" : "legacy";
    this.protocolVersion = client.getNegotiatedProtocolVersion?.() ?? "";
    this.server = getServerIdentity(client);
    this.#subscription = new Subscription(
      (params, signal) => this.request("subscriptions/listen", params, { signal }),
      () => options.onNotification("notifications/tools/list_changed", {}),
    );
    let resolveClosed: (why: unknown) => void = () => {};
    this.closed = new Promise((resolve) => (resolveClosed = resolve));
    this.#restore = listenTo(transport, {
      onMessage: (message) => this.#onMessage(message, options),
      onClose: () => {
        this.#subscription.close();
        resolveClosed(new ConnectionClosedError("the client was closed", ""));
      },
    });
    this.#handleRequestsWith(options);
  }

  async listen(): Promise<void> {
    if (this.era === "modern") await this.#subscription.open(this.server.capabilities);
  }

  async request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown> {
    const { signal, onProgress, headers } = options;
    const stop = new AbortController();
    const listener = { handleEvent: () => stop.abort(signal.reason) };
    if (signal.aborted) listener.handleEvent();
    signal.addEventListener("abort", listener);
    try {
      return await this.#sender.request({ method, params }, anyResultSchema, {
        signal: stop.signal,
        timeout: maxTimerMs,
        allowInputRequired: true,
        ...(onProgress === undefined ? {} : { onprogress: onProgress }),
        ...(headers === undefined ? {} : { headers }),
      });
    } catch (error) {
      throw isRejectedResult(error) ? rejectedResultError(error) : error;
    } finally {
      signal.removeEventListener("abort", listener);
    }
  }

  notify(method: string, params: JsonObject): Promise<void> {
    return this.#sender.notification({ method, params });
  }

  async close(): Promise<void> {
    this.#subscription.close();
    this.#ending.abort();
    this.#restore();
  }

  #onMessage(message: unknown, options: ConnectOptions): void {
    if (!isJSONRPCNotification(message)) return;
    const { method, params } = message;
    this.#subscription.onNotification(method);
    if (method !== "notifications/progress" && method !== "notifications/cancelled") {
      options.onNotification(method, (params ?? {}) as JsonObject);
    }
  }

  /** Handles requests of the server for which the host has no handler. */
  #handleRequestsWith({ onRequest }: ConnectOptions): void {
    const client = this.#client;
    if (client.fallbackRequestHandler !== undefined) return;
    const handler = async (
      { method, params = {} }: { readonly method: string; readonly params?: JsonObject },
      extra: { readonly signal?: AbortSignal; readonly mcpReq?: { readonly signal: AbortSignal } },
    ): Promise<Record<string, unknown>> => {
      const signal = extra.mcpReq?.signal ?? extra.signal ?? this.#ending.signal;
      const answer: JsonValue = await onRequest({ method, params, signal });
      return answer as Record<string, unknown>;
    };
    client.fallbackRequestHandler = handler;
    this.#ending.signal.addEventListener("abort", () => {
      if (client.fallbackRequestHandler === handler) client.fallbackRequestHandler = undefined;
    });
  }
}

/** The 2.x client rejects results of 2026-07-28 whose type it does not know, and reports only the type. */
function isRejectedResult(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return code === "UNSUPPORTED_RESULT_TYPE";
}

function rejectedResultError(cause: unknown): ToolError {
  const { data } = cause as { readonly data?: { readonly resultType?: unknown } };
  const type = JSON.stringify(data?.resultType) ?? "unknown";
  return new ToolError(
    "execution_failed",
    `The server answered with a result of the type ${type.slice(0, 100)}, which the connected client does not support. The call may have run, and may continue. Give mcpSource the server's command or url instead of the client.`,
    { cause },
  );
}

interface TransportListener {
  onMessage(message: unknown): void;
  onClose(): void;
}

/**
 * Adds listeners beside those of the host and returns a function that removes them. If other listeners were added
 * since, they are only silenced.
 */
function listenTo(transport: HostTransport, listener: TransportListener): () => void {
  const { onmessage, onclose } = transport;
  let isOver = false;
  const pass = orderedMessages((message, extra) => onmessage?.(message as never, extra as never));
  const receive = (message: never, extra?: never): void => {
    if (!isOver) listener.onMessage(message);
    pass(message, extra);
  };
  const end = (): void => {
    if (!isOver) listener.onClose();
    onclose?.();
  };
  Object.assign(transport, { onmessage: receive, onclose: end });
  return () => {
    isOver = true;
    if (transport.onmessage === receive) Object.assign(transport, { onmessage });
    if (transport.onclose === end) Object.assign(transport, { onclose });
  };
}

type Receive = NonNullable<Transport["onmessage"]>;

/**
 * Delivers messages one at a time. The SDK handles a response at once and a notification a moment later: without
 * this, progress in the same chunk as the response would arrive after the call has ended, and be lost.
 */
export function orderedMessages(receive: Receive): Receive {
  const waiting: Parameters<Receive>[] = [];
  let holding = false;
  const take = (...received: Parameters<Receive>): void => {
    const [message] = received;
    if (!("id" in message)) {
      holding = true;
      // After everything that the notification has started, and before the next message is delivered.
      queueMicrotask(() => process.nextTick(resume));
    }
    receive(...received);
  };
  const resume = (): void => {
    holding = false;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      take(...next);
      if (holding) return;
    }
  };
  return (...received: Parameters<Receive>) => {
    if (holding) waiting.push(received);
    else take(...received);
  };
}
