import type { JsonValue } from "@toolweave/core";

/** The actions of a workflow through its engine. The same calls are made, in the same order, when it is repeated. */
export interface WorkflowSteps {
  /** The id of the workflow. */
  readonly id: string;
  /**
   * A number that grows when another process takes the workflow over. Absent: the engine has none, and only the ledger
   * keeps two processes from making the same call.
   */
  readonly epoch?: number;
  /** Fires when the workflow is cancelled, or must not continue in this process. */
  readonly signal: AbortSignal;
  /**
   * Runs `work` and stores its value, or returns the value that was stored before. A step whose process has ended runs
   * again. Steps that are called in the same tick run at the same time, numbered in the order of the calls; no other
   * step is called before all of them have ended.
   *
   * If another process may take over a workflow whose process is only slow, the engine stores no value of the slow one
   * and rejects its step: else both ask the model, and the limit of turns is exceeded.
   *
   * @param name for people who look at the workflow.
   */
  step<Value extends JsonValue>(name: string, work: () => Promise<Value>): Promise<Value>;
  /**
   * Waits for the message with that name, which may have been sent before.
   *
   * @param expiresAt milliseconds since the epoch.
   * @returns `undefined` when none was sent in time.
   */
  message(name: string, expiresAt: number): Promise<JsonValue | undefined>;
  /** Sets the value that `status` returns while the workflow runs. */
  publish(value: JsonValue): Promise<void>;
}

/** The state of a workflow. */
export type WorkflowStatus =
  /** It runs, waits, or waits for a process. `published`: the last value that it has published. */
  | { readonly status: "running"; readonly published: JsonValue | undefined }
  | { readonly status: "ended"; readonly output: JsonValue }
  /** It was cancelled through the engine. */
  | { readonly status: "cancelled" }
  /** The engine does not repeat it any more. */
  | { readonly status: "failed"; readonly message: string };

/** The workflows of one name. */
export interface EngineWorkflow {
  /** Starts a workflow. Nothing happens if there is one with that id. */
  start(id: string, input: JsonValue): Promise<void>;
  /** Sends a message. A second one with the same name has no effect. */
  send(id: string, name: string, message: JsonValue): Promise<void>;
  /** `undefined`: there is no workflow with that id. */
  status(id: string): Promise<WorkflowStatus | undefined>;
  /** Resolves when the workflow has ended, in whatever way. */
  ended(id: string): Promise<void>;
  /** Cancels a workflow. Nothing happens if it has ended. */
  cancel(id: string): Promise<void>;
}

/**
 * An engine that runs workflows and repeats them when their process has ended: `dbosEngine` of
 * `@toolweave/durable/dbos`, `restateEngine` of `@toolweave/durable/restate`, or one of your own. Every engine may run a
 * step twice; that a call starts at most once is ensured by the executor's ledger.
 */
export interface DurableEngine {
  /**
   * Registers the workflows of a name. Every process that can repeat them registers the same.
   *
   * @param run the workflow. If it rejects, it has no output: the engine repeats it, or reports that it failed.
   */
  workflow(
    name: string,
    run: (input: JsonValue, steps: WorkflowSteps) => Promise<JsonValue>,
  ): EngineWorkflow;
}
