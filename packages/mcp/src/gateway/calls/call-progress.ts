import type { ToolExecutor, ToolProgress } from "@toolweave/core";

/** Who hears of a run's own calls. */
export interface RunListener {
  progress(progress: ToolProgress): void;
  /** A call goes on as a task; it has not started yet. */
  task(id: string): void;
}

/** Tells each run's progress to whoever follows it. The executor's events cost nothing while nobody does. */
export class CallProgress {
  readonly #executor: ToolExecutor;
  readonly #followed = new Map<string, RunListener>();
  #stop: (() => void) | undefined;

  constructor(executor: ToolExecutor) {
    this.#executor = executor;
  }

  /** Returns what ends it. */
  follow(runId: string, listener: RunListener): () => void {
    this.#followed.set(runId, listener);
    this.#stop ??= this.#executor.on((event) => {
      if (event.type !== "tool.progressed" && event.type !== "task.created") return;
      if (event.parentCallId !== undefined) return;
      const followed = this.#followed.get(event.runId);
      if (event.type === "task.created") followed?.task(event.taskId);
      else followed?.progress(event.progress);
    });
    return () => {
      this.#followed.delete(runId);
      if (this.#followed.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }
}
