import type { TimedAgentEvent } from "./agent-events.ts";
import type { Fault } from "./history.ts";

/** A run that its engine has given to another worker, as the engine reports it. */
export interface HandOver {
  readonly runId: string;
  /** The number of the start that has lost the run. */
  readonly epoch: number;
  /** When the engine took the run from its worker, in milliseconds of the machine. */
  readonly time: number;
}

/**
 * The hand-overs of runs whose worker was only slow. A run that had ended in its worker, or whose worker was killed
 * before, was not handed over by a slow worker. The fault lasts until the worker has ended the run or is killed, and is
 * one of that run alone.
 */
export function toHandOverFaults(
  handOvers: readonly HandOver[],
  events: readonly TimedAgentEvent[],
  faults: readonly Fault[],
): readonly Fault[] {
  const kills = new Map(
    faults.flatMap(({ kind, worker, from }) =>
      kind === "kill" && worker !== undefined ? [[worker, from] as const] : [],
    ),
  );
  const starts = new Map<string, Extract<TimedAgentEvent, { event: "run" }>>();
  const ends = new Map<string, number>();
  for (const event of events) {
    if (event.event === "run") starts.set(`${event.runId} ${event.epoch}`, event);
    if (event.event === "run-end") ends.set(event.start, event.time);
  }
  return handOvers.flatMap(({ runId, epoch, time: from }) => {
    // A worker that has not started the run has made no call.
    const started = starts.get(`${runId} ${epoch}`);
    if (started === undefined) return [];
    const { worker, start } = started;
    const until = Math.min(ends.get(start) ?? Infinity, kills.get(worker) ?? Infinity);
    return until < from ? [] : [{ kind: "hand-over" as const, worker, runId, from, until }];
  });
}
