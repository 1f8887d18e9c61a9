import { inFullRun } from "@toolweave/test-support";
import { describe, expect, test } from "vitest";
import { firstSlots, nextSlot } from "../../src/schedule/next-slot.ts";
import { isTimeZone } from "../../src/schedule/zone-time.ts";

/** The zones, each with a change of its clocks forward and one back, as days in UTC around them. */
const changes: readonly (readonly [zone: string, forward: string, back: string])[] = [
  ["Europe/Berlin", "2026-03-28", "2026-10-24"],
  ["Europe/London", "2026-03-28", "2026-10-24"],
  ["America/New_York", "2026-03-07", "2026-10-31"],
  ["America/Los_Angeles", "2026-03-07", "2026-10-31"],
  ["America/St_Johns", "2026-03-07", "2026-10-31"],
  ["America/Havana", "2026-03-07", "2026-10-31"],
  ["America/Santiago", "2026-09-05", "2026-04-04"],
  ["Australia/Sydney", "2026-10-03", "2026-04-04"],
  ["Australia/Lord_Howe", "2026-10-03", "2026-04-04"],
  ["Pacific/Auckland", "2026-09-26", "2026-04-04"],
  ["Pacific/Chatham", "2026-09-26", "2026-04-04"],
  ["Africa/Cairo", "2026-04-23", "2026-10-29"],
];

const expressions = [
  "30 2 * * *",
  "15 0-3 * * *",
  "0 0,1,2,3 * * *",
  "*/30 * * * *",
  "30 * * * *",
  "45 */2 * * *",
];

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The hour and minute that a clock in the zone displays. */
function readClock(
  zone: string,
): (moment: number) => { readonly hour: number; readonly minute: number } {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
  });
  return (moment) => {
    const [hour, minute] = format.format(moment).split(":").map(Number);
    return { hour: hour ?? 0, minute: minute ?? 0 };
  };
}

/** The values of a field of hours or minutes. */
function expandField(field: string, count: number): ReadonlySet<number> {
  const all = Array.from({ length: count }, (_, value) => value);
  const step = /^\*(?:\/(\d+))?$/.exec(field);
  if (step !== null) return new Set(all.filter((value) => value % Number(step[1] ?? 1) === 0));
  const parts = field.split(",").map((part) => part.split("-").map(Number));
  return new Set(
    all.filter((value) => parts.some(([from = -1, to = from]) => value >= from && value <= to)),
  );
}

/**
 * The rules of cron(8), minute by minute: a job with a wildcard runs whenever the clock matches. Another one runs when the
 * clock first gets to a time of its list or passes it; when the clock is set back, it waits until the clock is later than
 * ever before.
 */
function simulateCron(expression: string, zone: string, from: number, to: number): number[] {
  const [minuteField = "", hourField = ""] = expression.split(" ");
  const minutes = expandField(minuteField, 60);
  const hours = expandField(hourField, 24);
  const isWildcard = minuteField.startsWith("*") || hourField.startsWith("*");
  const matches = (wall: number): boolean =>
    minutes.has(wall % 60) && hours.has(Math.floor(wall / 60) % 24);
  const clock = readClock(zone);
  const slots: number[] = [];
  let day = 0;
  let before: number | undefined;
  let latest = -1;
  for (let moment = from; moment < to; moment += minuteMs) {
    const { hour, minute } = clock(moment);
    let wall = day * 1_440 + hour * 60 + minute;
    // The clock of a new day; a clock that is set back is no new day.
    if (before !== undefined && wall < before - 720) {
      day += 1;
      wall += 1_440;
    } else if (before !== undefined && wall > before + 720) {
      day -= 1;
      wall -= 1_440;
    }
    before = wall;
    if (isWildcard) {
      if (matches(wall)) slots.push(moment);
    } else if (wall > latest) {
      const first = latest < 0 ? wall : latest + 1;
      const passed = Array.from({ length: wall - first + 1 }, (_, index) => first + index);
      if (passed.some((one) => matches(one))) slots.push(moment);
      latest = wall;
    }
  }
  return slots;
}

async function listSlots(
  cron: string,
  timeZone: string,
  from: number,
  to: number,
): Promise<number[]> {
  const slots: number[] = [];
  for (let at = from - 1; ;) {
    const next = await nextSlot({ cron, timeZone }, at);
    if (next === undefined || next >= to) return slots;
    slots.push(next);
    at = next;
  }
}

