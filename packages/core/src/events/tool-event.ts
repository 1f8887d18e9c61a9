import type { ToolErrorCode } from "../tool-error.ts";
import type { ToolOutput } from "../spec/tool-result.ts";
import type { ToolProgress } from "../spec/tool.ts";

interface Envelope {
  /** Grows by one with each event of an executor. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

interface CallEnvelope extends Envelope {
  readonly runId: string;
  /** The call that made this one, when it is nested. */
  readonly parentCallId?: string;
  readonly turnId?: string;
  readonly callId: string;
  readonly tool: string;
}

/** How a call that started has ended. */
export interface EndFields {
  readonly attempt: number;
  readonly durationMs: number;
}

/**
 * What the executor tells about a call. A call that never starts ends in `tool.rejected` or
 * `tool.interrupted`; each `tool.started` ends in exactly one of `tool.completed`, `tool.failed`
 * and `tool.suspended`, whose `attempt` is the last one. `tool.late` may follow a timeout or a
 * cancellation, of an attempt that is retried, too.
 */
export type ToolCallEvent = CallEnvelope &
  (
    | { readonly type: "tool.requested" }
    | { readonly type: "tool.rejected"; readonly code: ToolErrorCode; readonly message: string }
    | { readonly type: "tool.interrupted"; readonly interruptionId: string }
    | {
        readonly type: "tool.resumed";
        readonly interruptionId: string;
        /** Who has answered. */
        readonly by?: string;
      }
    | {
        readonly type: "tool.authorized";
        /** No rule asks; a grant answers; a person has agreed. */
        readonly decision: "allow" | "granted" | "approved";
        readonly reason: string;
        /** The policy and the rule that decided, such as `policy rules[2]`. */
        readonly rule: string;
        /** Who agreed. */
        readonly by?: string;
        /** The grant that answers, or that was made. */
        readonly grantId?: string;
      }
    | {
        /** A store could not keep something, and the call went on without. */
        readonly type: "store.failed";
        readonly store: "pendingCalls" | "audit" | "artifacts" | "tasks";
        readonly message: string;
      }
    | {
        readonly type: "tool.started";
        readonly attempt: number;
        readonly discarded?: readonly string[];
      }
    | { readonly type: "tool.updated"; readonly output: ToolOutput }
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
    | ({ readonly type: "tool.suspended"; readonly interruptionId: string } & EndFields)
    | ({
        readonly type: "tool.completed";
        readonly isError: boolean;
        readonly warnings?: readonly string[];
      } & EndFields)
    | ({
        readonly type: "tool.failed";
        readonly code: ToolErrorCode;
        readonly message: string;
      } & EndFields)
    | { readonly type: "tool.late"; readonly outcome: "returned" | "threw" }
    | {
        /** The call goes on by itself. */
        readonly type: "task.created";
        readonly taskId: string;
      }
    | {
        /** A person has answered, and the task goes on. */
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

/** Everything an executor tells: plain JSON. */
export type ToolEvent = ToolCallEvent | RegistryChangedEvent;

/** Receives events; what it throws changes nothing. */
export type ToolEventListener = (event: ToolEvent) => void;

/** An event before its envelope. */
export type EventFields = { readonly type: ToolEvent["type"] } & Readonly<Record<string, unknown>>;
