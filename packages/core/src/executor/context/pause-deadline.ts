import type { CallLifecycle } from "../call/call-lifecycle.ts";
import type { CallState } from "../call/call-state.ts";

/**
 * Waits for a person's answer. Until it arrives, the deadlines of the call and of the calls above it are paused. If the
 * call is stopped, the deadlines resume: the person may never answer.
 */
export async function pauseDeadlineWhile<T>(
  execution: CallState,
  answer: PromiseLike<T>,
): Promise<T> {
  const { clock } = execution.engine;
  const waiting = callsAbove(execution);
  for (const call of waiting) call.ownTime.pause(clock.now());
  let isOver = false;
  const resumeDeadlines = (): void => {
    if (isOver) return;
    isOver = true;
    for (const call of waiting) {
      call.ownTime.resume(clock.now());
      call.watchDeadline();
    }
  };
  const { signal } = execution;
  if (signal.aborted) resumeDeadlines();
  else signal.addEventListener("abort", resumeDeadlines, { once: true });
  try {
    return await answer;
  } finally {
    signal.removeEventListener("abort", resumeDeadlines);
    resumeDeadlines();
  }
}

function callsAbove(execution: CallState): CallLifecycle[] {
  const calls: CallLifecycle[] = [];
  for (let at: CallLifecycle | undefined = execution; at !== undefined; at = at.waitedForBy) {
    calls.push(at);
  }
  return calls;
}
