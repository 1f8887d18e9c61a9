import { ToolError } from "@toolweave/core";
import type { JobSchedule } from "@toolweave/core/stores";
import { getOffset, isTimeZone, toMoment } from "./zone-time.ts";

/**
 * The first slot of a schedule after a moment (milliseconds since the epoch). Undefined: there is none any more.
 *
 * For an expression, the local time of its zone decides, as in cron(8) of Debian: a time that is skipped when clocks are
 * set forward runs at the first moment after the gap, and one that comes twice when they are set back runs once. An
 * expression with a wildcard for minutes or hours runs by the clock of each moment.
 */
export async function nextSlot(schedule: JobSchedule, after: number): Promise<number | undefined> {
  if ("at" in schedule) return schedule.at > after ? schedule.at : undefined;
  if ("everyMs" in schedule) {
    const { everyMs, from } = schedule;
    return after < from ? from : from + (Math.floor((after - from) / everyMs) + 1) * everyMs;
  }
  const { cron, timeZone } = schedule;
  if (isFrequent(cron)) {
    return (await parseCron(cron, timeZone)).nextRun(new Date(after))?.getTime();
  }
  // Checks the zone as well.
  await parseCron(cron, timeZone);
  const walls = await parseCron(cron, "UTC");
  // A slot that was skipped by the clocks comes after the gap.
  let wall = new Date(after + getOffset(timeZone, after) - maxGapMs);
  for (;;) {
    const next = walls.nextRun(wall);
    if (next === null) return undefined;
    const moment = toMoment(timeZone, next.getTime());
    if (moment !== undefined && moment > after) return moment;
    wall = next;
  }
}

/** Longer gaps are corrections of the clock for cron(8). */
const maxGapMs = 3 * 3_600_000;

/** Whether an expression has a wildcard for minutes or hours: cron(8) runs it by the clock of each moment. */
function isFrequent(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  if (fields.length === 1) return /^@hourly$/i.test(cron.trim());
  const [minute = "", hour = ""] = fields.length > 5 ? fields.slice(1) : fields;
  return minute.startsWith("*") || hour.startsWith("*");
}

/** Slots of an expression may be no closer than this: milliseconds. */
const minInterval = 60_000;

/**
 * Checks a schedule, and finds its first slots.
 *
 * @throws ToolError `invalid_arguments` for one that is no expression, has no zone, no slot, or too many of them.
 */
export async function firstSlots(
  schedule: JobSchedule,
  after: number,
  count: number,
): Promise<readonly [number, ...number[]]> {
  const slots: number[] = [];
  for (let slot = await nextSlot(schedule, after); slot !== undefined && slots.length < count;) {
    slots.push(slot);
    slot = await nextSlot(schedule, slot);
  }
  const [first, ...others] = slots;
  if (first === undefined) {
    throw new ToolError("invalid_arguments", "The schedule has no time that is still to come.");
  }
  const isTooClose = others.some((slot, index) => slot - (slots[index] as number) < minInterval);
  if (isTooClose) {
    throw new ToolError(
      "invalid_arguments",
      `The schedule runs more often than every ${minInterval / 1_000} s. Choose a longer interval.`,
    );
  }
  return [first, ...others];
}

async function parseCron(
  expression: string,
  timeZone: string,
): Promise<{ nextRun(after: Date): Date | null }> {
  const { Cron } = await import("croner");
  const parse = (pattern: string): InstanceType<typeof Cron> =>
    new Cron(pattern, { timezone: timeZone, paused: true, domAndDow: needsBothDays(pattern) });
  const refuse = (fault: string): ToolError =>
    new ToolError(
      "invalid_arguments",
      `"${expression}" in ${timeZone} is no schedule: ${fault} Write minute, hour, day, month and weekday, such as "30 9 * * 1-5".`,
    );
  if (!isTimeZone(timeZone))
    throw refuse("IANA has no time zone of this name, and Europe/London is one.");
  try {
    return parse(expression);
  } catch {
    throw refuse(findCronFault(expression, (pattern) => void parse(pattern)));
  }
}

const fieldRanges = [
  ["minute", "0 to 59"],
  ["hour", "0 to 23"],
  ["day", "1 to 31"],
  ["month", "1 to 12, or JAN to DEC"],
  ["weekday", "0 to 7, or SUN to SAT"],
] as const;

/** Names the field that is wrong: the messages of the parser count from other numbers than a reader. */
function findCronFault(expression: string, parse: (pattern: string) => void): string {
  const fields = expression.trim().split(/\s+/);
  if (fields.length < fieldRanges.length) return `It has ${fields.length} of 5 fields.`;
  const seconds = fields.length - fieldRanges.length;
  for (const [index, [name, range]] of fieldRanges.entries()) {
    const field = fields[seconds + index] ?? "";
    try {
      parse(fieldRanges.map((_, other) => (other === index ? field : "*")).join(" "));
    } catch {
      return `The ${name} "${field}" is not valid; it takes ${range}.`;
    }
  }
  return "It has a field that is not valid.";
}

/**
 * Whether a day has to match both fields, that of the month and that of the week: as in cron(8), if one of them begins
 * with an asterisk, such as every second day. Otherwise one of them is enough.
 */
function needsBothDays(expression: string): boolean {
  const [weekday = "", , day = ""] = expression.trim().split(/\s+/).toReversed();
  return day.startsWith("*") || weekday.startsWith("*");
}
