import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { showSteps } from "../src/render/progress.ts";
import { captureIo } from "./support/captured-io.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("steps are displayed on a terminal after a second, on one line that is removed", () => {
  const { io, stderr } = captureIo({ terminal: true, columns: 20 });
  const steps = showSteps(io);
  steps.update("1 of 9");
  vi.advanceTimersByTime(999);
  steps.update("2 of 9");
  expect(stderr()).toBe("");
  vi.advanceTimersByTime(1);
  steps.update("3 of 9");
  expect(stderr()).toBe("\r\u001b[2K3 of 9");
  steps.update("4 of 9, too soon after it");
  vi.advanceTimersByTime(100);
  steps.update("5 of 9, and a long text");
  expect(stderr()).toBe("\r\u001b[2K3 of 9\r\u001b[2K5 of 9, and a long ");
  steps.end();
  expect(stderr().endsWith("\r\u001b[2K")).toBe(true);
});

test("without a terminal no step is displayed", () => {
  const { io, stderr } = captureIo();
  const steps = showSteps(io);
  vi.advanceTimersByTime(5000);
  steps.update("1 of 9");
  steps.end();
  expect(stderr()).toBe("");
});
