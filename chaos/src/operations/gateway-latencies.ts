import type { Effect } from "../history/history.ts";
import { endMarks } from "../worker/gateway-settings.ts";

/** A cancellation at a gateway. Times are milliseconds of this machine. */
export interface CancelSample {
  readonly callId: string;
  readonly gateway: string;
  readonly from: number;
}

/** A request for a task, to a gateway, that was answered with its end. */
export interface WaitSample {
  readonly callId: string;
  readonly gateway: string;
  readonly at: number;
}

/** A time in which a process was ending or starting. */
export interface Disturbance {
  readonly from: number;
  readonly until: number;
}

/** The events, with their times. */
interface Samples {
  readonly cancels: readonly CancelSample[];
  readonly waits: readonly WaitSample[];
  /** The entries of the effect log with which tasks have marked their ends. */
  readonly marks: readonly Effect[];
  readonly disturbances: readonly Disturbance[];
}

/**
 * The times, in milliseconds, until a task is stopped that was cancelled at another gateway, and until a client of
 * another gateway that polls every 50 ms knows that a task has ended. Only those count during which no process was
 * ending or starting.
 */
export function measureLatencies({
  cancels,
  waits,
  marks,
  disturbances,
}: Samples): Readonly<Record<string, number>> {
  const isQuiet = (from: number, until: number): boolean =>
    disturbances.every((one) => one.until < from || one.from > until);
  const findMark = (callId: string, gateway: string, tool: string): Effect | undefined =>
    marks.find((one) => one.callId === callId && one.tool === tool && one.worker !== gateway);
  const stopped = cancels.flatMap(({ callId, gateway, from }) => {
    const mark = findMark(callId, gateway, endMarks.stopped);
    return mark !== undefined && isQuiet(from, mark.time) ? [mark.time - from] : [];
  });
  const heard = waits.flatMap(({ callId, gateway, at }) => {
    const mark = findMark(callId, gateway, endMarks.ended);
    return mark !== undefined && isQuiet(mark.time, at) ? [at - mark.time] : [];
  });
  return {
    cancels: stopped.length,
    ...(stopped.length === 0
      ? {}
      : {
          cancelMedianMs: quantile(stopped, 0.5),
          cancelP95Ms: quantile(stopped, 0.95),
          cancelMaxMs: quantile(stopped, 1),
        }),
    waits: heard.length,
    ...(heard.length === 0 ? {} : { waitP95Ms: quantile(heard, 0.95) }),
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}
