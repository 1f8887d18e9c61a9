import { expect, test } from "vitest";
import { FakeClock } from "@toolweave/conformance/stores";
import { RowWatch } from "../src/shared.ts";

/** Rows that the test changes, and the sets of rows that were read. */
function watchedRows(states: Record<string, string>) {
  const clock = new FakeClock();
  const reads: string[][] = [];
  const watch = new RowWatch(
    async (ids) => {
      reads.push([...ids]);
      await new Promise((resolve) => setImmediate(resolve));
      return new Map([...ids].flatMap((id) => (id in states ? [[id, states[id]!]] : [])));
    },
    { clock },
  );
  const ended: string[] = [];
  const start = (id: string): Promise<void> =>
    watch.watch(id, new AbortController().signal).then(() => void ended.push(id));
  return { clock, reads, watch, ended, start };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("rows whose waits begin at the same time are read together, and then all by one timer", async () => {
  const states: Record<string, string> = { a: "1", b: "1", c: "1" };
  const { clock, reads, ended, start } = watchedRows(states);
  void start("a");
  void start("b");
  void start("c");
  await turns();
  expect(reads).toEqual([["a"], ["b", "c"]]);
  expect(clock.timers).toBe(1);
  states["b"] = "2";
  await clock.advance(100);
  await turns();
  expect(reads.slice(2)).toEqual([["a", "b", "c"]]);
  expect(ended).toEqual(["b"]);
});

test("a caller that has read an older state than the wait began with learns of the change", async () => {
  const { watch, ended, start } = watchedRows({ a: "2", b: "2" });
  void start("a");
  void start("b");
  await turns();
  watch.observe("a", "1");
  watch.observe("b", "2");
  await turns();
  expect(ended).toEqual(["a"]);
});

test("a state that was read for a caller counts as the beginning of the wait", async () => {
  const { watch, ended, start } = watchedRows({ a: "2" });
  void start("a");
  watch.observe("a", "1");
  await turns();
  expect(ended).toEqual(["a"]);
});

test("all waits for a row end when a change of it is notified, and those for others do not", async () => {
  const { clock, watch, ended, start } = watchedRows({ a: "1" });
  void start("a");
  void start("a");
  void start("b");
  watch.changed("a");
  await turns();
  expect(ended).toEqual(["a", "a"]);
  expect([watch.has("a"), watch.has("b")]).toEqual([false, true]);
  watch.stop();
  await turns();
  expect(ended).toEqual(["a", "a", "b"]);
  expect(clock.timers).toBe(0);
});
