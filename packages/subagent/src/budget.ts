import type { Clock, ClockTimer } from "@toolweave/core";
import {
  noUsage,
  type AgentLimit,
  type AgentLimits,
  type AgentUsage,
  type Counters,
} from "./agent-limits.ts";

/** A limit that has been reached. */
export interface LimitReached {
  readonly limit: AgentLimit;
  readonly max: number;
  /** It is that of an agent further up. */
  readonly isAbove: boolean;
}

/** The counted limits; elapsed time is not counted but measured. */
type Counts = Omit<AgentUsage, "durationMs">;
type Counted = Exclude<AgentLimit, "durationMs">;

/** A budget as the ones below it see it. */
export interface BudgetAbove {
  /** This budget or one above it limits tokens. */
  readonly countsTokens: boolean;
  /** The first of the limits that is used up, here or further up. */
  reached(limits: readonly Counted[]): LimitReached | undefined;
  /** Counts what has been used, here and further up. */
  add(counts: Partial<Counts>): void;
}

/**
 * The limits and the usage of one agent. Its usage counts against every budget above it, too, at once, so that no
 * number of sub-agents exceeds what is left there.
 */
export class Budget implements BudgetAbove {
  readonly #limits: AgentLimits;
  readonly #above: BudgetAbove | undefined;
  readonly #clock: Clock;
  readonly #used: Counters;
  /** When this stretch of work began, less what was worked before. */
  readonly #start: number;

  /** @param used what has been used before: it has been counted above already. */
  constructor(
    limits: AgentLimits,
    clock: Clock,
    above: BudgetAbove | undefined,
    used: AgentUsage = noUsage(),
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#above = above;
    this.#used = { ...used };
    this.#start = clock.now() - used.durationMs;
  }

  /** The usage until now. */
  get used(): AgentUsage {
    return { ...this.#used, durationMs: Math.max(0, this.#clock.now() - this.#start) };
  }

  get countsTokens(): boolean {
    return this.#limits.tokens !== undefined || this.#above?.countsTokens === true;
  }

  /** The limit that is reached when its own time is up. */
  get timeUp(): LimitReached {
    return { limit: "durationMs", max: this.#limits.durationMs ?? 0, isAbove: false };
  }

  /** Takes one turn, or returns the limit that prevents it. */
  takeTurn(): LimitReached | undefined {
    if (this.#leftMs === 0) return this.timeUp;
    const reached = this.reached(["turns", "tokens"]);
    if (reached === undefined) this.add({ turns: 1 });
    return reached;
  }

  /** Takes up to `wanted` calls; `reached`: there were fewer left. */
  takeCalls(wanted: number): {
    readonly taken: number;
    readonly reached: LimitReached | undefined;
  } {
    for (let taken = 0; taken < wanted; taken++) {
      const reached = this.reached(["toolCalls"]);
      if (reached !== undefined) return { taken, reached };
      this.add({ toolCalls: 1 });
    }
    return { taken: wanted, reached: undefined };
  }

  reached(limits: readonly Counted[]): LimitReached | undefined {
    for (const limit of limits) {
      const most = this.#limits[limit];
      if (most !== undefined && this.#getUsed(limit) >= most) {
        return { limit, max: most, isAbove: false };
      }
    }
    const above = this.#above?.reached(limits);
    return above === undefined ? undefined : { ...above, isAbove: true };
  }

  add(counts: Partial<Counts>): void {
    for (const name in counts)
      this.#used[name as keyof Counts] += counts[name as keyof Counts] ?? 0;
    this.#above?.add(counts);
  }

  /** Calls `end` when its own time is up; returns what stops that. */
  whenTimeIsUp(end: () => void): () => void {
    let timer: ClockTimer | undefined;
    const look = (): void => {
      const left = this.#leftMs;
      if (left === 0) end();
      // Longer waits do not fit the platform's timers.
      else timer = this.#clock.setTimeout(look, Math.min(left, 2 ** 31 - 1));
    };
    if (this.#limits.durationMs !== undefined) look();
    return () => {
      if (timer !== undefined) this.#clock.clearTimeout(timer);
    };
  }

  /** Infinity: no limit. */
  get #leftMs(): number {
    const { durationMs } = this.#limits;
    return durationMs === undefined
      ? Infinity
      : Math.max(0, this.#start + durationMs - this.#clock.now());
  }

  #getUsed(limit: Counted): number {
    const { inputTokens, outputTokens } = this.#used;
    return limit === "tokens" ? inputTokens + outputTokens : this.#used[limit];
  }
}

/** One sentence for the reader of a stopped agent's text: which limit was reached, and that the text is no answer. */
export function notCompletedText(reached: LimitReached | "output" | "content-filter"): string {
  return `The agent stopped before it was done: ${limitText(reached)}. This is not a completed answer.`;
}

function limitText(reached: Parameters<typeof notCompletedText>[0]): string {
  if (reached === "output") return "the model's own limit cut its answer off";
  if (reached === "content-filter") return "the model's provider withheld its answer";
  const { limit, max: most, isAbove } = reached;
  const who = isAbove ? "the agents above it have used their" : "it has used its";
  if (limit === "durationMs") return `it has worked for ${most} ms, which is all it may`;
  return `${who} ${most} ${limit === "toolCalls" ? "tool calls" : limit}`;
}
