import type { Approval, Resumed } from "../../approvals/pending-call.ts";
import type { RecordedDecision } from "../../audit/audit-sink.ts";
import type { Answer, Interruption, RejectAnswer } from "../../contract/interruption.ts";
import type { Awaitable, JsonObject, JsonValue } from "../../json/json.ts";
import type { RegisteredTool, Toolset, NestedResumeOptions } from "../../contract/tool.ts";
import type { ToolCall } from "../../contract/tool-call.ts";
import type { PermissionRequest } from "../../contract/policy-definition.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import type { CallOptions } from "../../contract/call-options.ts";
import type { ExecutorServices } from "./services.ts";
import type { RunState } from "./run-state.ts";
import type { PolicyLayer } from "../../policy/decision.ts";
import type { LedgerClaim } from "../../ledger/call-ledger.ts";
import type { DurableRun } from "./durable-run.ts";
import type { SpendCarriedOver, Reservation, Slot } from "../../limits/limited-call.ts";
import type { TaskRecord } from "../../tasks/task-store.ts";
import type { ToolError } from "../../contract/tool-error.ts";
import type { ActiveCalls } from "./active-calls.ts";
import type { HookedCall } from "./hook.ts";
import type { Redactor } from "../../contract/redactor.ts";
import { redactorForCall } from "../../redaction/create-redaction.ts";
import type { CallIds } from "./call-ids.ts";
import { CallLifecycle } from "./call-lifecycle.ts";

/**
 * One step of the pipeline. It receives what the step before it returned, and ends the pipeline by throwing.
 */
export type Stage<In = never, Out = unknown> = (execution: CallState, given: In) => Awaitable<Out>;

/** A stage with its place in a pipeline. */
export interface PipelineStep {
  readonly stage: Stage;
  /** `undefined`: the last step. */
  readonly next: PipelineStep | undefined;
}

/** Functions that move calls through the pipeline. */
interface CallControl {
  /** The first step of a call in a run without limits, unless the call is part of a batch or resumed. */
  readonly pipeline: PipelineStep;
  /** The same in a run with limits. */
  readonly limitedPipeline: PipelineStep;
  /** Runs the pipeline, for calls that running tools make. */
  readonly execute: (execution: CallState) => Promise<ToolOutcome>;
  /** Ends the pipeline of a call that is stopped while it waits. */
  readonly failCall: (execution: CallState, reason: ToolError) => void;
  /** Ends a call that is stopped while it is leaving. */
  readonly endNow: (execution: CallState, reason: ToolError) => void;
  /** Ends a call for a defect that nothing else has handled. Never throws. */
  readonly abandonCall: (execution: CallState, defect: unknown) => void;
  /** Resumes a call that a running tool has made, and that waited for approval. */
  readonly resume: (
    parent: CallState,
    interruption: Interruption,
    options?: NestedResumeOptions,
  ) => Promise<ToolOutcome>;
  /** Starts another attempt, if one may follow. */
  readonly startRetry: (execution: CallState, error: ToolError) => boolean;
  readonly activeCalls: ActiveCalls<CallLifecycle>;
}

/** Services that the stages share: those of the executor, and the pipeline of its calls. */
export type CallServices = ExecutorServices & CallControl;

/** State from which a resumed call starts. */
export interface Resumption {
  readonly interruption: Interruption;
  /** A keyed hash of the final arguments that were displayed. */
  readonly argumentsHash: string;
  readonly arguments: JsonObject;
  readonly attempt: number;
  readonly approval?: Approval;
  /** A person has refused the call. */
  readonly rejected?: RejectAnswer;
  /** Name of the person who answered. */
  readonly by?: string;
  /** Set when the tool itself asked to wait: the state and the answers that it resumes with. */
  readonly suspended?: Resumed;
  /**
   * The answers to the interruption, when a retry of the same answers returns the same outcome. Not set for answers
   * that a tool passes on to a nested call: each of those is used once.
   */
  readonly answers?: readonly Answer[];
  /** The tool has changed since a person was asked about it. */
  readonly changed: boolean;
  /** The part of the call that the run has counted already; absent: none, or the call is resumed in another run. */
  readonly counted?: SpendCarriedOver;
  /** The interruption that each request of the tool has been answered for, by the ids of the requests. */
  readonly passedOn: Map<string, string>;
  /** Set when the interrupted run was durable. */
  readonly durable?: DurableRun;
  /** The task that is resumed. */
  readonly task?: TaskRecord;
  /** This process has claimed the call. */
  isClaimed: boolean;
}

/** Several calls that are made together. */
export interface CallBatch {
  /** Resolves when the call may start. */
  enter(call: CallState): Awaitable<void>;
  /** Removes a call that has ended, or does not start. */
  leave(call: CallState): void;
  /** Records the arguments of the call: of equal calls, the later ones are skipped. */
  note(call: CallState): void;
}

/**
 * Values that name a call for every process with the executor's key: those of a message, from which another process has to
 * find the call again.
 */
export type CallName = readonly JsonValue[];

/** Settings of one call, by its caller. */
export interface CallSettings extends Pick<CallOptions, "timeoutMs" | "onUpdate" | "asTask"> {
  /** Values for the call and for the calls below it. */
  readonly inherit?: ReadonlyMap<symbol, unknown> | undefined;
  /** Names the call for other processes, if it has to wait. */
  readonly callName?: CallName | undefined;
}

