import type { AgentUsage, TokenCounts } from "./agent-usage.ts";
import type { AgentResult } from "./agent-result.ts";

/** The agent of an event. */
interface Envelope {
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
export type AgentEvent = Envelope &
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

type Fields<Event> = Event extends AgentEvent ? Omit<Event, keyof Envelope> : never;

/** An event without its envelope. */
export type AgentEventFields = Fields<AgentEvent>;
export type { Envelope as AgentEventEnvelope };
