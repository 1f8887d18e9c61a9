import type { ToolScope } from "@toolweave/core/adapter";
import type { JournalSteps } from "./agent-journal.ts";
import type { BudgetAbove } from "./budget.ts";
import type { AgentUsage, TokenCounts } from "./agent-limits.ts";
import type { AgentResult } from "./agent-state.ts";

/** Under which an agent leaves itself for those below it. One for all copies of this package. */
const key = Symbol.for("toolweave.agent");

/** An agent as those below it see it. */
export interface AgentAbove {
  readonly runId: string;
  readonly depth: number;
  /** How many levels of sub-agents there may be below it. */
  readonly levels: number;
  readonly budget: BudgetAbove;
  /** There is a listener for events. */
  readonly hasListener: boolean;
  /** The journal of the run. */
  readonly steps: JournalSteps | undefined;
  /** Emits an event of an agent below it. */
  forward(event: AgentEvent): void;
}

/** The agent that has made the call, however many other tools are in between. */
export function agentAbove(scope: ToolScope): AgentAbove | undefined {
  return scope.inheritedContext.get(key) as AgentAbove | undefined;
}

/** One agent in the tree of those that work for one another. */
export class AgentNode implements AgentAbove {
  readonly depth: number;
  readonly levels: number;
  readonly budget: BudgetAbove;
  readonly steps: JournalSteps | undefined;
  readonly #envelope: AgentEventEnvelope;
  readonly #onEvent: ((event: AgentEvent) => void) | undefined;
  #ended = false;

  constructor(
    envelope: AgentEventEnvelope,
    levels: number,
    budget: BudgetAbove,
    onEvent: ((event: AgentEvent) => void) | undefined,
    steps?: JournalSteps,
  ) {
    this.depth = envelope.depth;
    this.levels = levels;
    this.budget = budget;
    this.#envelope = envelope;
    this.#onEvent = onEvent;
    this.steps = steps;
  }

  get runId(): string {
    return this.#envelope.runId;
  }

  get hasListener(): boolean {
    return this.#onEvent !== undefined;
  }

  /** The values that its calls inherit. */
  get inheritedContext(): ReadonlyMap<symbol, unknown> {
    return new Map([[key, this]]);
  }

  forward(event: AgentEvent): void {
    if (this.#ended) return;
    try {
      const answer: unknown = this.#onEvent?.(event);
      if (answer instanceof Promise) answer.catch(() => {});
    } catch {
      // An observer's failure has no effect.
    }
  }

  /** Emits an event of its own. */
  emit(fields: AgentEventFields): void {
    if (this.#onEvent !== undefined) this.forward({ ...this.#envelope, ...fields } as AgentEvent);
  }

  /** Stops emitting its own events and those of agents below it. */
  end(): void {
    this.#ended = true;
  }
}

/** The agent of an event. */
interface AgentEventEnvelope {
  /** The agent's own run: of `runAgent` that of its calls, of a sub-agent its `childRunId`. */
  readonly runId: string;
  /** The run of the agent above, and the call of it that this one is. */
  readonly parentRunId?: string;
  readonly parentCallId?: string;
  /** A sub-agent's name. */
  readonly agent?: string;
  /** 0 for `runAgent`, 1 for its sub-agents, and so on. */
  readonly depth: number;
}

/**
 * The events of an agent and its sub-agents. A sub-agent's events lie between the `tool.called` and the `tool.ended` of
 * the outer agent. After `agent.ended` there is no event of its run; an agent that resumes after an interruption begins
 * with `agent.resumed`. The executor emits the events of the calls themselves through `executor.on`, under the same
 * call ids.
 */
export type AgentEvent = AgentEventEnvelope &
  (
    | { readonly type: "agent.started" | "agent.resumed" }
    | { readonly type: "turn.started"; readonly turn: number }
    /** A piece of the model's text or reasoning, as it arrives. */
    | { readonly type: "text.delta" | "reasoning.delta"; readonly delta: string }
    | {
        readonly type: "turn.ended";
        readonly turn: number;
        /** The tokens that this turn has used. */
        readonly usage: TokenCounts;
        /** Why the model stopped: `stop`, `tool-calls`, `length`, … */
        readonly finishReason: string;
      }
    | { readonly type: "tool.called"; readonly callId: string; readonly tool: string }
    | {
        readonly type: "tool.ended";
        readonly callId: string;
        readonly tool: string;
        readonly status: "completed" | "failed" | "interrupted";
        readonly isError: boolean;
      }
    | {
        readonly type: "agent.ended";
        readonly status: AgentResult["status"];
        readonly usage: AgentUsage;
      }
  );

type Fields<Event> = Event extends AgentEvent ? Omit<Event, keyof AgentEventEnvelope> : never;

/** An event without its envelope. */
type AgentEventFields = Fields<AgentEvent>;
