import { formatRelative, formatTime } from "../text/format.ts";
import { useNow } from "./use-now.ts";

/** A time as its distance from now, with the time itself as a title. */
export function RelativeTime({ time }: { time: number }) {
  const date = new Date(time);
  const iso = Number.isNaN(date.getTime()) ? undefined : date.toISOString();
  return (
    <time dateTime={iso} title={formatTime(time)}>
      {formatRelative(time, useNow())}
    </time>
  );
}
