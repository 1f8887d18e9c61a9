import { createHash } from "node:crypto";
import type { Answer, Attempt, History } from "./history.ts";

/** An action of an agent beside its effects. Each is recorded in the effect log before the agent continues. */
export type AgentEvent =
  /** A worker starts or continues a run. `start` names this start of it, `epoch` is its number in the engine. */
  | {
      readonly event: "run";
      readonly runId: string;
      readonly worker: string;
      readonly start: string;
      readonly epoch?: number;
    }
  /** The run has ended in that worker, in whatever way. */
  | { readonly event: "run-end"; readonly start: string }
  /** A model of the run is asked: that of the agent, or that of its sub-agent. */
  | { readonly event: "turn"; readonly runId: string; readonly worker: string }
  /** A worker asks the ledger to begin a call. */
  | {
      readonly event: "begin";
      readonly runId: string;
      readonly callId: string;
      readonly worker: string;
      readonly attempt: string;
    }
  /** The ledger has the end of that attempt, or has not begun it. */
  | { readonly event: "end"; readonly attempt: string }
  /** A model reads the result of a call. */
  | {
      readonly event: "result";
      readonly runId: string;
      readonly callId: string;
      readonly worker: string;
      readonly text: string;
    };

/** An event with the time of the effect log. */
export type TimedAgentEvent = AgentEvent & { readonly time: number };

/** The tool of the calls that have effects. */
export const agentTool = "act";

/** The attempt that effects and results of a call have: one for all, so that a refused call may have no effect at all. */
export function toAgentAttempt(runId: string, callId: string): string {
  return `${runId}/${callId}`;
}

/** The calls and the budgets of agents, from their events in the order of their times. */
export function readAgentEvents(
  events: readonly TimedAgentEvent[],
  limit: number,
): Pick<History, "attempts" | "answers" | "budgets"> {
  const attempts: Attempt[] = [];
  const answers: Answer[] = [];
  const runs = new Map<string, { starts: number; turns: number }>();
  const runFor = (runId: string): { starts: number; turns: number } => {
    const run = runs.get(runId) ?? { starts: 0, turns: 0 };
    runs.set(runId, run);
    return run;
  };
  for (const event of events) {
    switch (event.event) {
      case "run":
        runFor(event.runId).starts++;
        break;
      case "turn":
        runFor(event.runId).turns++;
        break;
      case "begin": {
        const { runId, callId, worker, attempt: id, time: from } = event;
        attempts.push({ id, runId, callId, worker, from });
        break;
      }
      case "end": {
        const { attempt: id, time: until } = event;
        attempts.forEach((attempt, index) => {
          if (attempt.id === id) attempts[index] = { ...attempt, until };
        });
        break;
      }
      case "result":
        if (!isSuperseded(event.text)) answers.push(toAnswer(event));
    }
  }
  const budgets = [...runs].map(([agent, { starts, turns }]) => ({
    ...{ agent, limit },
    used: turns,
    recoveries: Math.max(0, starts - 1),
  }));
  return { attempts, answers, budgets };
}

/** A process that has lost the run to another one learns nothing about the call. */
function isSuperseded(text: string): boolean {
  return text.includes("another process has the run now");
}

function toAnswer({
  runId,
  callId,
  worker,
  text,
  time,
}: Extract<TimedAgentEvent, { event: "result" }>): Answer {
  const isUnknown = text.includes("its outcome is not known");
  const isCompleted = text.includes('"receipt"');
  return {
    ...{ runId, callId, worker, from: time, at: time },
    attempt: toAgentAttempt(runId, callId),
    tool: agentTool,
    status: isCompleted ? "completed" : "failed",
    ...(isUnknown ? { code: "outcome_unknown" } : {}),
    ...(/\b(?:was not run|has not run|nothing was run)\b/i.test(text)
      ? { hasNotRun: true as const }
      : {}),
    digest: createHash("sha256").update(text).digest("hex"),
    isStored: true,
  };
}
