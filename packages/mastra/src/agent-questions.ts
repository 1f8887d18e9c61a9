import type { Interruption, ToolExecutor } from "@toolweave/core";
import { BoundedMap, perObject } from "@toolweave/core/integration";

interface KnownCalls {
  readonly runs: BoundedMap<string, AgentQuestions>;
  /** Ids of calls that were announced and have not begun. */
  readonly announced: BoundedMap<string, true>;
}

const knownCalls = perObject<ToolExecutor, KnownCalls>(() => ({
  runs: new BoundedMap(),
  announced: new BoundedMap(),
}));

/** Mastra is about to make a call. */
export function announce(executor: ToolExecutor, callId: string): void {
  knownCalls(executor).announced.set(callId, true);
}

/**
 * The questions of one agent run's calls that this process knows.
 *
 * Mastra passes an answer that names no call to every pending call, and does not tell them whether it named them. It
 * passes the answer to them in order, so the first call takes it, and the others recognise it.
 */
export class AgentQuestions {
  /** Calls that run or wait, in order. */
  readonly #calls = new Set<string>();
  readonly #open = new Map<string, Interruption>();
  readonly #answers = new Map<string, unknown>();
  readonly #announced: KnownCalls["announced"];

  static of(executor: ToolExecutor, runId: string): AgentQuestions {
    const { runs, announced } = knownCalls(executor);
    const questions = runs.get(runId) ?? new AgentQuestions(announced);
    runs.set(runId, questions);
    return questions;
  }

  constructor(announced: KnownCalls["announced"]) {
    this.#announced = announced;
  }

  /** The call begins, or resumes. */
  begin(callId: string): void {
    this.#announced.delete(callId);
    this.#calls.add(callId);
  }

  /** The call has ended. */
  end(callId: string): void {
    this.#calls.delete(callId);
    this.#open.delete(callId);
  }

  /** The calls before this one that have not ended. */
  before(callId: string): readonly string[] {
    const calls = [...this.#calls];
    return calls.slice(0, calls.indexOf(callId));
  }

  /**
   * True when an answer that the call got is meant for it.
   *
   * @param before the calls that came before it when it asked.
   */
  takes(callId: string, answer: unknown, before: readonly string[]): boolean {
    this.#answers.set(callId, answer);
    const isOfOthers = before.some((id) => this.#announced.has(id) || this.#got(id, answer));
    if (!isOfOthers) this.#open.delete(callId);
    return !isOfOthers;
  }

  /**
   * The question of a call that received an answer which another call had received before. Mastra may have lost the
   * call's suspend payload by then.
   */
  openBeside(callId: string, answer: unknown): Interruption | undefined {
    const isOfOthers = [...this.#answers.keys()].some(
      (id) => id !== callId && this.#got(id, answer),
    );
    return isOfOthers ? this.#open.get(callId) : undefined;
  }

  /** If the answer is no object, another answer may be equal. */
  #got(callId: string, answer: unknown): boolean {
    const isSame = this.#answers.has(callId) && this.#answers.get(callId) === answer;
    return isSame && (typeof answer === "object" || this.#calls.has(callId));
  }

  /** The call waits. */
  open(callId: string, interruption: Interruption): void {
    this.#open.set(callId, interruption);
  }

  /** The question of the first pending call. */
  get first(): Interruption | undefined {
    for (const callId of this.#calls) {
      const interruption = this.#open.get(callId);
      if (interruption !== undefined) return interruption;
    }
    return undefined;
  }
}
