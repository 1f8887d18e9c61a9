import { defineTool } from "../define/define-tool.ts";
import { text } from "../contract/content-block.ts";
import type { Tool, ToolContext } from "../contract/tool.ts";
import type { ToolOutput } from "../contract/tool-result.ts";
import type { ExecutorTasks, TaskInfo, TaskOptions } from "../tasks/executor-tasks.ts";

/** Maximum wait of a model within one call, in seconds. */
const maxSeconds = 60;

const taskId = {
  type: "string",
  description: "The id that the call answered with: task_…",
} as const;
const ofTask = {
  type: "object",
  properties: { task_id: taskId },
  required: ["task_id"],
  additionalProperties: false,
} as const;
const reads = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;

/**
 * The tools with which a model reads its tasks: `task_status`, `task_result` and `task_cancel`. Each sees only the
 * tasks of the session and the caller of its run.
 *
 * @param tasks `executor.tasks`.
 */
export function taskTools(tasks: ExecutorTasks): readonly Tool[] {
  return [
    defineTool({
      name: "task_status",
      description: "Report the status of a task: a call that runs in the background.",
      input: ofTask,
      annotations: reads,
      execute: async ({ task_id }, ctx) => toOutput(await tasks.status(task_id, behalfOf(ctx))),
    }),
    defineTool({
      name: "task_result",
      description:
        "Get the result of a task, once it has ended. Waits up to wait_seconds for that.",
      input: {
        ...ofTask,
        properties: {
          task_id: taskId,
          wait_seconds: { type: "number", minimum: 0, maximum: maxSeconds, default: 0 },
        },
      },
      annotations: reads,
      // No timeout: `wait_seconds` bounds the wait, and the host's maximum caps it.
      timeoutMs: 0,
      execute: ({ task_id, wait_seconds = 0 }, ctx) =>
        resultOf(tasks, task_id, wait_seconds * 1000, ctx),
    }),
    defineTool({
      name: "task_cancel",
      description: "Stop a task. What it has done already stays done.",
      input: ofTask,
      annotations: {
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      execute: async ({ task_id }, ctx) => toOutput(await tasks.cancel(task_id, behalfOf(ctx))),
    }),
  ];
}

async function resultOf(
  tasks: ExecutorTasks,
  id: string,
  waitMs: number,
  ctx: ToolContext,
): Promise<ToolOutput> {
  const behalf = behalfOf(ctx);
  const outcome = await tasks.result(id, {
    ...behalf,
    waitMs: Math.min(waitMs, tasks.maxWaitMs),
    signal: ctx.signal,
  });
  if (outcome === undefined || outcome.status === "interrupted") {
    return toOutput(await tasks.status(id, behalf));
  }
  const { content, value, artifacts, isError } = outcome.result;
  return {
    content,
    artifacts,
    isError,
    ...(value === undefined ? {} : { value }),
    ...(outcome.error === undefined ? {} : { error: outcome.error }),
  };
}

function behalfOf({ sessionId, caller }: ToolContext): TaskOptions {
  return { sessionId, caller };
}

function toOutput({ id, tool, status, error }: TaskInfo): ToolOutput {
  return {
    content: [text(`Task ${id} (${tool}) ${words(status)}`)],
    value: { taskId: id, tool, status, ...(error === undefined ? {} : { code: error.code }) },
  };
}

function words(status: TaskInfo["status"]): string {
  switch (status) {
    case "working":
      return "is still working. Continue with something else, or call task_result with wait_seconds.";
    case "input_required":
      return "waits for a person, and continues when that person has answered. Ask again later.";
    case "completed":
      return "has completed: read its answer with task_result.";
    case "failed":
      return "has failed: task_result tells why.";
    case "cancelled":
      return "was cancelled.";
  }
}
