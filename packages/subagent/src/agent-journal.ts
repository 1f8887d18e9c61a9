import {
  ToolError,
  type Answer,
  type Clock,
  type FailedOutcome,
  type Interruption,
  type JsonValue,
  type ToolErrorCode,
  type ToolOutcome,
} from "@toolweave/core";
import type { PendingCallStore } from "@toolweave/core/stores";
import { outcomeFromJson, outcomeJson } from "@toolweave/core/integration";
import type { ModelAnswer, StoredAnswer } from "./model-answer.ts";

/**
 * Stores the answers of models and the outcomes of calls outside of the process, so that another process repeats an
 * agent whose process has ended: `@toolweave/durable` makes one of a workflow engine. When the agent is repeated, the
 * methods are called in the same order, with the same names.
 */
export interface AgentJournal {
  /** Names the agent's run. The same each time that the agent is repeated. */
  readonly runId: string;
  /** The number of the process that holds the run: see `DurableRun.epoch`. */
  readonly epoch?: number;
  /**
   * Runs one step and stores its value, or returns the value that was stored before. A step whose process has ended
   * runs again. Rejects only if the agent must not continue in this process; `runAgent` rejects with the same error.
   *
   * @param name unique in the run.
   */
  step<Value extends JsonValue>(name: string, work: () => Promise<Value>): Promise<Value>;
  /**
   * Waits for a person.
   *
   * @param name unique in the run.
   * @param interruption of the call that waits.
   * @param all interruptions of the turn that wait, this one included.
   * @returns `undefined` when the interruption has expired without an answer.
   */
  answers(
    name: string,
    interruption: Interruption,
    all: readonly Interruption[],
  ): Promise<readonly Answer[] | undefined>;
}

/** Maximum length of one stored value: 4 Mi. */
const maxLength = 4 * 2 ** 20;

/** A call that failed before anything could be stored of it. */
interface StoredError {
  readonly code: ToolErrorCode;
  readonly message: string;
}

/** How a call that waited for a person continues. */
export interface JournaledResume {
  resume(
    interruption: Interruption,
    answers: readonly Answer[],
    signal: AbortSignal,
  ): Promise<ToolOutcome>;
  readonly pendingCalls: PendingCallStore;
  readonly clock: Clock;
}

/** The state that all agents of a run share. */
interface SharedJournal {
  readonly journal: AgentJournal;
  readonly resume: JournaledResume;
  /** The calls of sub-agents that are repeated, by their ids. */
  readonly subAgents: Map<string, JournalSteps>;
  /** The error with which the journal has rejected: nothing may be done after it. */
  broken: { readonly error: unknown } | undefined;
}

/** The steps of one agent in the journal of its run. */
export class JournalSteps {
  /**
   * The time that the agent has worked, in the sum of its steps: the same when it is repeated. Its timers never fire, so
   * that limits of time are checked between steps only.
   */
  readonly clock: Clock;
  /** Names the agent's run. */
  readonly runId: string;
  readonly #shared: SharedJournal;
  readonly #prefix: string;
  readonly #above: JournalSteps | undefined;
  #elapsedMs = 0;
  #turns = 0;

  private constructor(shared: SharedJournal, runId: string, prefix: string, above?: JournalSteps) {
    this.#shared = shared;
    this.#prefix = prefix;
    this.#above = above;
    this.runId = runId;
    this.clock = {
      now: () => this.#elapsedMs,
      setTimeout: () => ({}),
      clearTimeout: () => {},
    };
  }

  static of(journal: AgentJournal, resume: JournaledResume): JournalSteps {
    const shared = { journal, resume, subAgents: new Map(), broken: undefined };
    return new JournalSteps(shared, journal.runId, "");
  }

  get resume(): JournaledResume {
    return this.#shared.resume;
  }

