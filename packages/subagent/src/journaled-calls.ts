import {
  ToolError,
  type Answer,
  type Interruption,
  type ToolCall,
  type ToolOutcome,
  type Toolset,
} from "@toolweave/core";
import type { PendingCallStore } from "@toolweave/core/stores";
import { pause } from "@toolweave/core/adapter";
import { atOnce, type AgentCalls, type TurnOptions } from "./agent-limits.ts";
import type { JournalSteps } from "./agent-journal.ts";
import { adapter } from "./sub-agent-policy.ts";

/** Maximum number of attempts to resume a call while its store does not answer, or an ended process holds it. */
const maxAttempts = 120;
const delayMs = 1000;

/**
 * The calls of an agent with a journal: each is one step, in call order, and one that waits for a person continues
 * here. A call of a sub-agent is no step: its own turns and calls are.
 */
export class JournaledCalls implements AgentCalls {
  readonly #calls: AgentCalls;
  readonly #steps: JournalSteps;
  readonly #signal: AbortSignal;
  #toolset: Toolset | undefined;

  constructor(calls: AgentCalls, steps: JournalSteps, signal: AbortSignal) {
    this.#calls = calls;
    this.#steps = steps;
    this.#signal = signal;
  }

  get turns(): TurnOptions {
    return this.#calls.turns;
  }

  callId(modelId: string): string {
    return this.#calls.callId(modelId);
  }

  nextTurn(): Toolset {
    return (this.#toolset = this.#calls.nextTurn());
  }

  execute(call: ToolCall): Promise<ToolOutcome> {
    return this.#calls.execute(call);
  }

  async executeAll(calls: readonly ToolCall[]): Promise<readonly ToolOutcome[]> {
    if (this.turns.stopWhen !== undefined) {
      throw new ToolError(
        "invalid_configuration",
        "An agent with a journal cannot have stopWhen; leave it out.",
      );
    }
    const outcomes: ToolOutcome[] = [];
    const size = atOnce(this.turns);
    while (outcomes.length < calls.length) {
      const rest = calls.slice(outcomes.length);
      const subAgent = rest.findIndex((call) => this.#isSubAgent(call));
      if (subAgent === 0) {
        // One at a time: the steps of two at once would have no fixed order.
        outcomes.push(await this.#subAgent(rest[0] as ToolCall));
        continue;
      }
      const group = rest.slice(0, Math.min(size, subAgent === -1 ? rest.length : subAgent));
      outcomes.push(...(await Promise.all(group.map((call) => this.#single(call)))));
    }
    return this.#answered(calls, outcomes);
  }

  /** No call of a journaled agent is pending when its turn ends. */
  refusal(): undefined {
    return undefined;
  }

  resume(): undefined {
    return undefined;
  }

  #isSubAgent({ name }: ToolCall): boolean {
    const entry = this.#toolset?.callable(name);
    if (entry?.trusted !== true || entry.tool.delegates !== true) return false;
    return entry.tool.spec.provenance.adapter === adapter;
  }

  async #single(call: ToolCall): Promise<ToolOutcome> {
    const work = () => this.#calls.execute(call);
    return (await this.#steps.outcome(`call ${getId(call)}`, this.#signal, work)) as ToolOutcome;
  }

  /**
   * Runs a sub-agent. Its call is admitted in a step of its own, and its end is stored when its last step has ended, so
   * that its result stays the same.
   */
  async #subAgent(call: ToolCall): Promise<ToolOutcome> {
    const steps = this.#steps;
    const id = getId(call);
    if (this.#calls.admit !== undefined) {
      const admit = this.#calls.admit.bind(this.#calls, call);
      const refused = await steps.outcome(`admit ${id}`, this.#signal, admit);
      if (refused !== undefined) return refused;
    }
    steps.open(id);
    const outcome = await this.#calls.execute(call);
    // Its own error would hide that the agent must not continue here.
    steps.throwIfBroken();
    const stored = async (): Promise<ToolOutcome> => outcome;
    return (await steps.outcome(`call ${id}`, this.#signal, stored)) as ToolOutcome;
  }

  /** Waits until the calls that wait for people have been answered, in call order, and resumes each once. */
  async #answered(
    calls: readonly ToolCall[],
    outcomes: readonly ToolOutcome[],
  ): Promise<readonly ToolOutcome[]> {
    const ended = [...outcomes];
    for (const [index, call] of calls.entries()) {
      let outcome = ended[index] as ToolOutcome;
      for (let n = 1; outcome.status === "interrupted"; n++) {
        const { interruption } = outcome;
        const all = ended.flatMap((one) =>
          one.status === "interrupted" ? [one.interruption] : [],
        );
        const name = `answers ${getId(call)} ${n}`;
        const answers = await this.#steps.answers(name, interruption, all);
        const work = async (): Promise<ToolOutcome> => this.#resumed(interruption, answers ?? []);
        const resumed = await this.#steps.outcome(`resume ${getId(call)} ${n}`, this.#signal, work);
        outcome = ended[index] = resumed as ToolOutcome;
      }
    }
    return ended;
  }

  /** Resumes a call. One whose answers are not valid still waits. */
  async #resumed(interruption: Interruption, answers: readonly Answer[]): Promise<ToolOutcome> {
    const { resume, pendingCalls, clock } = this.#steps.resume;
    for (let attempt = 1; ; attempt++) {
      const outcome = await resume(interruption, answers, this.#signal);
      if (outcome.status !== "failed" || attempt === maxAttempts) return outcome;
      const { code } = outcome.error;
      if (code !== "approval_invalid" && code !== "store_unavailable") return outcome;
      const status = await getStatus(pendingCalls, interruption);
      const isExpired = clock.now() >= interruption.expiresAt;
      if (status === "pending" && code === "approval_invalid" && !isExpired) {
        return { status: "interrupted", interruption } as ToolOutcome;
      }
      // Claimed: by the process that has ended while it resumed the call, until its lease expires.
      if (code === "approval_invalid" && status !== "claimed") return outcome;
      await pause(delayMs, { clock, signal: this.#signal });
      this.#signal.throwIfAborted();
    }
  }
}

async function getStatus(
  pendingCalls: PendingCallStore,
  { id }: Interruption,
): Promise<string | undefined> {
  try {
    return (await pendingCalls.get(id))?.status;
  } catch {
    return "claimed";
  }
}

/** The loop gives every call its id. */
function getId({ id }: ToolCall): string {
  return id as string;
}
