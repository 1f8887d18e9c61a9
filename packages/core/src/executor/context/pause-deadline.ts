import type { CallState } from "../call/call-state.ts";

/**
 * A person's answer. People are not hurried: until it is there, neither the call's time passes nor
 * that of the calls which have made it. It does again when the call is stopped: whoever is asked may
 * never say anything then.
 */
export async function pauseDeadlineWhile<T>(
  execution: CallState,
  answer: PromiseLike<T>,
): Promise<T> {
  const { clock, activeCalls } = execution.engine;
  const waiting = callsAbove(execution);
  for (const call of waiting) call.ownTime.pause(clock.now());
  let isOver = false;
  const resumeDeadlines = (): void => {
    if (isOver) return;
    isOver = true;
    for (const call of waiting) {
      call.ownTime.resume(clock.now());
      if (call.waitingFor !== 0) activeCalls.watch(call);
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

function callsAbove(execution: CallState): CallState[] {
  const calls: CallState[] = [];
  for (let at: CallState | undefined = execution; at !== undefined; at = at.waitedForBy) {
    calls.push(at);
  }
  return calls;
}
