import type { ToolScope } from "@toolweave/core/adapter";
import type { AgentEvent, AgentEventEnvelope, AgentEventFields } from "./agent-event.ts";
import type { BudgetAbove } from "./budget.ts";

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
  readonly #envelope: AgentEventEnvelope;
  readonly #onEvent: ((event: AgentEvent) => void) | undefined;
  #ended = false;

  constructor(
    envelope: AgentEventEnvelope,
    levels: number,
    budget: BudgetAbove,
    onEvent: ((event: AgentEvent) => void) | undefined,
  ) {
    this.depth = envelope.depth;
    this.levels = levels;
    this.budget = budget;
    this.#envelope = envelope;
    this.#onEvent = onEvent;
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
