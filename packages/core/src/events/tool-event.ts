import type { Caller } from "../contract/caller.ts";
import type { ToolErrorCode } from "../contract/tool-error.ts";
import type { ContentBlock } from "../contract/content-block.ts";
import type { JsonValue } from "../json/json.ts";
import type { ArtifactRef, ToolOutput } from "../contract/tool-result.ts";
import type { ToolProgress } from "../contract/tool.ts";

interface Envelope {
  /** Grows by one with each event of an executor. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

interface CallEnvelope extends Envelope {
  readonly runId: string;
  /** For whom the call is made. Absent: the host has named no caller. */
  readonly caller?: Caller;
  /** The call that made this one, when it is nested. */
  readonly parentCallId?: string;
  readonly turnId?: string;
  /** At most 1,000 bytes of it. */
  readonly callId: string;
  /** The called name, at most 200 bytes of it: a model can ask for a tool that does not exist. */
  readonly tool: string;
}

/** Fields that are present only with `eventPayloads`: without secrets, and no longer than `maxOutputBytes`. */
interface PayloadFields {
  /** A part of the payload was longer, and is clipped or omitted. */
  readonly truncated?: true;
}

/** How a call that started has ended. */
export interface CompletedEventFields {
  readonly attempt: number;
  readonly durationMs: number;
}

/**
 * The events that the executor emits about a call. A call that never starts ends in `tool.rejected`,
 * `tool.interrupted` or `tool.replayed`; each `tool.started` ends in exactly one of `tool.completed`, `tool.failed` and `tool.suspended`,
 * whose `attempt` is the last one. `tool.late` may follow a timeout or a cancellation, of an attempt that is retried,
 * too. Messages have at most 2,000 bytes. Arguments and outputs are there only with `eventPayloads`.
 */
export type ToolCallEvent = CallEnvelope &
  (
    | ({
        readonly type: "tool.requested";
        /** The model's arguments, unchanged. */
        readonly arguments?: JsonValue;
      } & PayloadFields)
    | { readonly type: "tool.rejected"; readonly code: ToolErrorCode; readonly message: string }
    | { readonly type: "tool.interrupted"; readonly interruptionId: string }
    | {
        /** The call has ended before in its durable run: its stored outcome is returned, and nothing runs. */
        readonly type: "tool.replayed";
        readonly status: "completed" | "failed" | "interrupted";
        /** With `isError`: the code of the stored error. */
        readonly code?: ToolErrorCode;
      }
    | {
        readonly type: "tool.resumed";
        readonly interruptionId: string;
        /** The person who answered. */
        readonly by?: string;
      }
    | {
        readonly type: "tool.authorized";
        /** No rule asks; a grant answers; a person has agreed. */
        readonly decision: "allow" | "granted" | "approved";
        readonly reason: string;
        /** The policy and the rule that decided, such as `policy rules[2]`. */
        readonly rule: string;
        /** The person who approved. */
        readonly by?: string;
        /** The grant that answers, or that was made. */
        readonly grantId?: string;
      }
    | {
        /** A store could not keep something, and the call went on without. */
        readonly type: "store.failed";
        readonly store: "pendingCalls" | "audit" | "artifacts" | "tasks" | "ledger";
        readonly message: string;
      }
    | ({
        readonly type: "tool.started";
        readonly attempt: number;
        /** Arguments that the model sent although only the host may supply them. */
        readonly discarded?: readonly string[];
        /** The tool's arguments, without those that the host supplies. */
        readonly arguments?: JsonValue;
      } & PayloadFields)
    | ({
        /** A partial output, in place of the one before. */
        readonly type: "tool.updated";
        readonly output?: ToolOutput;
      } & PayloadFields)
    | {
        /** An attempt has failed, and another follows. */
        readonly type: "tool.retried";
        /** The one that has failed. */
        readonly attempt: number;
        readonly code: ToolErrorCode;
        /** Milliseconds until the next. */
        readonly delayMs: number;
      }
    | { readonly type: "tool.progressed"; readonly progress: ToolProgress }
    | ({ readonly type: "tool.suspended"; readonly interruptionId: string } & CompletedEventFields)
    | ({
        readonly type: "tool.completed";
        readonly isError: boolean;
        /** With `isError`: what kind of error the tool answered with. */
        readonly code?: ToolErrorCode;
        /** Bytes of content: its texts in UTF-8, its images and sound decoded. */
        readonly outputBytes: number;
        readonly warnings?: readonly string[];
        readonly content?: readonly ContentBlock[];
        readonly value?: JsonValue;
        readonly artifacts?: readonly ArtifactRef[];
      } & CompletedEventFields &
        PayloadFields)
    | ({
        readonly type: "tool.failed";
        readonly code: ToolErrorCode;
        readonly message: string;
      } & CompletedEventFields)
    | { readonly type: "tool.late"; readonly outcome: "returned" | "threw" }
    | {
        /** The call continues on its own. */
        readonly type: "task.created";
        readonly taskId: string;
      }
    | {
        /** A person has answered, and the task resumes. */
        readonly type: "task.working";
        readonly taskId: string;
      }
    | {
        readonly type: "task.input_required";
        readonly taskId: string;
        readonly interruptionId: string;
      }
    | { readonly type: "task.completed"; readonly taskId: string; readonly isError: boolean }
    | { readonly type: "task.failed"; readonly taskId: string; readonly code: ToolErrorCode }
    | { readonly type: "task.cancelled"; readonly taskId: string }
  );

/** The registry's tools have changed. */
export interface RegistryChangedEvent extends Envelope {
  readonly type: "registry.changed";
  readonly version: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Every event of an executor: plain JSON, frozen if it has several listeners. */
export type ToolEvent = ToolCallEvent | RegistryChangedEvent;

/** Receives events, in order; what it throws changes nothing. */
export type ToolEventListener = (event: ToolEvent) => void;

/**
 * Replaces missing events in `executor.events()`: the reader was too slow, or came back too late. Its `seq` is that of
 * the last of them.
 */
export interface EventsDroppedEvent extends Envelope {
  readonly type: "events.dropped";
  /** How many are lost. */
  readonly dropped: number;
  /** The number of updates and progress events of a call that a later one of the same call replaces. */
  readonly replaced: number;
  /** `after` is a number that this executor has not reached: of another one, or of an earlier process. */
  readonly reset?: true;
}

/** An event of an executor as a slow reader receives it. */
export type QueuedEvent = ToolEvent | EventsDroppedEvent;

/** An event before its envelope. */
export type EventFields = { readonly type: ToolEvent["type"] } & Readonly<Record<string, unknown>>;
