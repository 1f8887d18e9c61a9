import { onTestFinished } from "vitest";

/** Records the reasons of the rejections that no code handles, from now until the test ends. */
export function recordUnhandledRejections(): readonly unknown[] {
  const reasons: unknown[] = [];
  const record = (reason: unknown): void => void reasons.push(reason);
  process.on("unhandledRejection", record);
  onTestFinished(() => void process.off("unhandledRejection", record));
  return reasons;
}
