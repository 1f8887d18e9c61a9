import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseTime } from "../../src/time/parse-time.ts";

describe("a time of RFC 3339", () => {
  test.each([
    ["1985-04-12T23:20:50.52Z", "1985-04-12T23:20:50.520Z"],
    ["1996-12-19T16:39:57-08:00", "1996-12-20T00:39:57.000Z"],
    ["1990-12-31T23:59:60Z", "1991-01-01T00:00:00.000Z"],
    ["1937-01-01T12:00:27.87+00:20", "1937-01-01T11:40:27.870Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["0050-01-01t00:00z", "0050-01-01T00:00:00.000Z"],
  ])("%s is %s", (text, expected) => {
    expect(new Date(parseTime(text) ?? Number.NaN).toISOString()).toBe(expected);
  });

  test.each([
    "2026-02-29",
    "2026-02-30T00:00:00Z",
    "2026-04-31",
    "2100-02-29",
    "2026-13-01",
    "2026-00-01",
    "2026-01-00",
    "2026-01-01T24:00:00Z",
    "2026-01-01T23:60:00Z",
    "2026-01-01T23:59:61Z",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00",
    "2026-1-1",
    "tomorrow",
    "",
  ])("%s does not exist, or has no offset", (text) => {
    expect(parseTime(text)).toBeUndefined();
  });

  test("is what Date prints", () => {
    const years = { min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(years), (date) => {
        expect(parseTime(date.toISOString())).toBe(date.getTime());
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });
});