const show = (slots: readonly number[]): string[] =>
  slots.map((slot) => new Date(slot).toISOString());

describe("the slots of an expression are those of cron(8)", () => {
  const zones = inFullRun(changes, changes.slice(0, 6).concat(changes.slice(8, 9)));
  test.each(
    zones.flatMap(([zone, ...days]) => expressions.map((one) => [zone, one, ...days] as const)),
  )("in %s for %s, when clocks are set forward and back", async (zone, expression, ...days) => {
    for (const day of days) {
      const from = Date.parse(`${day}T00:00:00Z`);
      const to = from + 3 * dayMs;
      expect(show(await listSlots(expression, zone, from, to))).toEqual(
        show(simulateCron(expression, zone, from, to)),
      );
    }
  });

  test("the clocks change in each zone", () => {
    for (const [zone, ...days] of changes) {
      const clock = readClock(zone);
      for (const day of days) {
        const at = Date.parse(`${day}T00:00:00Z`);
        expect([zone, clock(at)]).not.toEqual([zone, clock(at + 3 * dayMs)]);
      }
    }
  });
});

test("names and abbreviations of IANA are time zones, and other abbreviations are not", () => {
  const names = ["Europe/London", "america/new_york", "UTC", "CET", "Japan", "PST8PDT", "+05:30"];
  expect(names.filter((name) => !isTimeZone(name))).toEqual([]);
  const others = ["BST", "AST", "SST", "PDT", "Mars/X", ""];
  expect(others.filter((name) => isTimeZone(name))).toEqual([]);
});

describe("a schedule", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");

  test.each([
    [{ at: now + 5 }, [now + 5]],
    [{ everyMs: 60_000, from: now + 10 }, [now + 10, now + 60_010]],
    [{ cron: "0 0 1 * *", timeZone: "UTC" }, [Date.parse("2026-02-01"), Date.parse("2026-03-01")]],
    [
      { cron: "0 12 13 * 5", timeZone: "UTC" },
      [Date.parse("2026-01-02T12:00Z"), Date.parse("2026-01-09T12:00Z")],
    ],
    // cron(8): with an asterisk at the beginning of one field, both have to match.
    [
      { cron: "0 0 */2 * 1", timeZone: "UTC" },
      [Date.parse("2026-01-05"), Date.parse("2026-01-19")],
    ],
    [
      { cron: "0 0 1-7 * */7", timeZone: "UTC" },
      [Date.parse("2026-01-04"), Date.parse("2026-02-01")],
    ],
    [
      { cron: "@daily", timeZone: "Asia/Tokyo" },
      [Date.parse("2026-01-01T15:00Z"), Date.parse("2026-01-02T15:00Z")],
    ],
  ])("%j has its slots", async (schedule, slots) => {
    expect(await firstSlots(schedule, now, 2)).toEqual(slots);
  });

  test.each([
    [{ at: now }, "no time that is still to come"],
    [{ cron: "0 0 31 2 *", timeZone: "UTC" }, "no time that is still to come"],
    [{ cron: "* * * * * *", timeZone: "UTC" }, "more often than every 60 s"],
    [{ cron: "nonsense", timeZone: "UTC" }, "is no schedule"],
    [{ cron: "61 * * * *", timeZone: "UTC" }, 'The minute "61" is not valid; it takes 0 to 59.'],
    [{ cron: "0 0 1 13 *", timeZone: "UTC" }, 'The month "13" is not valid; it takes 1 to 12, or'],
    [{ cron: "0 0 32 * *", timeZone: "UTC" }, 'The day "32" is not valid; it takes 1 to 31.'],
    [{ cron: "0 24 * * *", timeZone: "UTC" }, 'The hour "24" is not valid; it takes 0 to 23.'],
    [{ cron: "0 0 * * MOO", timeZone: "UTC" }, 'The weekday "MOO" is not valid; it takes 0 to 7,'],
    [{ cron: "0 0 *", timeZone: "UTC" }, "It has 3 of 5 fields."],
    ...["Mars/Olympus", "BST", "PST", "ist"].map(
      (timeZone) =>
        [{ cron: "0 0 * * *", timeZone }, "IANA has no time zone of this name"] as const,
    ),
  ] as const)("%j is refused", async (schedule, message) => {
    await expect(firstSlots(schedule, now, 3)).rejects.toThrow(message);
  });
});
