import { Client } from "@modelcontextprotocol/client";
import { ToolError, type JsonObject } from "@toolweave/core";
import type { McpHttpServer, McpServer, McpStdioServer } from "../options/mcp-options.ts";
import { useHostClient } from "./host-client.ts";
import { type Channel, maxTimerMs } from "./messages/channel.ts";
import type { ConnectOptions, McpConnection } from "./messages/mcp-connection.ts";
import { HttpChannel } from "./http/http-channel.ts";
import { ServerEnded, LateVersionAnswer } from "./messages/transport-errors.ts";
import { SseChannel } from "./http/sse-channel.ts";
import { StdioChannel } from "./stdio/stdio-channel.ts";
import { Subscription } from "./rpc/subscription.ts";
import { RpcConnection, type RpcListener } from "./rpc/rpc-connection.ts";
import { NegotiatedConnection } from "./rpc/negotiated-connection.ts";

type Capabilities = NonNullable<ConstructorParameters<typeof Client>[1]>["capabilities"] & {};

/** A process that never answers what it does not know speaks an older protocol. */
const processProbeMs = 5_000;

/** Over HTTP. */
const httpProbeMs = 20_000;

const ourselves = { name: "toolweave", version: "0" };

/** How a server is spoken to, once that is known. */
interface Verdict {
  /** It does not know `server/discover`: nobody asks again. */
  readonly isLegacy?: boolean;
  /** It has the transport of 2024-11-05. */
  readonly isSse?: boolean;
  /** It speaks the newer protocol, and takes a while to start. */
  readonly isSlow?: boolean;
}

// As long as the host has the server's options: a connection that is made again does not find out again.
const verdicts = new WeakMap<McpServer, Verdict>();

/**
 * Connects to a server, and speaks the newest protocol that both know. What was found out of a server is kept with its
 * options object, until a connection fails.
 */
export async function connect(server: McpServer, options: ConnectOptions): Promise<McpConnection> {
  if ("client" in server) return useHostClient(server.client, options);
  const known = options.negotiateAnew === true ? undefined : verdicts.get(server);
  try {
    return await attempt(server, options, known ?? {});
  } catch (error) {
    // It may be another server by now.
    verdicts.delete(server);
    if (known === undefined || options.signal.aborted || !isRefusedHandshake(error)) throw error;
    return attempt(server, options, {});
  }
}

function attempt(
  server: McpHttpServer | McpStdioServer,
  options: ConnectOptions,
  verdict: Verdict,
): Promise<McpConnection> {
  return "url" in server ? overHttp(server, options, verdict) : overStdio(server, options, verdict);
}

async function overStdio(
  server: McpStdioServer,
  options: ConnectOptions,
  verdict: Verdict,
): Promise<McpConnection> {
  try {
    return await open(server, new StdioChannel(server), options, verdict);
  } catch (error) {
    if (options.signal.aborted) throw error;
    if (error instanceof LateVersionAnswer && verdict.isSlow !== true) {
      return open(server, new StdioChannel(server), options, { isSlow: true });
    }
    // Some servers end when they are asked something before `initialize`: they are started again.
    if (!failedProbe(error)) throw error;
    return open(server, new StdioChannel(server), options, { isLegacy: true });
  }
}

async function overHttp(
  server: McpHttpServer,
  options: ConnectOptions,
  verdict: Verdict,
): Promise<McpConnection> {
  const { authorization } = options;
  const older = { isLegacy: true, isSse: true };
  if (verdict.isSse === true) {
    return open(server, new SseChannel(server, authorization), options, older);
  }
  try {
    return await open(server, new HttpChannel(server, authorization), options, verdict);
  } catch (error) {
    if (options.signal.aborted || !mayBeSse(error)) throw error;
    // 2025-11-25, Transports, Backwards Compatibility. When that is not it either, the first answer says more.
    return open(server, new SseChannel(server, authorization), options, older).catch(() => {
      throw error;
    });
  }
}

async function open(
  server: McpServer,
  channel: Channel,
  options: ConnectOptions,
  verdict: Verdict,
): Promise<McpConnection> {
  const client = new Client(ourselves, {
    capabilities: options.capabilities as Capabilities,
    versionNegotiation: {
      mode: verdict.isLegacy === true ? "legacy" : "auto",
      probe: { timeoutMs: probeMs(channel, verdict, options) },
    },
  });
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    const request = { method, params: (params ?? {}) as JsonObject, signal: mcpReq.signal };
    return (await options.onRequest(request)) as Record<string, unknown>;
  };
  const listener: RpcListener = {
    onNotification(method, params) {
      subscription.onNotification(method);
      options.onNotification(method, params);
    },
    onInvalidText: (excerpt: string) => options.onInvalidText?.(excerpt),
  };
  const wire = new RpcConnection(channel, listener, verdict.isSlow);
  const subscription = new Subscription(
    (params, signal) => wire.request("subscriptions/listen", params, { signal }),
    () => wire.missed(),
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
      wire.useStatelessProtocol(version, ourselves, options.capabilities);
      await subscription.open((client.getServerCapabilities() ?? {}) as JsonObject);
    }
  } catch (error) {
    subscription.close();
    await wire.close().catch(() => {});
    const { cause } = error as { readonly cause?: unknown };
    if (ToolError.is(cause)) throw cause;
    if (!channel.isProcess) throw error;
    const { why } = wire;
    if (why instanceof LateVersionAnswer) throw why;
    // It could not be started.
    if (error instanceof ServerEnded) throw error;
    const reason = channel.fate ?? (why instanceof ServerEnded ? why : (error as Error)).message;
    throw new ServerEnded(reason, wire.said, error);
  } finally {
    options.signal.removeEventListener("abort", stop);
  }
  verdicts.set(server, { ...verdict, isLegacy: wire.era === "legacy" });
  return new NegotiatedConnection(client, wire, subscription);
}

/** How long a server gets to answer which protocol it speaks, in milliseconds. */
function probeMs(
  { isProcess }: Channel,
  { isSlow }: Verdict,
  { timeoutMs }: ConnectOptions,
): number {
  // It is known what it speaks: there is nothing to fall back on.
  if (isSlow === true) return Math.min(timeoutMs, maxTimerMs);
  return Math.min(isProcess ? processProbeMs : httpProbeMs, timeoutMs / 2);
}

function failedProbe(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return cause?.code === "ERA_NEGOTIATION_FAILED";
}

/** The server is there, and does not speak what it spoke before. */
function isRefusedHandshake(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  return [error, cause].some((one) => {
    const { code, data } = (one ?? {}) as { readonly code?: unknown; readonly data?: unknown };
    const { status } = (data ?? {}) as { readonly status?: unknown };
    return typeof code === "number" || status === 400 || status === 404 || status === 405;
  });
}

/** The server knows no POST there: it may have the older transport. */
function mayBeSse(error: unknown): boolean {
  const { data } = error as { readonly data?: { readonly status?: unknown } };
  return data?.status === 400 || data?.status === 404 || data?.status === 405;
}
