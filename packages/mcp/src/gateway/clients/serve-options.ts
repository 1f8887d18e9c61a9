import {
  ToolError,
  type Awaitable,
  type Interruption,
  type JsonObject,
  type Answer,
  type ToolCall,
  type ToolRun,
  type ToolSpec,
  type Toolset,
} from "@toolweave/core";
import type { Metadata } from "@toolweave/core/adapter";
import { checkOptions } from "@toolweave/core/adapter";
import type { RateLimitStore } from "@toolweave/core/stores";
import type { McpProvider } from "../../options/provider.ts";
import { checkReplica, type ReplicaOptions } from "../replicas/replica-options.ts";
import { noMetrics, type GatewayMetrics } from "../telemetry/gateway-metrics.ts";

/**
 * Limits of one caller over all its sessions and connections. Callers are distinguished by their `id`; HTTP requests
 * without a caller count as one caller, a connection of the host without a caller as one each. A rejection names the
 * limit.
 */
export interface ClientLimits {
  /**
   * Calls in progress, including tasks, calls that wait for an answer of the client, and reads of resources. Default:
   * 1,000.
   */
  readonly concurrentCalls?: number;
  /**
   * The same, started within any 60 seconds, in all processes that have the same `rateLimits`. Default: no limit.
   */
  readonly callsPerMinute?: number;
  /**
   * Sessions over HTTP (up to 2025-11-25). Default: 1,000. When the limit is reached, a new session replaces one
   * whose client has disconnected: its stream has ended, or it had none and was not used for `sessionIdleMs`, and it
   * has no call in progress. If there is none, the new one is rejected with 429: a connected client keeps its
   * session.
   */
  readonly sessions?: number;
  /** Milliseconds after which a session without a stream counts as disconnected. Default: 300,000. */
  readonly sessionIdleMs?: number;
  /** Streams for notifications: those of a session's `GET`, and of `subscriptions/listen`. Default: 1,000. */
  readonly streams?: number;
  /** Subscribed resources. Default: 10,000. */
  readonly subscriptions?: number;
}

/** Options of `serveMcp`. */
export interface ServeMcpOptions {
  /** Name of the server. Default: `toolweave`. */
  readonly name?: string;
  /** Default: `0.0.0`. */
  readonly version?: string;
  readonly title?: string;
  /** Instructions for the model about all tools. */
  readonly instructions?: string;
  /**
   * Providers whose resources, prompts and completion are served: `source.provider` of an MCP source, or the host's
   * own.
   */
  readonly providers?: readonly McpProvider[];
  /**
   * Handling of a call that requires a person. `elicit`: the client is asked with an elicitation; since the client
   * can then approve, use it with clients that pass the question to a person, as the protocol requires. The model
   * sees neither question nor answer. `out-of-band`: the client is never asked for an approval; the result says how a
   * person gives it elsewhere. Other questions (input, signing in) are asked in both. Default: `elicit`.
   */
  readonly approvals?: "elicit" | "out-of-band";
  /**
   * Returns how a person answers a call about which the client cannot be asked, for the error message. Default: that the
   * program that serves the tools has to approve or resume the call, with its id. `toolweave serve` names its command.
   */
  readonly howToAnswer?: (interruption: Interruption) => Awaitable<string>;
  /**
   * Returns metadata that is added to each call as `call.metadata`: it is part of the interruption, for the process
   * that answers it, and visible to neither model nor client.
   */
  readonly callMetadata?: () => Metadata;
  /**
   * Serves three tools in place of all: `search_tools`, `describe_tool` and `call_tool`. `auto`: for clients with
   * more than 100 tools. Default: `auto`.
   */
  readonly search?: boolean | "auto";
  /**
   * Tools that are listed also where a search lists others; with `only`, in place of all others. What is not listed can
   * still be called by name, and by tools that call tools. Default: none.
   */
  readonly listed?: { readonly names: readonly string[]; readonly only?: boolean };
  /**
   * Returns the description of a tool in the list of a client that can call `toolset`. Default: the tool's own.
   */
  readonly describe?: (spec: ToolSpec, toolset: Toolset) => string;
  /**
   * Secret of at least 32 bytes that encrypts the `requestState` of clients of 2026-07-28. Processes that serve the
   * same clients need the same key, for instance the executor's. Default: a random one.
   */
  readonly key?: string | Uint8Array;
  readonly limits?: ClientLimits;
  /**
   * Store that counts the calls of `limits.callsPerMinute`, for all processes that share it. If it is unavailable,
   * calls are refused. Default: the memory of the process.
   */
  readonly rateLimits?: RateLimitStore;
  /**
   * Makes the gateway one of several processes that serve the same clients behind a load balancer. All of them need
   * the same `key`, tools and stores. Requests that only one of them can answer are forwarded to it; `listenHttp` has to
   * receive them. Default: the gateway is alone.
   */
  readonly replica?: ReplicaOptions;
  /** Receives measurements: `gatewayMetrics()` of `@toolweave/mcp/telemetry`. Default: none are taken. */
  readonly metrics?: GatewayMetrics;
  /** Called with errors outside of any call: broken connections, invalid messages. */
  readonly onError?: (error: Error) => void;
}

