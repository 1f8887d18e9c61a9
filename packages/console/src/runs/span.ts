import type { JsonValue } from "@toolweave/core";

/** A run as a row of a list. */
export interface RunRow {
  readonly runId: string;
  /** The recording that it was read from. Absent: it is of this process. */
  readonly recording?: string;
  /** Milliseconds since the epoch: the first event. */
  readonly startedAt: number;
  /** Milliseconds since the epoch: the last event. Absent: a call is running or waits for a person. */
  readonly endedAt?: number;
  /** The number of calls, nested ones included. */
  readonly calls: number;
  /** The number of calls that failed or were refused. */
  readonly failed: number;
  /** The number of calls that wait for a person. */
  readonly waiting: number;
  /** The names of the called tools in the order of their first calls: at most 100. */
  readonly tools: readonly string[];
}

/** A period of a run. */
export interface Period {
  /** Milliseconds since the epoch. */
  readonly from: number;
  /** Milliseconds since the epoch. */
  readonly to: number;
}

/** A run with its spans. */
export interface RunDetails extends RunRow {
  /** In the order of `from`; a parent comes before its children. */
  readonly spans: readonly Span[];
  /** Periods of a second and more in which no call ran: no call was made, or all of them waited for a person. */
  readonly gaps: readonly Period[];
  /** The number of events that are missing between the first and the last one: spans may be wrong or absent. */
  readonly missingEvents: number;
}

/**
 * The kind of a span. `call`: a call, from its request to its end. `attempt`: one attempt of a call that was retried.
 * `retry`: the delay before the next attempt. `wait`: the call waits for a person. `task`: the call runs as a task.
 */
export type SpanKind = "call" | "attempt" | "wait" | "retry" | "task";

/** The state of a span. `unknown`: no event reports its end, and the process that recorded it has ended. */
export type SpanState =
  | "running"
  | "ok"
  | "error"
  | "rejected"
  | "waiting"
  | "cancelled"
  | "unknown";

/** A period of a call. */
export interface Span {
  /** Unique in the run. */
  readonly id: string;
  readonly callId: string;
  /** The id of the parent span: of the call, or, of a nested call, that of the call that made it. */
  readonly parent?: string;
  readonly kind: SpanKind;
  readonly tool: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  /** Milliseconds since the epoch. Absent: it continues, or its end is unknown. */
  readonly to?: number;
  readonly state: SpanState;
  /** The code of the error. */
  readonly code?: string;
  /** The message of the error. */
  readonly message?: string;
  /** Of a call: the rule that decided about it. */
  readonly rule?: string;
  /** Of a call: the reason of the decision. */
  readonly reason?: string;
  /** The person who answered. */
  readonly by?: string;
  /** Of an attempt: its number, from 1. Of a retry: that of the attempt that follows. */
  readonly attempt?: number;
  /** Of a wait: the approval. */
  readonly approvalId?: string;
  /** Of a task. */
  readonly taskId?: string;
  /** Of a call: present if its events have payloads. */
  readonly arguments?: JsonValue;
  /** Of a call: its structured result, or its content. Binary content is replaced by its size. */
  readonly output?: JsonValue;
  /** Of a call: bytes of its content. */
  readonly outputBytes?: number;
  /** Of a call: the artifacts of its result. */
  readonly artifacts?: readonly SpanArtifact[];
}

/** An artifact of a result. */
export interface SpanArtifact {
  readonly key: string;
  readonly name?: string;
  readonly bytes?: number;
}

/** A span while it is built. */
export type OpenSpan = { -readonly [Member in keyof Span]: Span[Member] };

/**
 * An event of an executor, of a recording, or of the API. Further members are read by type; unknown types and invalid
 * members are ignored.
 */
export interface SpanEvent {
  readonly type: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly seq?: number;
  /** The executor or the recorder that numbers the events. Absent: there is one. */
  readonly stream?: string;
}
