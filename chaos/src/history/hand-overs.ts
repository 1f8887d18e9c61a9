import type { TimedAgentEvent } from "./agent-events.ts";
import type { Fault } from "./history.ts";

/** A run that its engine has given to another worker, as the engine reports it. */
export interface HandOver {
  readonly runId: string;
  /** When the engine took the run from its worker, in milliseconds of the machine. */
  readonly time: number;
}

/** One start of a run, from its begin until it has ended in its worker, or the worker was killed. */
interface Start {
  readonly runId: string;
  readonly worker: string;
  readonly from: number;
  readonly until: number;
}

/**
 * The hand-overs of runs whose worker was only slow. A run that had ended in its worker, or whose worker was killed
 * before, was not handed over by a slow worker. The fault lasts until the worker has ended the run, and is one of that
 * run alone.
 */
export function toHandOverFaults(
  handOvers: readonly HandOver[],
  events: readonly TimedAgentEvent[],
  faults: readonly Fault[],
): readonly Fault[] {
  const starts = readStarts(events, faults);
  const found = new Map<Start, Fault>();
  for (const { runId, time } of handOvers) {
    const start = starts.findLast(({ from, ...other }) => other.runId === runId && from <= time);
    // A worker that has taken the job, and has not started the run, has made no call.
    if (start === undefined || start.until < time || found.has(start)) continue;
    const { worker, until } = start;
    found.set(start, { kind: "hand-over", worker, runId, from: time, until });
  }
  return [...found.values()];
}

function readStarts(
  events: readonly TimedAgentEvent[],
  faults: readonly Fault[],
): readonly Start[] {
  const kills = new Map(
    faults.flatMap(({ kind, worker, from }) =>
      kind === "kill" && worker !== undefined ? [[worker, from] as const] : [],
    ),
  );
  const ends = new Map(
    events.flatMap((event) =>
      event.event === "run-end" ? [[event.start, event.time] as const] : [],
    ),
  );
  return events.flatMap((event) => {
    if (event.event !== "run") return [];
    const { runId, worker, start, time: from } = event;
    const until = Math.min(ends.get(start) ?? Infinity, kills.get(worker) ?? Infinity);
    return [{ runId, worker, from, until }];
  });
}
