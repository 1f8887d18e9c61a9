import { expect, test } from "vitest";
import { ListenerTracker } from "../../src/observation/resource-tracker.ts";

test("a listener counts until it is removed, however it was added", async () => {
  using listeners = new ListenerTracker();
  const [first, second, third] = [(): void => {}, (): void => {}, (): void => {}];
  await listeners.run(async () => {
    await Promise.resolve();
    process.on("beforeExit", first);
    process.once("exit", second);
    process.prependListener("beforeExit", third);
  });
  expect(listeners.remainingEvents()).toEqual(["beforeExit", "exit", "beforeExit"]);
  process.off("beforeExit", first);
  process.off("exit", second);
  process.off("beforeExit", third);
  expect(listeners.remainingEvents()).toEqual([]);
});

test("listeners of other code do not count", () => {
  using listeners = new ListenerTracker();
  using other = new ListenerTracker();
  const listener = (): void => {};
  process.on("beforeExit", listener);
  const own = (): void => {};
  other.run(() => process.on("exit", own));
  expect(listeners.remainingEvents()).toEqual([]);
  expect(other.remainingEvents()).toEqual(["exit"]);
  process.off("beforeExit", listener);
  process.off("exit", own);
});

test("without trackers there is no listener of process", () => {
  const before = process.listenerCount("newListener");
  const listeners = new ListenerTracker();
  listeners[Symbol.dispose]();
  expect(process.listenerCount("newListener")).toBe(before);
});