const noSettings: CallSettings = Object.freeze({});

/** One call in the pipeline: what it was made with, and the results of the stages so far. */
export class CallState extends CallLifecycle {
  readonly engine: CallServices;
  readonly run: RunState;
  readonly call: ToolCall;
  readonly toolset: Toolset;
  /** The policies of the call, narrowest last. */
  readonly policies: readonly PolicyLayer[];
  settings: CallSettings;
  readonly parent: CallState | undefined;
  readonly resumption: Resumption | undefined;

  /** Stages 1 to 7 only. No authorization event is emitted, since the call may never start. */
  onlyAdmitted = false;
  /** Set while the call is one of several made together. */
  batch: CallBatch | undefined;
  /** Stage 1. */
  entry: RegisteredTool | undefined;
  /** Stage 2: the arguments that the model sent, stripped. Hooks start from them again when a call is resumed. */
  admitted: JsonObject | undefined;
  /** Stages 3 to 6: the arguments for the tool; each attempt gets a copy of its own. */
  args: JsonObject | undefined;
  /** Stage 3: names of injected values that the model sent. */
  discarded: string[] | undefined;
  /** Stage 5. */
  counted = false;
  /** Stages 5 and 7: the other reservations of its limits. */
  reservation: Reservation | undefined;
  /** The call as hooks see it; created for the first hook. */
  hooked: HookedCall | undefined;
  /** Stage 7: the decision, when events or the audit need it. */
  decided: RecordedDecision | undefined;
  /** Stage 7: the permissions that the tool has requested. Only calls of tools with a preflight have it. */
  declare permissions?: readonly PermissionRequest[];
  /** Stage 7: the approval of a person. */
  approval: Approval | undefined;
  /** Set when the executor limits how many run. */
  slot: Slot | undefined;
  /** The last state that the tool has saved. */
  checkpoint: JsonValue | undefined;
  /** The output was longer than `maxCapturedBytes`. */
  truncated = false;
  /** The place of a promise in the returned value. Hardly a call has one: it takes no memory in the others. */
  declare promiseAt?: string;
  /** The claim in the ledger. Only calls of durable runs have it: it takes no memory in the others. */
  declare claim?: LedgerClaim | undefined;
  /** The outcome that the ledger has stored. */
  declare storedOutcome?: ToolOutcome;
  /** The number of earlier calls of the run that had its id. Only calls that repeat one have it. */
  declare earlierWithId?: number;
  /**
   * The places of integers that a JavaScript number cannot hold: after stage 2 of those that were written as numbers,
   * after stage 4 of all. The arguments have their digits as texts. Hardly a call has one.
   */
  declare longIntegers?: readonly string[] | undefined;
  /** The ids of the calls that the current attempt has made. */
  nestedIds: CallIds | undefined;
  /** For the event of the call's end. */
  warnings: string[] | undefined;

  constructor(
    engine: CallServices,
    run: RunState,
    call: ToolCall,
    toolset: Toolset,
    policies: readonly PolicyLayer[],
    settings: CallSettings = noSettings,
    parent?: CallState,
    resumption?: Resumption,
  ) {
    super();
    this.engine = engine;
    this.run = run;
    this.call = call;
    this.toolset = toolset;
    this.policies = policies;
    this.settings = settings;
    this.parent = parent;
    this.resumption = resumption;
    if (parent !== undefined) {
      this.detached = parent.detached;
      if (parent.time !== undefined) this.time = parent.time.forNested();
    }
  }

  /** Values that the run and the calls above have set for it. */
  get inheritedContext(): ReadonlyMap<symbol, unknown> {
    const { settings, parent, run } = this;
    const above = parent?.inheritedContext ?? run.inheritedContext;
    return new Map([...(above ?? []), ...(settings.inherit ?? [])]);
  }

  /** Redacts the secrets of this call from everything that leaves the executor. */
  get redactor(): Redactor | undefined {
    return redactorForCall(this);
  }

  /** The tool, after stage 1. */
  get tool(): RegisteredTool["tool"] {
    return (this.entry as RegisteredTool).tool;
  }

  /** The tool that the call names: a local tool of the tool that calls, or one of the toolset. */
  findEntry(): RegisteredTool | undefined {
    return this.parent?.findLocal(this.call.name) ?? this.toolset.callable(this.call.name);
  }

  /** A tool that only the tool of this call can call. */
  findLocal(name: string): RegisteredTool | undefined {
    const { entry } = this;
    const tool = entry?.tool.localTools?.find(({ spec }) => spec.name === name);
    return entry === undefined || tool === undefined
      ? undefined
      : { tool, source: entry.source, trusted: entry.trusted };
  }

  /** True when the call was made by the tool of `ancestor`, or below it. */
  isBelow(ancestor: CallState): boolean {
    let at = this.parent;
    while (at !== undefined && at !== ancestor) at = at.parent;
    return at !== undefined;
  }

  protected override fail(reason: ToolError): void {
    this.engine.failCall(this, reason);
  }

  protected override endNow(reason: ToolError): void {
    this.engine.endNow(this, reason);
  }

  override abandon(defect: unknown): void {
    this.engine.abandonCall(this, defect);
  }

  protected override retryAfter(error: ToolError): boolean {
    return this.engine.startRetry(this, error);
  }
}
