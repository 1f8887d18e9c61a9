import type { Execution } from "./execution.ts";

/**
 * A person's answer. People are not hurried: until it is there, neither the call's time passes nor
 * that of the calls which have made it.
 */
export async function whileAsking<T>(execution: Execution, answer: PromiseLike<T>): Promise<T> {
  const { clock, inFlight } = execution.engine;
  const waiting = callsAbove(execution);
  for (const call of waiting) call.ownTime.pause(clock.now());
  try {
    return await answer;
  } finally {
    for (const call of waiting) {
      call.ownTime.goOn(clock.now());
      if (call.waitingFor !== 0) inFlight.watch(call);
    }
  }
}

function callsAbove(execution: Execution): Execution[] {
  const calls: Execution[] = [];
  for (let at: Execution | undefined = execution; at !== undefined; at = at.parent) calls.push(at);
  return calls;
}
