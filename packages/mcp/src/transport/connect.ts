import { Client } from "@modelcontextprotocol/client";
import { ToolError, type JsonObject } from "@toolweave/core";
import type { McpHttpServer, McpServer, McpStdioServer } from "../options/mcp-options.ts";
import { useHostClient } from "./host-client.ts";
import { type Channel, maxTimerMs } from "./messages/channel.ts";
import type { ConnectOptions, McpConnection } from "./messages/mcp-connection.ts";
import { HttpChannel } from "./http/http-channel.ts";
import {
  ConnectionClosedError,
  LateVersionResponseError,
  NoProtocolError,
  SseFallbackError,
} from "./messages/transport-errors.ts";
import { SseChannel } from "./http/sse-channel.ts";
import { StdioChannel } from "./stdio/stdio-channel.ts";
import { Subscription } from "./rpc/subscription.ts";
import { RpcConnection, type RpcListener } from "./rpc/rpc-connection.ts";
import { NegotiatedConnection } from "./rpc/negotiated-connection.ts";

type Capabilities = NonNullable<ConstructorParameters<typeof Client>[1]>["capabilities"] & {};

/**
 * Milliseconds after which a process that has not responded to `server/discover` is treated as one of an older
 * protocol.
 */
const processProbeMs = 5_000;

/** Milliseconds for the same over HTTP. */
const httpProbeMs = 20_000;

const clientInfo = { name: "toolweave", version: "0" };

/** Properties of a server, found out when it was first connected to. */
interface ServerTraits {
  /** The server does not know `server/discover`: it is not sent again. */
  readonly isLegacy?: boolean;
  /** The server has the transport of 2024-11-05. */
  readonly isSse?: boolean;
  /** The server speaks the newer protocol and starts slowly. */
  readonly isSlow?: boolean;
}

// Stored as long as the host holds the server's options: a reconnect does not probe again.
const knownTraits = new WeakMap<McpServer, ServerTraits>();

/**
 * Connects to a server with the newest protocol version that both support. The negotiated properties are stored with
 * the options object until a connection attempt fails.
 */
export async function connect(server: McpServer, options: ConnectOptions): Promise<McpConnection> {
  if ("client" in server) return useHostClient(server.client, options);
  const known = options.negotiateAnew === true ? undefined : knownTraits.get(server);
  try {
    return await attempt(server, options, known ?? {});
  } catch (error) {
    // The server may have been replaced.
    knownTraits.delete(server);
    if (known === undefined || options.signal.aborted || !isRefusedHandshake(error)) throw error;
    return attempt(server, options, {});
  }
}

function attempt(
  server: McpHttpServer | McpStdioServer,
  options: ConnectOptions,
  verdict: ServerTraits,
): Promise<McpConnection> {
  return "url" in server
    ? connectOverHttp(server, options, verdict)
    : connectOverStdio(server, options, verdict);
}

async function connectOverStdio(
  server: McpStdioServer,
  options: ConnectOptions,
  verdict: ServerTraits,
): Promise<McpConnection> {
  try {
    return await open(server, new StdioChannel(server), options, verdict);
  } catch (error) {
    if (options.signal.aborted) throw error;
    if (error instanceof LateVersionResponseError && verdict.isSlow !== true) {
      return open(server, new StdioChannel(server), options, { isSlow: true });
    }
    // Some servers exit on any request before `initialize`: they are started again.
    if (!isFailedProbe(error)) throw error;
    return open(server, new StdioChannel(server), options, { isLegacy: true });
  }
}

async function connectOverHttp(
  server: McpHttpServer,
  options: ConnectOptions,
  verdict: ServerTraits,
): Promise<McpConnection> {
  const { authorization } = options;
  const older = { isLegacy: true, isSse: true };
  if (verdict.isSse === true) {
    return open(server, new SseChannel(server, authorization), options, older);
  }
  const connectWith = (traits: ServerTraits): Promise<McpConnection> =>
    open(server, new HttpChannel(server, authorization), options, traits);
  try {
    return await connectWith(verdict).catch((error: unknown) => {
      // Some servers do not answer a request before `initialize`.
      if (options.signal.aborted || verdict.isLegacy === true || !isTimeout(error)) throw error;
      return connectWith({ ...verdict, isLegacy: true });
    });
  } catch (error) {
    if (options.signal.aborted || !mayBeSse(error)) throw error;
    // 2025-11-25, Transports, Backwards Compatibility.
    return open(server, new SseChannel(server, authorization), options, older).catch((second) => {
      throw new SseFallbackError(error as Error, second);
    });
  }
}

