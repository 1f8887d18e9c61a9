/**
 * The types of the HTTP API as the page reads them. Times are milliseconds since the epoch. Every list is
 * `{ items, nextCursor? }` unless stated. Errors are problem documents (RFC 9457).
 */
import type { Explanation, JsonSchema, JsonValue, ToolSpec } from "@toolweave/core";

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The `cursor` of the next page. Absent: this is the last one. */
  readonly nextCursor?: string;
}

/** A right of a session: to read, to call tools, to decide about approvals. */
export type Scope = "read" | "call" | "decide";

/** The answer to a code of a start link. */
export interface Session {
  readonly token: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number;
  readonly caller: { readonly id: string };
}

/** A source with its counts. */
export interface SourceRow {
  readonly id: string;
  readonly adapter: string;
  readonly tools: number;
  readonly problems: number;
  readonly state: "ready" | "loading" | "failed";
  readonly message?: string;
  readonly trusted: boolean;
}

/** The state of the console and of the things behind it. */
export interface Status {
  /** Of toolweave. */
  readonly version: string;
  readonly sources: readonly SourceRow[];
  readonly tools: { readonly total: number; readonly version: number };
  readonly problems: number;
  readonly stores: {
    readonly pendingCalls: boolean;
    readonly tasks: boolean;
    readonly artifacts: boolean;
    readonly grants: boolean;
    readonly audit: boolean;
    readonly recordings: readonly string[];
    readonly lock: boolean;
  };
  readonly policy: {
    readonly layers: readonly string[];
    readonly warnings: readonly { readonly message: string; readonly place?: string }[];
  };
  /** Approvals that wait. */
  readonly waiting: number;
  readonly limits: { readonly timeoutMs?: number; readonly maxOutputBytes?: number };
}

/** A problem of a source, a tool or the configuration. */
export interface ProblemRow {
  readonly source: string;
  readonly message: string;
  readonly place?: string;
  readonly code?: string;
  readonly tool?: string;
  readonly remedy?: string;
  readonly kind: "source" | "tool" | "configuration";
}

/** The decision of a policy. */
export type Effect = "allow" | "ask" | "deny";

/** A tool in the list of all tools. */
export interface ToolRow {
  readonly name: string;
  readonly title?: string;
  /** The first line of the description. */
  readonly line: string;
  readonly source: string;
  readonly effect: Effect;
  readonly access?: "read" | "write" | "destructive";
  /** Why it cannot be called now. */
  readonly unavailable?: string;
}

/** All tools of a registry version. */
export interface ToolList extends Page<ToolRow> {
  readonly version: number;
  readonly total: number;
}

/** One difference between two definitions. */
export interface MemberChangeText {
  readonly path: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  readonly text: string;
}

/** A tool with its whole definition. */
export interface ToolDetails {
  readonly spec: ToolSpec;
  /** The schema of what a caller sends: without injected parameters. */
  readonly argumentsSchema: JsonSchema;
  readonly specHash: string;
  readonly source: string;
  readonly effect: Effect;
  readonly lock?: {
    readonly state: "locked" | "changed" | "new";
    readonly changes?: readonly MemberChangeText[];
  };
  /** An estimate for the definition: 4 characters a token. */
  readonly tokens: number;
}

/** A tool as one model API receives it. */
export interface ProviderView {
  readonly provider: string;
  readonly name: string;
  readonly definition: JsonValue;
  readonly tokens: number;
  readonly problems: readonly string[];
  readonly omitted: boolean;
}

/** A result of the search that models use. */
export interface SearchHit {
  readonly name: string;
  readonly line: string;
  readonly score: number;
}

/** The decision on a call, with its reasons. */
export type ExplanationView = Omit<Explanation, "problem"> & {
  readonly problem?: { readonly code: string; readonly message: string };
};

/** A fault in arguments. */
interface ArgumentProblem {
  /** A JSON pointer into the arguments; empty: all of them. */
  readonly pointer: string;
  readonly message: string;
}

/** The result of a check of arguments; nothing has run. */
export interface CheckResult {
  readonly problems: readonly ArgumentProblem[];
  readonly arguments?: JsonValue;
  readonly explanation: ExplanationView;
}

/** A call that was accepted. */
export interface CallStarted {
  readonly callId: string;
  readonly runId: string;
}

/** Content of a result; binary content is described, with its bytes as `dataUrl` below 1 MiB. */
export interface ContentView {
  readonly type: string;
  readonly text?: string;
  readonly mediaType?: string;
  readonly mimeType?: string;
  readonly data?: string;
  readonly bytes?: number;
  readonly dataUrl?: string;
  readonly uri?: string;
  readonly name?: string;
  readonly title?: string;
  readonly size?: number;
  readonly resource?: {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    readonly blob?: string;
  };
}

