import type { ToolErrorCode } from "@toolweave/core";

/** Arguments of a model or an attacker. */
export type SentKind =
  | ("right" | "other" | "text" | "malformed" | "deep" | "wrong" | "extra" | "injected" | "fenced")
  | ("envelope" | "proto" | "cyclic" | "infinite" | "unreadable" | "huge" | "list");

/** A name that no tool has. */
export const noTool = 99;

/** One call. */
export interface CallPlan {
  /** An index into the tools, modulo their number; or `noTool`. */
  readonly tool: number;
  readonly sent: SentKind;
}

/** One step of a tool before it ends. */
export type Step =
  | { readonly do: "wait"; readonly ms: number; readonly listens: boolean }
  | { readonly do: "update" | "progress" | "checkpoint" | "mutate" | "cancel" | "abort" }
  | {
      readonly do: "call";
      /** Counted from the tool after this one, so that nested calls end. */
      readonly call: CallPlan;
      readonly times: number;
      readonly narrow: "no" | "deny" | "ask" | "function" | "misuse";
      readonly only: boolean;
      /** False: the call is not awaited, and the tool continues. */
      readonly awaited: boolean;
    };

/** The end of a tool. */
export type End =
  | ("text" | "number" | "nothing" | "blocks" | "output" | "big" | "isError" | "mayPass")
  | ("cyclic" | "bigint" | "function" | "generator" | "proxy" | "thenable" | "unreadable")
  | ("late" | "lateCalls" | "hangs" | "abortable")
  | ("throws" | "throwsNothing" | "throwsProxy" | "throwsFlipping" | "throwsCode")
  | ("throwsRetryable" | "throwsRetryAfter")
  | ("asksApproval" | "asksAuth" | "asksInput" | "asksResult" | "asksTwo" | "asksAgain")
  | ("asksBadly" | "passesOn" | "forges" | "answersItself");

/** One tool. */
export interface ToolPlan {
  readonly from: "own" | "trusted" | "foreign";
  readonly steps: readonly Step[];
  readonly end: End;
  readonly code: ToolErrorCode;
  readonly asks: "never" | "always" | "sometimes";
  readonly preflight:
    | ("none" | "reads" | "spends" | "delegates" | "runs" | "many" | "unsaid")
    | ("throws" | "hangs" | "slow" | "garbage");
  readonly validate: "none" | "passes" | "refuses" | "throws" | "slow";
  readonly input: "any" | "number" | "closed" | "broken";
  readonly output: "none" | "kept" | "violated" | "broken" | "warning";
  readonly injected: "none" | "optional" | "required";
  readonly hints: "none" | "reads" | "idempotent" | "destroys" | "needsApproval" | "spends";
  readonly timeoutMs: number | undefined;
  readonly attempts: number | undefined;
  readonly unavailable: boolean;
  readonly execution: "inline" | "task";
}

/** The behavior of a store for one request. */
export type Fault = "now" | "later" | "slow" | "throws" | "hangs";

/** The behavior of host code when it is called. */
export type HostDoes = "passes" | "acts" | "throws" | "hangs" | "slow" | "garbage";

/** One hook. */
export interface HookPlan {
  readonly into: "before" | "around" | "after" | "updates";
  readonly does: HostDoes;
  readonly when: "all" | "none" | "throws";
  readonly priority: number;
  readonly timeoutMs: number | undefined;
}

/** One layer of the policy. */
export type LayerPlan =
  | { readonly layer: "supervised" | "autonomous" | "readOnly" | "strict" }
  | {
      readonly layer: "rules";
      readonly effect: "allow" | "ask" | "deny";
      readonly on: "tool" | "permission" | "caller" | "hint" | "foreign";
      readonly tool: number;
      readonly always: boolean;
    }
  | {
      readonly layer: "function";
      readonly answers:
        | ("allow" | "ask" | "deny" | "nothing")
        | ("throws" | "garbage" | "slow" | "hangs");
    };

/** A listener for events that reacts to the n-th of a type. */
interface ListenerPlan {
  readonly on: string;
  readonly nth: number;
  readonly does: "throws" | "cancels" | "aborts" | "calls";
}

