import type { RunState } from "./run-state.ts";
import type { BuiltInTools } from "../../built-in/built-in-tools.ts";
import type { Caller } from "../../contract/caller.ts";
import type { Toolset } from "../../contract/tool.ts";
import type { ExecutorTasks } from "../../tasks/executor-tasks.ts";
import type { Artifacts } from "../../artifacts/artifacts.ts";
import type { LargeOutputs } from "../../artifacts/large-outputs.ts";
import type { EventStream } from "../../events/event-stream.ts";
import type { RateLimits } from "../../limits/rate-limits.ts";
import type { Slots } from "../../limits/slots.ts";
import type { ArgumentsHash, IdempotencyKeys } from "../../approvals/secret.ts";
import type { GrantSeal } from "../../approvals/matching-grants.ts";
import type { CallLedger } from "../../ledger/call-ledger.ts";
import type { GrantStore } from "../../contract/grant.ts";
import type { LocalCalls } from "./local-calls.ts";
import type { PendingCallStore } from "../../approvals/pending-call-store.ts";
import type { Seal } from "../../approvals/seal.ts";
import type { Audit } from "../../audit/audit.ts";
import type { PolicyLayer } from "../../policy/decision.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";
import type { SecretRedactor } from "../../redaction/secret-redactor.ts";
import type { SecretSet } from "../../redaction/secret-set.ts";
import type { RetryPolicy } from "../../contract/tool-spec.ts";
import type { SchemaCache } from "../../schema/schema-cache.ts";
import type { Tasks } from "../../tasks/tasks.ts";
import type { Clock } from "../../time/clock.ts";
import type { Drain } from "./drain.ts";
import type { HookPhases } from "./hook-phases.ts";
import type { ApprovalMode } from "./approver.ts";
import type { Repair } from "./hook.ts";

/** Options of a run that the executor itself starts. */
interface StartedRun {
  readonly id?: string;
  readonly caller?: Caller;
  readonly sessionId?: string;
  readonly injected?: unknown;
  readonly toolset?: Toolset;
}

/** The parts of an executor that its calls use. */
export interface CallExecutor {
  readonly helpers: BuiltInTools;
  readonly tasks: ExecutorTasks;
  /** The tools that a model may be given for this caller. */
  advertised(caller: Caller | undefined): Toolset;
  /** The same with the tools that are not for models. */
  permitted(caller: Caller | undefined): Toolset;
  startRun(options: StartedRun): RunState;
}

/** Services that the stages share: an executor's settings, and objects with its lifetime. */
export interface ExecutorServices {
  readonly executor: CallExecutor;
  readonly registry: ToolRegistry;
  /** Every policy must allow a call; narrower ones are added per call. */
  readonly policies: readonly PolicyLayer[];
  readonly onAsk: ApprovalMode;
  /** Time for limits, deadlines and durations. */
  readonly clock: Clock;
  /** Time of day for stored and emitted values. A clock of the host serves as both. */
  readonly wallClock: Clock;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly maxOutputBytes: number;
  readonly largeOutputs: Required<LargeOutputs>;
  readonly artifacts: Artifacts;
  readonly tasks: Tasks;
  /** Absent: the host has turned redaction off. For a call, use `execution.redactor`, which redacts more. */
  readonly redactor: SecretRedactor | undefined;
  /** Secrets registered with the executor. */
  readonly secrets: SecretSet;
  readonly frameOutputs: boolean;
  readonly undeclaredArguments: "schema" | "strip" | "reject";
  readonly hooks: HookPhases;
  readonly hookTimeoutMs: number;
  /** For tools without a policy of their own. */
  readonly retry: RetryPolicy | undefined;
  readonly normaliseArguments: boolean;
  readonly repair: Repair | undefined;
  readonly onInvalidCall: "return" | "fail";
  readonly schemas: SchemaCache;
  /** Absent: no rate limits. */
  readonly rates: RateLimits | undefined;
  readonly slots: Slots | undefined;
  /** Absent: no run is durable. */
  readonly ledger: CallLedger | undefined;
  readonly drain: Drain;
  readonly events: EventStream;
  /** Encrypts the calls that leave the process to wait for a person. */
  readonly seal: Seal;
  readonly pendingCalls: PendingCallStore;
  readonly liveCalls: LocalCalls;
  readonly grants: GrantStore;
  readonly grantSeal: GrantSeal;
  readonly argumentsHash: ArgumentsHash;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly audit: Audit | undefined;
}
