import type { ToolErrorCode } from "@toolweave/core";

/** Arguments as a model, or whoever pretends to be one, sends them. */
export type SentKind =
  | ("right" | "other" | "text" | "malformed" | "deep" | "wrong" | "extra" | "injected" | "fenced")
  | ("envelope" | "proto" | "cyclic" | "infinite" | "unreadable" | "huge" | "list");

/** Stands for a name that no tool has. */
export const noTool = 99;

/** One call. */
export interface CallPlan {
  /** Counted round the tools that there are; or `noTool`. */
  readonly tool: number;
  readonly sent: SentKind;
}

/** One thing that a tool does before it ends. */
export type Step =
  | { readonly do: "wait"; readonly ms: number; readonly listens: boolean }
  | { readonly do: "update" | "progress" | "checkpoint" | "mutate" | "cancel" | "abort" }
  | {
      readonly do: "call";
      /** Counted from the tool after this one, so that calls come to an end. */
      readonly call: CallPlan;
      readonly times: number;
      readonly narrow: "no" | "deny" | "ask" | "function" | "misuse";
      readonly only: boolean;
      /** False: nobody waits for it, and the tool goes on. */
      readonly awaited: boolean;
    };

/** How a tool comes to its end. */
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

/** What a store does with one request. */
export type Fault = "now" | "later" | "slow" | "throws" | "hangs";

/** What host code does when it is asked. */
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

/** One who listens to the events, and does something when the n-th of a type comes. */
interface ListenerPlan {
  readonly on: string;
  readonly nth: number;
  readonly does: "throws" | "cancels" | "aborts" | "calls";
}

/** What the executors are made with. */
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
  /** Of each store: answered with one after the other, again and again. */
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

/** What a call is made with. */
export interface OptionsPlan {
  readonly timeoutMs: number | undefined;
  readonly deadlineMs: number | undefined;
  readonly abortAfterMs: number | undefined;
}

/** How several calls are made. */
export interface ManyPlan {
  readonly run: number;
  readonly calls: readonly CallPlan[];
  readonly strategy: "parallel" | "sequential" | { readonly batched: number };
  readonly maxConcurrency: number | undefined;
  readonly stopWhen: HostDoes | "none";
  readonly skips: boolean;
  readonly options: OptionsPlan;
}

/** What a person, or whoever pretends to be one, answers. */
export type AnswerKind =
  | ("right" | "approve" | "reject" | "edited" | "session" | "always" | "any" | "input")
  | ("none" | "otherId" | "garbage");

/** How an interruption is answered. */
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

/** One thing that the host does. */
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
      /** On behalf of whoever made it. */
      readonly owns: boolean;
    }
  | { readonly op: "drain" | "revoke" | "change"; readonly ms: number; readonly there: boolean };

/** One random life of an executor, as plain data, so that it can be made smaller and shown. */
export interface Plan {
  readonly tools: readonly ToolPlan[];
  readonly host: HostPlan;
  /** When the source of the foreign tools has loaded. */
  readonly loads: "at once" | "later" | "never";
  readonly runs: readonly RunPlan[];
  readonly ops: readonly { readonly what: Op; readonly waitMs: number }[];
  /** What becomes of the calls that still wait for a person at the end. */
  readonly lastWord: "right" | "reject" | "none";
  /** The other executor has the same key and the same store, as another process would. */
  readonly sharesStore: boolean;
  /** For what the executor itself leaves to chance. */
  readonly random: number;
}
