import fc from "fast-check";
import { expect, test } from "vitest";
import { TimeScale } from "../../src/runs/time-scale.ts";

test("without gaps time is spread evenly", () => {
  const scale = new TimeScale({ from: 1000, to: 2000 }, []);
  expect([1000, 1250, 2000, 500, 3000].map((time) => scale.position(time))).toEqual([
    0, 0.25, 1, 0, 1,
  ]);
});

test("a folded gap takes little width, and its mark says how long it is", () => {
  const scale = new TimeScale({ from: 0, to: 10_000 }, [{ from: 1000, to: 9000 }]);
  expect(scale.position(9000) - scale.position(1000)).toBeCloseTo(0.02);
  expect(scale.position(500)).toBeCloseTo(0.245);
  expect(scale.ticks(0).filter(({ isGap }) => isGap)).toMatchObject([{ time: 8000 }]);
});

test("a short gap is not folded", () => {
  const scale = new TimeScale({ from: 0, to: 10_000 }, [{ from: 1000, to: 1200 }]);
  expect(scale.position(1200) - scale.position(1000)).toBeCloseTo(0.02);
  expect(scale.ticks(0).some(({ isGap }) => isGap)).toBe(false);
});

test("places grow with time, and lead back to it", () => {
  const gap = fc.tuple(fc.nat({ max: 100_000 }), fc.nat({ max: 50_000 }));
  fc.assert(
    fc.property(
      fc.array(gap, { maxLength: 6 }),
      fc.array(fc.nat({ max: 150_000 })),
      (gaps, times) => {
        let last = 0;
        const ordered = gaps
          .sort(([a], [b]) => a - b)
          .flatMap(([from, length]) => {
            if (from < last) return [];
            last = from + length;
            return [{ from, to: from + length }];
          });
        const scale = new TimeScale({ from: 0, to: 150_000 }, ordered);
        const places = times.sort((a, b) => a - b).map((time) => scale.position(time));
        expect(places).toEqual([...places].sort((a, b) => a - b));
        for (const [index, time] of times.entries()) {
          expect(scale.time(places[index] ?? 0)).toBeCloseTo(time, 2);
        }
      },
    ),
  );
});

test("marks have round times, and there are not many", () => {
  const ticks = new TimeScale({ from: 7, to: 4007 }, []).ticks(7);
  expect(ticks.map(({ time }) => time)).toEqual([0, 1000, 2000, 3000, 4000]);
  for (const length of [1, 30, 999, 70_000, 9_000_000, 400_000_000]) {
    const { length: count } = new TimeScale({ from: 0, to: length }, []).ticks(0);
    expect(count).toBeLessThan(12);
  }
});

test("a run without any duration has a scale", () => {
  expect(new TimeScale({ from: 5, to: 5 }, []).position(5)).toBe(0);
});