/** The outcome of a call as JSON, with secrets masked. */
export interface OutcomeView {
  readonly status: "completed" | "failed" | "interrupted";
  readonly ok?: boolean;
  readonly result?: {
    readonly content: readonly ContentView[];
    readonly value?: JsonValue;
    readonly artifacts: readonly {
      readonly key: string;
      readonly mediaType?: string;
      readonly size?: number;
      readonly name?: string;
    }[];
    readonly isError: boolean;
    readonly taskId?: string;
    readonly durationMs?: number;
  };
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly retryable?: boolean;
  };
}

/** The state of a call that this process has made. */
export interface CallState {
  readonly callId: string;
  readonly runId: string;
  readonly name: string;
  readonly status: "running" | "completed" | "failed" | "interrupted" | "cancelled";
  readonly outcome?: OutcomeView;
  readonly approvalId?: string;
  readonly startedAt: number;
  readonly endedAt?: number;
}

/** An event of an executor or of a recording. */
export type EventView = {
  readonly stream: string;
  readonly seq: number;
  readonly time: number;
  readonly type: string;
  readonly runId?: string;
  readonly callId?: string;
  readonly parentCallId?: string;
  readonly tool?: string;
} & Readonly<Record<string, unknown>>;

/** A run in the list of runs. */
export interface RunRow {
  readonly runId: string;
  /** The name of the recording that has it. Absent: it is live. */
  readonly recording?: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly calls: number;
  readonly failed: number;
  readonly waiting: number;
  readonly tools: readonly string[];
}

/** A bar of a waterfall. */
export interface Span {
  /** Unique in the run. */
  readonly id: string;
  readonly callId: string;
  /** The `id` of the span above. */
  readonly parent?: string;
  readonly kind: "call" | "attempt" | "wait" | "retry" | "task";
  readonly tool: string;
  readonly from: number;
  /** Absent: it has not ended. */
  readonly to?: number;
  readonly state: "running" | "ok" | "error" | "rejected" | "waiting" | "cancelled" | "unknown";
  readonly code?: string;
  readonly message?: string;
  readonly rule?: string;
  readonly reason?: string;
  readonly by?: string;
  readonly attempt?: number;
  readonly arguments?: JsonValue;
  readonly output?: JsonValue;
  readonly outputBytes?: number;
  readonly artifacts?: readonly {
    readonly key: string;
    readonly name?: string;
    readonly bytes?: number;
  }[];
}

/** A run with its spans. */
export interface RunDetails extends RunRow {
  readonly spans: readonly Span[];
  /** Times in which nothing ran. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
  readonly missingEvents: number;
}

/** A task. */
export interface TaskRow {
  readonly id: string;
  readonly tool: string;
  readonly status: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt?: number;
  readonly runId?: string;
  readonly approvalId?: string;
  readonly message?: string;
  readonly progress?: JsonValue;
}

/** A part of an artifact. */
export interface ArtifactPage {
  readonly key: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly offset: number;
  readonly text?: string;
  readonly nextOffset?: number;
  readonly image?: { readonly mediaType: string; readonly dataUrl: string };
}

/** A line of an artifact that a search has found. */
export interface ArtifactHit {
  readonly line: number;
  readonly offset: number;
  readonly text: string;
}

/** The policy in force. */
export interface PolicyView {
  readonly layers: readonly {
    readonly name: string;
    readonly preset?: string;
    readonly rules: readonly {
      readonly id: string;
      readonly text: string;
      readonly effect: string;
      readonly remark?: string;
    }[];
  }[];
  readonly warnings: readonly string[];
}

/** The result of trying a rule over all tools. */
export interface TryResult {
  readonly changes: readonly {
    readonly tool: string;
    readonly before: string;
    readonly after: string;
    readonly permission?: string;
  }[];
  readonly unchanged: number;
  readonly problems: readonly string[];
}

/** An entry of the audit. */
export interface AuditRow {
  readonly seq: number;
  readonly time: number;
  readonly type: string;
  readonly tool?: string;
  readonly callId?: string;
  readonly runId?: string;
  readonly by?: string;
  readonly rule?: string;
  readonly decision?: string;
  readonly hash?: string;
  readonly entry: JsonValue;
}

/** Differences between the lock file and the tools as they are. */
export interface LockDiff {
  readonly file?: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly {
    readonly tool: string;
    readonly changes: readonly MemberChangeText[];
  }[];
  /** The command that accepts the definitions as they are. */
  readonly command: string;
}