async function open(
  server: McpServer,
  channel: Channel,
  options: ConnectOptions,
  verdict: ServerTraits,
): Promise<McpConnection> {
  const client = new Client(clientInfo, {
    capabilities: options.capabilities as Capabilities,
    versionNegotiation: {
      mode: verdict.isLegacy === true ? "legacy" : "auto",
      probe: { timeoutMs: probeMs(channel, verdict, options) },
    },
  });
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    const { id, signal } = mcpReq;
    // The server has cancelled it.
    signal.throwIfAborted();
    const streamOwner = wire.getStreamOwner(id);
    const request = { method, params: (params ?? {}) as JsonObject, signal, streamOwner };
    return (await options.onRequest(request)) as Record<string, unknown>;
  };
  const listener: RpcListener = {
    onNotification(method, params, streamOwner) {
      subscription.onNotification(method);
      const owners = streamOwner === undefined ? [] : [streamOwner];
      options.onNotification(method, params, ...owners);
    },
    onInvalidText: (excerpt: string) => options.onInvalidText?.(excerpt),
  };
  const wire = new RpcConnection(channel, listener, verdict.isSlow);
  const subscription = new Subscription(
    (params, signal) => wire.request("subscriptions/listen", params, { signal }),
    () => wire.onMissedNotifications(),
  );
  const stop = (): void => void wire.close().catch(() => {});
  options.signal.addEventListener("abort", stop, { once: true });
  try {
    options.signal.throwIfAborted();
    await client.connect(wire, {
      timeout: Math.min(options.timeoutMs, maxTimerMs),
      signal: options.signal,
    });
    options.signal.throwIfAborted();
    const version = client.getNegotiatedProtocolVersion() ?? "";
    if (client.getProtocolEra() === "modern") {
      wire.useStatelessProtocol(version, clientInfo, options.capabilities);
      await subscription.open((client.getServerCapabilities() ?? {}) as JsonObject);
    }
  } catch (error) {
    subscription.close();
    await wire.close().catch(() => {});
    const { cause } = error as { readonly cause?: unknown };
    if (ToolError.is(cause)) throw cause;
    if (!channel.isProcess) throw error;
    const { endReason: why } = wire;
    if (why instanceof LateVersionResponseError || why instanceof NoProtocolError) throw why;
    // The process could not be started.
    if (error instanceof ConnectionClosedError) throw error;
    const reason =
      channel.exitReason ?? (why instanceof ConnectionClosedError ? why : (error as Error)).message;
    const { sample } = wire.faults;
    const line =
      sample === undefined ? "" : `; its first line that is no JSON-RPC message: "${sample}"`;
    throw new ConnectionClosedError(
      reason.replace(/\.$/, "") + line,
      channel.output,
      error,
      sample,
    );
  } finally {
    options.signal.removeEventListener("abort", stop);
  }
  knownTraits.set(server, { ...verdict, isLegacy: wire.era === "legacy" });
  return new NegotiatedConnection(client, wire, subscription);
}

/** Returns the milliseconds in which a server must respond to the version probe. */
function probeMs(
  { isProcess }: Channel,
  { isSlow }: ServerTraits,
  { timeoutMs }: ConnectOptions,
): number {
  // The protocol is known: there is no fallback.
  if (isSlow === true) return Math.min(timeoutMs, maxTimerMs);
  return Math.min(isProcess ? processProbeMs : httpProbeMs, timeoutMs / 2);
}

function isFailedProbe(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return cause?.code === "ERA_NEGOTIATION_FAILED";
}

function isTimeout(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === "REQUEST_TIMEOUT";
}

/** The server responds, but no longer speaks the protocol of the last connection. */
function isRefusedHandshake(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  return [error, cause].some((one) => {
    const { code, data } = (one ?? {}) as { readonly code?: unknown; readonly data?: unknown };
    const { status } = (data ?? {}) as { readonly status?: unknown };
    return typeof code === "number" || status === 400 || status === 404 || status === 405;
  });
}

/** The server accepts no POST at this URL: it may have the older transport. */
function mayBeSse(error: unknown): boolean {
  const { data } = error as { readonly data?: { readonly status?: unknown } };
  return data?.status === 400 || data?.status === 404 || data?.status === 405;
}
