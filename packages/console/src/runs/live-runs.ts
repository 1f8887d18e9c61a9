import type { ToolEvent, ToolExecutor } from "@toolweave/core";
import type { ToolProgress } from "@toolweave/core/adapter";
import { SpanBuilder } from "./span-builder.ts";

/** Maximum number of tasks whose progress is stored. */
const maxTasks = 1000;

/** The runs of an executor, from its events. */
export class LiveRuns {
  readonly spans: SpanBuilder = new SpanBuilder({ maxSilenceMs: Infinity });
  /** The ids of tasks that are running, by run and call. */
  readonly #taskIds = new Map<string, string>();
  readonly #progress = new Map<string, ToolProgress>();

  /** Listens to the executor from now on. */
  constructor(executor: ToolExecutor) {
    executor.on((event) => {
      this.spans.add(event);
      this.#followTask(event);
    });
  }

  /** The last progress of a task that runs in this process. */
  getProgress(taskId: string): ToolProgress | undefined {
    return this.#progress.get(taskId);
  }

  #followTask(event: ToolEvent): void {
    switch (event.type) {
      case "task.created":
      case "task.working":
        this.#taskIds.set(toKey(event), event.taskId);
        if (this.#taskIds.size > maxTasks) {
          this.#taskIds.delete(this.#taskIds.keys().next().value as string);
        }
        return;
      case "tool.progressed": {
        const taskId = this.#taskIds.get(toKey(event));
        if (taskId === undefined) return;
        this.#progress.set(taskId, event.progress);
        if (this.#progress.size > maxTasks) {
          this.#progress.delete(this.#progress.keys().next().value as string);
        }
        return;
      }
      case "task.completed":
      case "task.failed":
      case "task.cancelled":
        this.#taskIds.delete(toKey(event));
        this.#progress.delete(event.taskId);
    }
  }
}

function toKey({ runId, callId }: { readonly runId: string; readonly callId: string }): string {
  return JSON.stringify([runId, callId]);
}