/** The names of all options. */
export const serveOptionNames: readonly string[] = [
  "name",
  "version",
  "title",
  "instructions",
  "providers",
  "approvals",
  "howToAnswer",
  "callMetadata",
  "search",
  "listed",
  "describe",
  "key",
  "limits",
  "rateLimits",
  "replica",
  "metrics",
  "onError",
] satisfies readonly (keyof ServeMcpOptions)[];

const defaultLimits = {
  concurrentCalls: 1_000,
  callsPerMinute: Infinity,
  sessions: 1_000,
  sessionIdleMs: 300_000,
  streams: 1_000,
  subscriptions: 10_000,
} satisfies Record<keyof ClientLimits, number>;

/** Options with their defaults. */
export interface GatewaySettings extends ServeMcpOptions, InProcessSettings {
  readonly info: JsonObject & { readonly name: string; readonly version: string };
  readonly providers: readonly McpProvider[];
  readonly approvals: "elicit" | "out-of-band";
  readonly search: boolean | "auto";
  readonly key: string | Uint8Array;
  readonly limits: Required<ClientLimits>;
  readonly metrics: GatewayMetrics;
}

/** Options of a gateway whose client is in the same process. */
interface InProcessSettings {
  /** Returns the call of a request, if it was admitted before. */
  readonly prepared?: (params: JsonObject) => PreparedCall | undefined;
  /** Results are for a model that reads them directly: only their bounded content. */
  readonly forModel?: true;
}

/** @throws ToolError `invalid_configuration` when an option is invalid. */
export function toSettings(options: ServeMcpOptions): GatewaySettings {
  checkOptions("serveMcp", options, serveOptionNames);
  const { name = "toolweave", version = "0.0.0", title, providers = [] } = options;
  const { approvals = "elicit", search = "auto", limits = {}, key, replica } = options;
  if (approvals !== "elicit" && approvals !== "out-of-band") {
    throw invalidOption(`approvals must be "elicit" or "out-of-band"`);
  }
  if (search !== "auto" && typeof search !== "boolean") {
    throw invalidOption(`search must be true, false or "auto"`);
  }
  const ids = providers.map(({ id }) => id);
  const duplicate = ids.find((id, index) => ids.indexOf(id) !== index);
  if (duplicate !== undefined) throw invalidOption(`two providers have the id "${duplicate}"`);
  if (replica !== undefined) checkReplica(replica, key !== undefined);
  return {
    ...options,
    metrics: options.metrics ?? noMetrics,
    info: { name, version, ...(title === undefined ? {} : { title }) },
    providers,
    approvals,
    search,
    key: toKey(key),
    limits: toLimits(limits),
  };
}

function toKey(key: string | Uint8Array | undefined): string | Uint8Array {
  if (key === undefined) return crypto.getRandomValues(new Uint8Array(32));
  const { length } = typeof key === "string" ? new TextEncoder().encode(key) : key;
  if (length < 32) throw invalidOption("key must have at least 32 bytes");
  return key;
}

function toLimits(options: ClientLimits): Required<ClientLimits> {
  checkOptions("serveMcp: limits", options, Object.keys(defaultLimits));
  const limits = { ...defaultLimits, ...options };
  for (const [name, value] of Object.entries(limits)) {
    if (!(value >= 1)) throw invalidOption(`limits.${name} is ${String(value)}; use 1 or more`);
  }
  return limits;
}

function invalidOption(fault: string): ToolError {
  return new ToolError("invalid_configuration", `serveMcp: ${fault}.`);
}

/** A call that was admitted before its client makes it: the client has asked for permission first. */
export interface PreparedCall {
  /** The run in which it was admitted. */
  readonly run: ToolRun;
  /** The admitted object itself. */
  readonly call: ToolCall;
  /** The interruption that a person was asked about, with the answers. Absent: no question was asked. */
  readonly approved?: { readonly interruption: Interruption; readonly answers: readonly Answer[] };
}