/** The options of the executors. */
export interface HostPlan {
  readonly policy: readonly LayerPlan[];
  readonly onAsk:
    | ("interrupt" | "deny" | "approves" | "grants" | "rejects")
    | ("throws" | "hangs" | "slow" | "garbage");
  readonly hooks: readonly HookPlan[];
  readonly hookTimeoutMs: number;
  readonly retries: { readonly attempts: number; readonly any: boolean } | undefined;
  readonly concurrency:
    | {
        readonly max: number | undefined;
        readonly perTool: number | undefined;
        readonly perSource: number | undefined;
        readonly exclusive: boolean;
      }
    | undefined;
  readonly rate:
    | {
        readonly calls: number;
        readonly spend: number | undefined;
        readonly windowMs: number;
        readonly per: "tool" | "source" | "caller" | "all";
      }
    | undefined;
  readonly audit: "none" | "optional" | "required";
  /** For each store: its answers, one after the other, repeatedly. */
  readonly faults: Readonly<
    Record<"pending" | "grants" | "rates" | "audit" | "tasks" | "artifacts", readonly Fault[]>
  >;
  readonly normalises: boolean;
  readonly repair: HostDoes | "none";
  readonly onInvalidCall: "return" | "fail";
  readonly undeclared: "schema" | "strip" | "reject";
  readonly maxOutputBytes: number;
  readonly listener: ListenerPlan | undefined;
}

/** One run. */
export interface RunPlan {
  readonly caller: string | undefined;
  readonly session: string | undefined;
  /** The one tool that may be called. */
  readonly only: number | undefined;
  readonly limits:
    | Readonly<
        Record<
          "calls" | "callsPerTool" | "spend" | "identicalCalls" | "durationMs",
          number | undefined
        >
      >
    | undefined;
}

/** The options of a call. */
export interface OptionsPlan {
  readonly timeoutMs: number | undefined;
  readonly deadlineMs: number | undefined;
  readonly abortAfterMs: number | undefined;
}

/** The options of several calls. */
export interface ManyPlan {
  readonly run: number;
  readonly calls: readonly CallPlan[];
  readonly strategy: "parallel" | "sequential" | { readonly batched: number };
  readonly maxConcurrency: number | undefined;
  readonly stopWhen: HostDoes | "none";
  readonly skips: boolean;
  readonly options: OptionsPlan;
}

/** The answer of a person or an attacker. */
export type AnswerKind =
  | ("right" | "approve" | "reject" | "edited" | "session" | "always" | "any" | "input")
  | ("none" | "otherId" | "garbage");

/** The way to answer an interruption. */
export interface ResumePlan {
  readonly op: "resume";
  readonly which: number;
  readonly answer: AnswerKind;
  readonly tamper: "none" | "arguments" | "id" | "expires" | "state" | "nothing";
  /** By the other executor. */
  readonly there: boolean;
  readonly inRun: number | undefined;
  readonly times: number;
  readonly options: OptionsPlan;
}

/** One step of the host. */
export type Op =
  | {
      readonly op: "execute";
      readonly run: number;
      readonly call: CallPlan;
      readonly options: OptionsPlan;
      readonly direct: boolean;
    }
  | ({ readonly op: "all" } & ManyPlan)
  | ({ readonly op: "stream"; readonly breakAfter: number | undefined } & ManyPlan)
  | {
      readonly op: "checkAdmission";
      readonly run: number;
      readonly call: CallPlan;
      readonly options: OptionsPlan;
      readonly ms: number;
      readonly times: number;
    }
  | ResumePlan
  | {
      readonly op: "cancel" | "dispose" | "nextTurn";
      readonly run: number;
      readonly only: number | undefined;
    }
  | { readonly op: "explain"; readonly call: CallPlan }
  | {
      readonly op: "task";
      readonly does: "status" | "result" | "cancel" | "list";
      readonly which: number;
      readonly ms: number;
      /** By the other executor. */
      readonly there: boolean;
      /** For the caller that made it. */
      readonly owns: boolean;
    }
  | { readonly op: "drain" | "revoke" | "change"; readonly ms: number; readonly there: boolean };

/** One random life of an executor, as plain data, so that it can be reduced and printed. */
export interface Plan {
  readonly tools: readonly ToolPlan[];
  readonly host: HostPlan;
  /** The time at which the source of the external tools has loaded. */
  readonly loads: "at once" | "later" | "never";
  readonly runs: readonly RunPlan[];
  readonly ops: readonly { readonly what: Op; readonly waitMs: number }[];
  /** The end of the calls that still wait for a person. */
  readonly lastWord: "right" | "reject" | "none";
  /** The other executor has the same key and the same store, like another process. */
  readonly sharesStore: boolean;
  /** The seed for random choices of the executor itself. */
  readonly random: number;
}
