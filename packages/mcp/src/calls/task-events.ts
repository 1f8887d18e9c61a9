/** Who wants to know that a server has made a task of a call, by the run that it is made in. */
const listeners = new Map<string, () => void>();

/** Calls `listener` when a server makes a task of a call of the run; returns what ends that. */
export function onTaskCreated(runId: string, listener: () => void): () => void {
  listeners.set(runId, listener);
  return () => void listeners.delete(runId);
}

/** A server has made a task of a call of the run. */
export function notifyTaskCreated(runId: string): void {
  listeners.get(runId)?.();
}
