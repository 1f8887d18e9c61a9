import { expect, test } from "vitest";
import { ProcessListeners } from "../src/watching/process-listeners.ts";

test("a listener counts until it is taken back, however it was added", async () => {
  using listeners = new ProcessListeners();
  const [first, second, third] = [(): void => {}, (): void => {}, (): void => {}];
  await listeners.run(async () => {
    await Promise.resolve();
    process.on("beforeExit", first);
    process.once("exit", second);
    process.prependListener("beforeExit", third);
  });
  expect(listeners.left()).toEqual(["beforeExit", "exit", "beforeExit"]);
  process.off("beforeExit", first);
  process.off("exit", second);
  process.off("beforeExit", third);
  expect(listeners.left()).toEqual([]);
});

test("listeners of others do not count", () => {
  using listeners = new ProcessListeners();
  using other = new ProcessListeners();
  const listener = (): void => {};
  process.on("beforeExit", listener);
  const own = (): void => {};
  other.run(() => process.on("exit", own));
  expect(listeners.left()).toEqual([]);
  expect(other.left()).toEqual(["exit"]);
  process.off("beforeExit", listener);
  process.off("exit", own);
});

test("nobody listens to process when nobody watches", () => {
  const before = process.listenerCount("newListener");
  const listeners = new ProcessListeners();
  listeners[Symbol.dispose]();
  expect(process.listenerCount("newListener")).toBe(before);
});
