import { isJSONRPCNotification } from "@modelcontextprotocol/client";
import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import type {
  ConnectOptions,
  McpConnection,
  ProtocolEra,
  RequestOptions,
  ServerIdentity,
  ConnectionFaults,
} from "./messages/mcp-connection.ts";
import { orderedMessages } from "./rpc/ordered-messages.ts";
import { ServerEnded } from "./messages/transport-errors.ts";
import { Subscription } from "./rpc/subscription.ts";
import { getServerIdentity } from "./rpc/negotiated-connection.ts";
import { maxTimerMs } from "./messages/channel.ts";
import type { McpClient, HostTransport } from "../options/mcp-options.ts";

/** What both lines take. */
interface Sending {
  request(request: object, schema: object, options: object): Promise<unknown>;
  notification(notification: object): Promise<void>;
}

/** A result as it is: 2.x asks a Standard Schema, 1.x one of Zod. */
const asItIs = {
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
 * A connection over a client that the host has connected to by itself. The host's own handlers stay, and go on hearing
 * what they heard: what is ours is listened to beside them, and gone when the connection is closed. The client stays
 * open.
 */
export async function useHostClient(
  client: McpClient,
  options: ConnectOptions,
): Promise<McpConnection> {
  const { transport } = client;
  if (transport === undefined) throw new ServerEnded("the client is not connected", "");
  const connection = new AdoptedConnection(client, transport, options);
  await connection.listen();
  return connection;
}

class AdoptedConnection implements McpConnection {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  readonly server: ServerIdentity;
  readonly closed: Promise<unknown>;
  /** The client sees to that. */
  readonly faults: ConnectionFaults = { skipped: 0, unmatched: 0 };
  readonly #client: McpClient;
  readonly #sending: Sending;
  readonly #subscription: Subscription;
  readonly #restore: () => void;
  readonly #ending = new AbortController();

  constructor(client: McpClient, transport: HostTransport, options: ConnectOptions) {
    this.#client = client;
    this.#sending = client as unknown as Sending;
    this.era = client.getProtocolEra?.() === "modern" ? "modern" : "legacy";
    this.protocolVersion = client.getNegotiatedProtocolVersion?.() ?? "";
    this.server = getServerIdentity(client);
    this.#subscription = new Subscription(
      (params, signal) => this.request("subscriptions/listen", params, { signal }),
      () => options.onNotification("notifications/tools/list_changed", {}),
    );
    let tellClosed: (why: unknown) => void = () => {};
    this.closed = new Promise((resolve) => (tellClosed = resolve));
    this.#restore = listenTo(transport, {
      onMessage: (message) => this.#hear(message, options),
      onClose: () => {
        this.#subscription.close();
        tellClosed(new ServerEnded("the client was closed", ""));
      },
    });
    this.#answerWith(options);
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
      return await this.#sending.request({ method, params }, asItIs, {
        signal: stop.signal,
        timeout: maxTimerMs,
        allowInputRequired: true,
        ...(onProgress === undefined ? {} : { onprogress: onProgress }),
        ...(headers === undefined ? {} : { headers }),
      });
    } catch (error) {
      throw isRefusedResult(error) ? refusedResult(error) : error;
    } finally {
      signal.removeEventListener("abort", listener);
    }
  }

  notify(method: string, params: JsonObject): Promise<void> {
    return this.#sending.notification({ method, params });
  }

  async close(): Promise<void> {
    this.#subscription.close();
    this.#ending.abort();
    this.#restore();
  }

  #hear(message: unknown, options: ConnectOptions): void {
    if (!isJSONRPCNotification(message)) return;
    const { method, params } = message;
    this.#subscription.onNotification(method);
    if (method !== "notifications/progress" && method !== "notifications/cancelled") {
      options.onNotification(method, (params ?? {}) as JsonObject);
    }
  }

  /** Requests of the server's that the host has no handler for. */
  #answerWith({ onRequest }: ConnectOptions): void {
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

/** 2.x gives no results of 2026-07-28 but those that it knows, and of those that it does not says only that much. */
function isRefusedResult(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return code === "UNSUPPORTED_RESULT_TYPE";
}

function refusedResult(cause: unknown): ToolError {
  const { data } = cause as { readonly data?: { readonly resultType?: unknown } };
  const type = JSON.stringify(data?.resultType) ?? "another one";
  return new ToolError(
    "execution_failed",
    `The server answered with a result of the type ${type.slice(0, 100)}, which the client that the host has connected does not pass on. It may have run, and may go on. Give mcpSource the server's command or url in place of the client.`,
    { cause },
  );
}

interface Ears {
  onMessage(message: unknown): void;
  onClose(): void;
}

/** Listens beside whoever listens; gives how to stop. Others may have done the same in between: then it only falls silent. */
function listenTo(transport: HostTransport, ears: Ears): () => void {
  const { onmessage, onclose } = transport;
  let isOver = false;
  const pass = orderedMessages((message, extra) => onmessage?.(message as never, extra as never));
  const hear = (message: never, extra?: never): void => {
    if (!isOver) ears.onMessage(message);
    pass(message, extra);
  };
  const end = (): void => {
    if (!isOver) ears.onClose();
    onclose?.();
  };
  Object.assign(transport, { onmessage: hear, onclose: end });
  return () => {
    isOver = true;
    if (transport.onmessage === hear) Object.assign(transport, { onmessage });
    if (transport.onclose === end) Object.assign(transport, { onclose });
  };
}
