import { FakeClock } from "@toolweave/test-support/fake-clock";
import { vi } from "vitest";
import {
  ToolError,
  type ExecutorOptions,
  type RetryPolicy,
  type Tool,
  type ToolEvent,
  type ToolExecutor,
} from "@toolweave/core";
import { executorFor, recorded, tool } from "../support/executor-for.ts";

export const idempotent = { annotations: { idempotentHint: true } };

/** Maximizes every wait, until mocks are restored. */
export function withoutJitter(): void {
  vi.spyOn(Math, "random").mockReturnValue(0);
}

/** An error that may be temporary. */
export function busy(): ToolError {
  return new ToolError("upstream", "503 busy", { status: 503, retryable: true });
}

/** A tool that throws each of `errors` in turn and then answers. */
export function flaky(...errors: unknown[]): { tool: Tool; attempts: () => number } {
  let attempts = 0;
  const work = async (): Promise<string> => {
    const error = errors[attempts++];
    if (error !== undefined) throw error;
    return `the answer of attempt ${attempts}`;
  };
  return { tool: tool("t", work, idempotent), attempts: () => attempts };
}

/** An executor with one tool that is retried. */
export function retrying(
  tool: Tool,
  retry: RetryPolicy,
  options: Omit<ExecutorOptions, "registry"> = {},
): { clock: FakeClock; executor: ToolExecutor; events: ToolEvent[] } {
  const clock = new FakeClock();
  const executor = executorFor(tool, { clock, retry, ...options });
  return { clock, executor, events: recorded(executor) };
}

/** The retries by their events: which, why, after which delay. */
export function listRetries(events: readonly ToolEvent[]): unknown[] {
  return events.flatMap((event) =>
    event.type === "tool.retried" ? [[event.attempt, event.code, event.delayMs]] : [],
  );
}
