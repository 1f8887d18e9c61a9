import {
  checkOptions,
  ToolError,
  type Awaitable,
  type Interruption,
  type JsonObject,
  type Metadata,
  type Answer,
  type ToolCall,
  type ToolRun,
} from "@toolweave/core";
import type { McpProvider } from "../../options/provider.ts";

/**
 * What one caller may use of a gateway at most, over all its sessions and connections together. Callers are told apart by
 * their `id`; HTTP requests without a caller count as one, a connection of the host's own without a caller as one each. A
 * refusal names the limit.
 */
export interface ClientLimits {
  /** Calls under way, also as tasks, those that wait for an answer of the client's too, and what is read. Default: 1,000. */
  readonly concurrentCalls?: number;
  /** The same, begun within any 60 seconds. Default: no limit. */
  readonly callsPerMinute?: number;
  /**
   * Sessions over HTTP (up to 2025-11-25). Default: 1,000. When there are as many, the next one takes the place of a
   * session whose client is gone: its stream has ended, or it has had none and was not used for `sessionIdleMs`, and no
   * call of it is under way. If there is none, the next one is refused with 429: a connected client keeps its session.
   */
  readonly sessions?: number;
  /** Milliseconds after which a session without a stream counts as that of a client that is gone. Default: 300,000. */
  readonly sessionIdleMs?: number;
  /** Streams that wait for changes: of a session's `GET`, and of `subscriptions/listen`. Default: 1,000. */
  readonly streams?: number;
  /** Resources that are subscribed to. Default: 10,000. */
  readonly subscriptions?: number;
}

/** How a registry is served. */
export interface ServeMcpOptions {
  /** What the gateway calls itself. Default: `toolweave`. */
  readonly name?: string;
  /** Default: `0.0.0`. */
  readonly version?: string;
  readonly title?: string;
  /** What a model is told of the tools as a whole. */
  readonly instructions?: string;
  /** Whose resources, prompts and completion are passed on: `source.provider` of an MCP source, or the host's own. */
  readonly providers?: readonly McpProvider[];
  /**
   * What becomes of a call that needs a person. `elicit`: the client is asked, with an elicitation; whoever may call
   * may then approve, so it is for clients that put the question to a person, as the protocol demands of them. The model
   * sees neither the question nor the answer, and cannot give one. `out-of-band`: the client is never asked for an
   * approval; the answer says how a person gives it elsewhere. Other questions (input, signing in) are asked in both.
   * Default: `elicit`.
   */
  readonly approvals?: "elicit" | "out-of-band";
  /**
   * How a person answers a call that the client cannot be asked about: what the error says after naming it. Default: the
   * line `toolweave approvals approve <id>`, or `resume`.
   */
  readonly howToAnswer?: (interruption: Interruption) => Awaitable<string>;
  /**
   * Goes with every call as `call.metadata`: whoever answers a call that waits finds it in the interruption; neither a
   * model nor a client sees it. Asked for each call.
   */
  readonly callMetadata?: () => Metadata;
  /**
   * Three tools in place of all: `search_tools`, `describe_tool` and `call_tool`. `auto`: for clients that would see
   * more than 100. Default: `auto`.
   */
  readonly search?: boolean | "auto";
  /**
   * A secret of at least 32 bytes that encrypts what clients of 2026-07-28 hand back (`requestState`). Give the executor's
   * to processes that serve the same clients. Default: a random one.
   */
  readonly key?: string | Uint8Array;
  readonly limits?: ClientLimits;
  /** Is told what goes wrong outside of any call: a connection that breaks, a message that is none. */
  readonly onError?: (error: Error) => void;
}

/** The names of all options. */
export const optionNames: readonly string[] = [
  "name",
  "version",
  "title",
  "instructions",
  "providers",
  "approvals",
  "howToAnswer",
  "callMetadata",
  "search",
  "key",
  "limits",
  "onError",
] satisfies readonly (keyof ServeMcpOptions)[];

const limitNames = {
  concurrentCalls: 1_000,
  callsPerMinute: Infinity,
  sessions: 1_000,
  sessionIdleMs: 300_000,
  streams: 1_000,
  subscriptions: 10_000,
} satisfies Record<keyof ClientLimits, number>;

/** Options with their defaults. */
export interface Served extends ServeMcpOptions, InProcess {
  readonly info: JsonObject & { readonly name: string; readonly version: string };
  readonly providers: readonly McpProvider[];
  readonly approvals: "elicit" | "out-of-band";
  readonly search: boolean | "auto";
  readonly key: string | Uint8Array;
  readonly limits: Required<ClientLimits>;
}

/** What is different where the client is in the same process. */
interface InProcess {
  /** The call that a request makes, when it was admitted before. */
  readonly prepared?: (params: JsonObject) => PreparedCall | undefined;
  /** A model reads what comes back, with nobody in between: its bounded content, and nothing else. */
  readonly forModel?: true;
}

/** @throws ToolError `internal` when an option cannot be meant. */
export function checkedOptions(options: ServeMcpOptions): Served {
  checkOptions("serveMcp", options, optionNames);
  const { name = "toolweave", version = "0.0.0", title, providers = [] } = options;
  const { approvals = "elicit", search = "auto", limits = {}, key } = options;
  if (approvals !== "elicit" && approvals !== "out-of-band") {
    throw misuse(`approvals is none of "elicit" and "out-of-band"`);
  }
  if (search !== "auto" && typeof search !== "boolean") {
    throw misuse(`search is none of true, false and "auto"`);
  }
  const ids = providers.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw misuse(`two providers have the id "${twice}"`);
  return {
    ...options,
    info: { name, version, ...(title === undefined ? {} : { title }) },
    providers,
    approvals,
    search,
    key: checkedKey(key),
    limits: checkedLimits(limits),
  };
}

function checkedKey(key: string | Uint8Array | undefined): string | Uint8Array {
  if (key === undefined) return crypto.getRandomValues(new Uint8Array(32));
  const { length } = typeof key === "string" ? new TextEncoder().encode(key) : key;
  if (length < 32) throw misuse("key is shorter than 32 bytes");
  return key;
}

function checkedLimits(given: ClientLimits): Required<ClientLimits> {
  checkOptions("serveMcp: limits", given, Object.keys(limitNames));
  const limits = { ...limitNames, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (!(value >= 1)) throw misuse(`limits.${name} is ${String(value)}; use 1 or more`);
  }
  return limits;
}

function misuse(what: string): ToolError {
  return new ToolError("internal", `serveMcp: ${what}.`);
}

/** A call that was admitted before its client makes it: the client has asked first whether it may. */
export interface PreparedCall {
  /** The run that it was admitted in. */
  readonly run: ToolRun;
  /** The very object that was admitted. */
  readonly call: ToolCall;
  /** What a person was asked, and has agreed to. Absent: nothing was asked. */
  readonly agreed?: { readonly interruption: Interruption; readonly answers: readonly Answer[] };
}
