import type { EventView } from "@toolweave/console";
import { expect, test } from "vitest";
import { EventQueue } from "../../src/api/event-queue.ts";
import { reconnectDelay } from "../../src/api/event-stream.ts";

function queueWithFrames() {
  const batches: (readonly EventView[])[] = [];
  const frames: (() => void)[] = [];
  const queue = new EventQueue(
    (events) => batches.push(events),
    (frame) => frames.push(frame),
  );
  const push = (count: number, from = 1): void => {
    for (let seq = from; seq < from + count; seq++) {
      queue.push({ stream: "live", seq, time: seq, type: "tool.started" });
    }
  };
  return { batches, frames, push };
}

test("the events of one frame are delivered together", () => {
  const { batches, frames, push } = queueWithFrames();
  push(3);
  expect(batches).toEqual([]);
  expect(frames).toHaveLength(1);
  frames[0]?.();
  push(1, 4);
  frames[1]?.();
  expect(batches.map((batch) => batch.map(({ seq }) => seq))).toEqual([[1, 2, 3], [4]]);
});

test("without frames the last 10,000 events are kept, and the others are counted", () => {
  const { batches, frames, push } = queueWithFrames();
  push(45_000);
  frames[0]?.();
  const [first, ...rest] = batches[0] ?? [];
  expect(first).toMatchObject({ type: "events.dropped", dropped: 35_000 });
  expect([rest.length, rest[0]?.seq, rest.at(-1)?.seq]).toEqual([10_000, 35_001, 45_000]);
});

test("the wait before a new connection doubles up to 30 seconds", () => {
  expect([0, 1, 2, 5, 6, 40].map(reconnectDelay)).toEqual([
    500, 1000, 2000, 16_000, 30_000, 30_000,
  ]);
});
