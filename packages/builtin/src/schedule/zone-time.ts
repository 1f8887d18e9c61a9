/** The offset of a time zone (IANA) from UTC at a moment, in milliseconds. */
export function getOffset(timeZone: string, moment: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of getFormat(timeZone).formatToParts(moment)) {
    parts[type] = Number(value);
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  return wall - Math.floor(moment / 1_000) * 1_000;
}

/** The names of IANA with three letters. ICU has others: BST is Dhaka there, and AST Anchorage. */
const shortNames = /^(?:CET|EET|EST|GMT|HST|MET|MST|PRC|ROC|ROK|UCT|UTC|WET)$/i;

/** Whether a text is the name of a time zone in the database of IANA, or an offset. */
export function isTimeZone(name: string): boolean {
  if (/^[a-z]{3}$/i.test(name) && !shortNames.test(name)) return false;
  try {
    getFormat(name);
    return true;
  } catch {
    return false;
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

function getFormat(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(timeZone, format);
  }
  return format;
}

const hourMs = 3_600_000;
/** Offsets of zones are between -12 and +14 hours, and some zones have skipped a day. */
const spanMs = 26 * hourMs;

/**
 * The moment of a local time, which is given as if it were in UTC. A time that comes twice is its first moment; one that
 * is skipped is the moment after the gap, or undefined if the clocks were set forward by 3 hours or more, which cron(8)
 * takes for a correction.
 */
export function toMoment(timeZone: string, wall: number): number | undefined {
  const before = getOffset(timeZone, wall - spanMs);
  const after = getOffset(timeZone, wall + spanMs);
  const found = [before, after, getOffset(timeZone, wall)]
    .map((offset) => wall - offset)
    .filter((moment) => moment + getOffset(timeZone, moment) === wall);
  if (found.length > 0) return Math.min(...found);
  if (Math.abs(after - before) >= 3 * hourMs) return undefined;
  let low = wall - spanMs;
  let high = wall + spanMs;
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2_000) * 1_000;
    if (getOffset(timeZone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}
