import type { HttpHeaders } from "./http-response.ts";

const maxTimerMs = 2_147_483_647;

/**
 * Parses `Retry-After` as milliseconds from `now` (milliseconds since 1970): seconds or an HTTP date (RFC 9110, section
 * 10.2.3). A date is relative to the server's own `Date` when it sent one, so that a wrong clock does not matter. The
 * result is never negative and at most the maximum of a timer (24 days); `undefined` when the header is absent or
 * unreadable.
 */
export function retryAfterMs(headers: HttpHeaders, now: number = Date.now()): number | undefined {
  const value = single(headers["retry-after"])?.trim();
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, maxTimerMs);
  const until = httpDate(value);
  if (until === undefined) return undefined;
  const from = httpDate(single(headers["date"])) ?? now;
  return Math.min(Math.max(until - from, 0), maxTimerMs);
}

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}

function httpDate(text: string | undefined): number | undefined {
  // Date.parse alone also takes "1", "2026" and local times; all three forms of an HTTP date begin with a day's name.
  if (text === undefined || !/^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined;
  // The asctime format has no time zone, but is in UTC.
  const time = Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
