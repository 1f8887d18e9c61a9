import type { Answer, Suspension } from "../spec/interruption.ts";
import type { Awaitable, JsonObject, JsonValue } from "../spec/json.ts";
import type { RegisteredTool, Toolset } from "../registry/toolset.ts";
import type { ToolCall } from "../spec/tool-call.ts";
import type { ToolOutcome, ToolOutput } from "../spec/tool-result.ts";
import type { ToolRun } from "./tool-run.ts";
import type { PolicyPreset } from "../policy/policy.ts";
import { ToolError } from "../tool-error.ts";
import type { Batch } from "./batch.ts";
import type { Engine } from "./engine.ts";

/** What a person has agreed to: exactly these arguments and these permissions. */
export interface Approval {
  readonly arguments: string;
  readonly permissions: ReadonlySet<string>;
}

/** Why stage 7 let the call through. */
export interface Authorization {
  readonly decision: "allow" | "approved";
  readonly reason: string | undefined;
}

/** What a resumed call starts from. */
export interface Resumption {
  readonly arguments: JsonObject;
  readonly attempt: number;
  readonly approval?: Approval;
  readonly suspended?: { readonly state: JsonValue; readonly answers: readonly Answer[] };
}

/** One call on its way through the stages: what each of them found. */
export class Execution {
  readonly engine: Engine;
  readonly run: ToolRun;
  readonly call: ToolCall;
  readonly toolset: Toolset;
  /** Narrowest last. */
  readonly policies: readonly PolicyPreset[];
  readonly parent: Execution | undefined;
  readonly resumption: Resumption | undefined;
  /** A shorter timeout than the tool's, from the host. */
  timeoutMs: number | undefined;

  /** Stages 1 to 7 only: nobody is told that the call was allowed, since it may never start. */
  onlyAdmitted = false;
  /** Stage 1. */
  entry: RegisteredTool | undefined;
  /** Stage 2: what the model sent, stripped; hooks start from it again when a call is resumed. */
  admitted: JsonObject | undefined;
  /** Stages 3 to 6: what the tool will get. */
  args: JsonObject | undefined;
  /** Stage 3: names of injected values that the model sent. */
  discarded: string[] | undefined;
  /** Stage 5. */
  counted = false;
  /** Set while the call is one of several made together. */
  batch: Batch | undefined;
  /** Stage 7: what a person has agreed to. */
  approval: Approval | undefined;
  /** Stage 7 of a call that is only admitted: what to tell when it starts. */
  authorization: Authorization | undefined;
  /** Stage 8; 0: not started. */
  attempt = 0;
  startedAt = 0;
  returned: unknown;
  /** Stage 9. */
  output: ToolOutput | undefined;
  suspension: Suspension | undefined;
  warnings: string[] | undefined;
  checkpoint: JsonValue | undefined;
  ended = false;
  /** The tool has made calls of its own. */
  hasChildren = false;

  /** Links of the list of calls that wait. */
  previous: Execution | undefined;
  next: Execution | undefined;
  /** The stage that is waited for; -1: none. */
  waitingFor = -1;
  /** Milliseconds that the attempt may still be waited for; 0: no limit. */
  attemptMs = 0;
  /** Why the call was stopped from outside. */
  stopped: ToolError | undefined;
  /** Hands over what came of the call; set when it enters the pipeline. */
  settle!: (outcome: Awaitable<ToolOutcome>) => void;
  #controller: AbortController | undefined;

  constructor(
    engine: Engine,
    run: ToolRun,
    call: ToolCall,
    toolset: Toolset,
    policies: readonly PolicyPreset[],
    timeoutMs?: number,
    parent?: Execution,
    resumption?: Resumption,
  ) {
    this.engine = engine;
    this.run = run;
    this.call = call;
    this.toolset = toolset;
    this.policies = policies;
    this.timeoutMs = timeoutMs;
    this.parent = parent;
    this.resumption = resumption;
  }

  /** When waiting ends: milliseconds since the epoch. */
  get deadline(): number {
    return this.attemptMs === 0 ? Infinity : this.startedAt + this.attemptMs;
  }

  /** The tool, after stage 1. */
  get tool(): RegisteredTool["tool"] {
    return (this.entry as RegisteredTool).tool;
  }

  /** Made when first read: most tools never look. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.stopped !== undefined) this.#controller.abort(this.stopped);
    }
    return this.#controller.signal;
  }

  /** Stops the call, whatever it waits for, for the first reason given. */
  stop(reason: ToolError): void {
    if (this.ended || this.stopped !== undefined) return;
    this.stopped = reason;
    this.#controller?.abort(reason);
    if (this.hasChildren) this.stopChildren(reason);
    if (this.waitingFor !== -1) this.engine.leave(this, reason);
  }

  /** Stops what the tool has called and what that has called, whether or not those in between have ended. */
  stopChildren(reason: ToolError): void {
    for (const execution of [...this.engine.inFlight]) {
      if (execution.#isBelow(this)) execution.stop(reason);
    }
  }

  #isBelow(ancestor: Execution): boolean {
    let at = this.parent;
    while (at !== undefined && at !== ancestor) at = at.parent;
    return at !== undefined;
  }

  /** The attempt has used up its time. */
  expire(): void {
    this.stop(
      new ToolError(
        "timeout",
        `${this.call.name} did not answer within ${this.attemptMs} ms and was stopped. It may have done part of its work: check before calling it again.`,
      ),
    );
  }
}
