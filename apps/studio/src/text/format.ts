/** An amount with its noun: `1 tool`, `2,000 tools`. */
export function formatCount(amount: number, singular: string, plural = `${singular}s`): string {
  return `${amount.toLocaleString("en")} ${amount === 1 ? singular : plural}`;
}

/** A duration with the unit that suits it: `12 ms`, `1.4 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
}

/** The first digits of an id that is random, such as a UUID; another id as it is. */
export function shortId(id: string): string {
  return /^(?:[a-z]+_)?([\da-f]{8})[\da-f-]{24,28}$/.exec(id)?.[1] ?? id;
}

/** A size in bytes with the unit that suits it. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KiB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}

/** The distance to a time: `in 4 min`, `2 h ago`, `now`. */
export function formatRelative(time: number, now: number): string {
  const distance = Math.abs(time - now);
  if (distance < 5_000) return "now";
  const units = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "min"],
    [1000, "s"],
  ] as const;
  const [length, unit] = units.find(([length]) => distance >= length) ?? [1000, "s"];
  const amount = `${Math.floor(distance / length)} ${unit}`;
  return time > now ? `in ${amount}` : `${amount} ago`;
}

/** A time of this machine's zone: with the date where it is another day. */
export function formatTime(time: number, now: number = Date.now()): string {
  const date = new Date(time);
  const clock = date.toLocaleTimeString("en-GB");
  if (new Date(now).toDateString() === date.toDateString()) return clock;
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  return `${day}, ${clock}`;
}
