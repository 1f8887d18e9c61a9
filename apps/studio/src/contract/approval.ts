import type { Caller, Grant, InterruptionRequest, JsonValue } from "@toolweave/core";

/** A call that waits for a person. */
export interface Approval {
  readonly id: string;
  readonly status: "pending" | "claimed" | "finished" | "unfinished";
  /** False: it cannot be answered, and the members below are absent, except for `expiresAt`. */
  readonly verified: boolean;
  readonly expiresAt: number;
  readonly runId?: string;
  readonly parentCallId?: string;
  readonly call?: { readonly id: string; readonly name: string; readonly arguments?: JsonValue };
  readonly specHash?: string;
  readonly requests?: readonly InterruptionRequest[];
  readonly requester?: Caller;
  /** Identifies what was displayed; an answer carries it back. */
  readonly digest?: string;
  /** In a list: members are omitted. Read the approval itself. */
  readonly truncated?: true;
}

/** A page of approvals, oldest first. */
export interface ApprovalList {
  readonly approvals: readonly Approval[];
  readonly nextCursor?: string;
}

/** The outcome of an answer. */
export interface AnswerResult {
  readonly status: "completed" | "failed" | "interrupted";
  readonly answeredBy?: string;
  readonly answeredAt?: number;
  readonly replayed?: true;
  readonly result?: {
    readonly isError: boolean;
    readonly content: readonly { readonly type: string; readonly text?: string }[];
    readonly value?: JsonValue;
    readonly artifacts: readonly { readonly key: string; readonly name?: string }[];
    readonly taskId?: string;
  };
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
  };
  /** With `interrupted`: what the call waits for now. */
  readonly approval?: Approval;
}

/** A grant for display. */
export type ListedGrant = Omit<Grant, "seal" | "definition">;

/** A page of grants, oldest first. */
export interface GrantList {
  readonly grants: readonly ListedGrant[];
  readonly nextCursor?: string;
}
