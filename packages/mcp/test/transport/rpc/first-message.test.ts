import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FirstMessage } from "../../../src/transport/rpc/first-message.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("a process that prints a line and sends no message within ten seconds is no server", () => {
  const onMissing = vi.fn<() => void>();
  const first = new FirstMessage(onMissing);
  vi.advanceTimersByTime(60_000);
  first.onInvalidLine();
  vi.advanceTimersByTime(9_999);
  expect(onMissing).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onMissing).toHaveBeenCalledTimes(1);
});

it("a process that prints fifty lines and sends no message is no server at once", () => {
  const onMissing = vi.fn<() => void>();
  const first = new FirstMessage(onMissing);
  for (let line = 0; line < 60; line++) first.onInvalidLine();
  expect(onMissing).toHaveBeenCalledTimes(1);
});

it("a process that prints a banner before its first message is a server", () => {
  const onMissing = vi.fn<() => void>();
  const first = new FirstMessage(onMissing);
  for (let line = 0; line < 49; line++) first.onInvalidLine();
  first.stop();
  for (let line = 0; line < 99; line++) first.onInvalidLine();
  vi.advanceTimersByTime(60_000);
  expect(onMissing).not.toHaveBeenCalled();
});