  /** The steps of the sub-agent that a call is, whose steps are stored as those of this agent are. */
  open(callId: string): JournalSteps {
    const { subAgents } = this.#shared;
    const runId = `${this.#shared.journal.runId}/${callId}`;
    const steps = new JournalSteps(this.#shared, runId, `${callId}/`, this);
    subAgents.set(callId, steps);
    return steps;
  }

  /** The steps that were opened for the call. */
  opened(callId: string): JournalSteps | undefined {
    return this.#shared.subAgents.get(callId);
  }

  /** Rejects with the error of the journal, if it has failed. */
  throwIfBroken(): void {
    const { broken } = this.#shared;
    if (broken !== undefined) throw broken.error;
  }

  /** An answer of the model: asked for, or as it was stored. */
  async turn(answer: ModelAnswer, signal: AbortSignal, ask: () => Promise<void>): Promise<void> {
    this.#turns += 1;
    const json = await this.#step(`${this.#prefix}turn ${this.#turns}`, async () => {
      let error: StoredError | undefined;
      try {
        await ask();
      } catch (cause) {
        signal.throwIfAborted();
        if (!ToolError.is(cause)) throw cause;
        error = { code: cause.code, message: cause.message };
      }
      return turnJson(answer.stored(), error);
    });
    const stored = JSON.parse(json) as StoredTurn;
    answer.restore(stored.answer);
    if (stored.error !== undefined) throw new ToolError(stored.error.code, stored.error.message);
  }

  /** The outcome of a call: of the work, or as it was stored. `undefined`: the work has none. */
  async outcome(
    name: string,
    signal: AbortSignal,
    work: () => Promise<ToolOutcome | undefined>,
  ): Promise<ToolOutcome | undefined> {
    const stored = await this.#step(name, async () => {
      const outcome = await work();
      // The outcome of a call that was cut off with its process is not the outcome of the call.
      signal.throwIfAborted();
      return outcome === undefined ? null : (outcomeJson(outcome, maxLength) ?? tooLarge(outcome));
    });
    return stored === null ? undefined : outcomeFromJson(stored);
  }

  /** Waits for a person's answers. */
  async answers(
    name: string,
    interruption: Interruption,
    all: readonly Interruption[],
  ): Promise<readonly Answer[] | undefined> {
    const { journal } = this.#shared;
    return this.#guarded(() => journal.answers(name, interruption, all));
  }

  async #step<Value extends JsonValue>(name: string, work: () => Promise<Value>): Promise<Value> {
    const { journal, resume } = this.#shared;
    const { clock } = resume;
    const stored = await this.#guarded(() =>
      journal.step(name, async () => {
        const start = clock.now();
        const value = await work();
        return { value, ms: Math.max(0, clock.now() - start) };
      }),
    );
    this.#add(stored.ms);
    return stored.value as Value;
  }

  /** The time of a sub-agent counts for the agents above it, too. */
  #add(ms: number): void {
    this.#elapsedMs += ms;
    if (this.#above !== undefined) this.#above.#add(ms);
  }

  async #guarded<Value>(work: () => Promise<Value>): Promise<Value> {
    this.throwIfBroken();
    try {
      return await work();
    } catch (error) {
      this.#shared.broken ??= { error };
      throw error;
    }
  }
}

type StoredTurn = { readonly answer: StoredAnswer; readonly error?: StoredError };

function turnJson(answer: StoredAnswer, error: StoredError | undefined): string {
  const turn: StoredTurn = error === undefined ? { answer } : { answer, error };
  const json = JSON.stringify(turn);
  if (json.length <= maxLength) return json;
  const { usage, finishReason } = answer;
  const tooLong: StoredTurn = {
    answer: { content: [], calls: [], approvalIds: [], text: "", usage, finishReason },
    error: { code: "limit_exceeded", message: "The model's answer is too long to be stored." },
  };
  return JSON.stringify(tooLong);
}

function tooLarge({ result }: ToolOutcome): string {
  const message =
    "The tool did run, but its outcome is too large to be stored. Check what it did; it is not run again.";
  const error = new ToolError("limit_exceeded", message, { retryable: false });
  const { callId = "", toolName = "", durationMs = 0, timestamp = 0 } = result ?? {};
  const failed: FailedOutcome = {
    status: "failed",
    ok: false,
    error,
    result: {
      callId,
      toolName,
      content: [{ type: "text", text: message }],
      artifacts: [],
      isError: true,
      durationMs,
      timestamp,
    },
  };
  return outcomeJson(failed, maxLength) as string;
}
