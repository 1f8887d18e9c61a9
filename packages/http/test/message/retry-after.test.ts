import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryAfterMs } from "../../src/index.ts";

const now = Date.UTC(2026, 10, 20, 12, 0, 0);

describe("retryAfterMs", () => {
  it("HT31: reads seconds", () => {
    expect(retryAfterMs({ "retry-after": "120" }, now)).toBe(120_000);
    expect(retryAfterMs({ "retry-after": " 0 " }, now)).toBe(0);
  });

  it.each([
    "Fri, 20 Nov 2026 12:00:02 GMT",
    "Friday, 20-Nov-26 12:00:02 GMT",
    "Fri Nov 20 12:00:02 2026",
  ])("HT31: reads the HTTP date %s", (date) => {
    expect(retryAfterMs({ "retry-after": date }, now)).toBe(2000);
  });

  it.each([
    "Mon, 30 Feb 2026 12:00:00 GMT",
    "Tuesday, 31-Apr-26 12:00:02 GMT",
    "Thu Feb 29 12:00:02 2026",
  ])("a day that does not exist is no date: %s", (date) => {
    expect(retryAfterMs({ "retry-after": date }, now)).toBeUndefined();
  });

  it("HT31: a date in the past means now", () => {
    expect(retryAfterMs({ "retry-after": "Fri, 20 Nov 2026 11:00:00 GMT" }, now)).toBe(0);
  });

  it("HT31: a date counts from the server's own clock when it sent it", () => {
    const headers = {
      date: "Fri, 20 Nov 2026 13:00:00 GMT",
      "retry-after": "Fri, 20 Nov 2026 13:00:05 GMT",
    };
    expect(retryAfterMs(headers, now)).toBe(5000);
  });

  it("HT32: a huge value stays within the maximum of a timer", () => {
    expect(retryAfterMs({ "retry-after": "9".repeat(400) }, now)).toBe(2_147_483_647);
    expect(retryAfterMs({ "retry-after": "Fri, 20 Nov 2099 12:00:00 GMT" }, now)).toBe(
      2_147_483_647,
    );
  });

  it("takes the first of several", () => {
    expect(retryAfterMs({ "retry-after": ["3", "7"] }, now)).toBe(3000);
  });

  it.each([undefined, "", "soon", "-1", "1.5", "2026-11-20", "Fri, nonsense"])(
    "%s is ignored",
    (value) => {
      expect(
        retryAfterMs(value === undefined ? {} : { "retry-after": value }, now),
      ).toBeUndefined();
    },
  );

  it("whatever a server sends, the result is valid for a timer", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.nat().map(String)), (value) => {
        const wait = retryAfterMs({ "retry-after": value }, now) ?? 0;
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(2_147_483_647);
      }),
    );
  });
});
