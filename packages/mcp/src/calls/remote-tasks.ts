import { ToolError, type JsonObject, type ToolContext, type ToolErrorCode } from "@toolweave/core";
import { isObject, cancellationOf, pause, visibleText, truncate } from "@toolweave/core/adapter";
import type { RequestOptions } from "../transport/messages/mcp-connection.ts";
import type { Requester } from "../connection/requester.ts";
import { toCallError } from "../transport/call-error.ts";
import { toProgressMessage } from "./call-output.ts";
import {
  notifyTaskCreated,
  readTaskState,
  writeTaskState,
  type TaskState,
  readTask,
  readTaskOfResult,
  type RemoteTask,
} from "./remote-task.ts";

/** Attempts to poll a task while the connection is lost, with doubled delays. */
const maxRetries = 8;
const firstRetryMs = 100;

/** Errors that say nothing about the task: it continues, and the call may be resumed. */
const transientCodes: ReadonlySet<ToolErrorCode> = new Set([
  "auth_required",
  "rate_limited",
  "unavailable",
]);

/** Milliseconds that a server gets to cancel a task. */
const cancelTimeoutMs = 5_000;

/** Options of a call's request. */
export interface TaskCallOptions extends Omit<RequestOptions, "signal"> {
  /** Requests a task of the server. */
  readonly asTask: boolean;
}

/**
 * Tasks that a server creates for calls, of both generations: 2025-11-25 (`task` in the request, `tasks/get`,
 * `tasks/result`), and the extension of 2026-07-28 (a `task` result, `tasks/get`, `tasks/update`). A call waits for
 * its task until its own timeout, also if the connection is lost in the meantime.
 */
export class RemoteTasks {
  readonly #host: Requester;
  /** Callbacks that end the wait for a task, by its id. */
  readonly #waiting = new Map<string, () => void>();

  constructor(host: Requester) {
    this.#host = host;
  }

  /**
   * Sends `tools/call` and returns its result, with or without a task. If a task of the extension requires input, the
   * result is `input_required`; the next call with its `requestState` and `inputResponses` continues the task.
   *
   * @throws ToolError `outcome_unknown` when the server no longer knows the task, `unavailable` when the connection
   * is not restored, `upstream` when the task failed or the server cancelled it; errors of a call.
   */
  async call(params: JsonObject, ctx: ToolContext, options: TaskCallOptions): Promise<unknown> {
    const state = readTaskState(params["requestState"]) ?? readCheckpointedTask(ctx);
    if (state !== undefined) return this.#resume(state, params["inputResponses"], ctx);
    const { asTask, onProgress, headers } = options;
    const asked = asTask ? { ...params, task: {} } : params;
    const onLate = asTask ? (late: unknown) => this.#cancelLate(late, ctx) : undefined;
    const sent = { onProgress, headers, onLate, signal: cancellationOf(ctx) };
    const answer = await this.#host.request("tools/call", asked, sent, ctx);
    const task = readTaskOfResult(answer);
    if (task === undefined) return answer;
    const isExtension = (answer as JsonObject)["resultType"] === "task";
    return this.#await(task, { id: task.id, isExtension, answered: [] }, ctx);
  }

  /** Handles `notifications/tasks/status`: a waiting call polls its task at once. */
  onStatus({ taskId }: JsonObject): void {
    if (typeof taskId === "string") this.#waiting.get(taskId)?.();
  }

  async #resume(state: TaskState, responses: unknown, ctx: ToolContext): Promise<unknown> {
    if (!isObject(responses)) return this.#await(undefined, state, ctx);
    const answered = [...state.answered, ...Object.keys(responses)];
    return this.#await(undefined, { ...state, answered }, ctx, responses);
  }

  /**
   * @param known Last known state; absent: the task is polled first.
   * @param responses Responses to send first.
   */
  async #await(
    known: RemoteTask | undefined,
    state: TaskState,
    ctx: ToolContext,
    responses?: JsonObject,
  ): Promise<unknown> {
    ctx.checkpoint(writeTaskState(state));
    notifyTaskCreated(ctx.runId);
    const { callsByTask } = this.#host.requestHandler;
    callsByTask.set(state.id, ctx);
    try {
      if (responses !== undefined) {
        const params = { taskId: state.id, inputResponses: responses };
        await this.#request("tasks/update", params, state, ctx);
      }
      let task = known ?? (await this.#poll(state, ctx));
      let lastMessage: string | undefined;
      while (task.status === "working" || isAnswered(task, state)) {
        if (task.message !== undefined && task.message !== lastMessage) {
          lastMessage = task.message;
          ctx.progress({ message: toProgressMessage(lastMessage) });
        }
        await this.#pause(task.pollMs, state.id, ctx.signal);
        task = await this.#poll(state, ctx);
      }
      return await this.#outcome(task, state, ctx);
    } catch (error) {
      if (ctx.signal.aborted) this.#cancel(state, ctx);
      else if (ToolError.is(error) && !transientCodes.has(error.code)) ctx.checkpoint(null);
      throw error;
    } finally {
      if (callsByTask.get(state.id) === ctx) callsByTask.delete(state.id);
    }
  }

  async #outcome(task: RemoteTask, state: TaskState, ctx: ToolContext): Promise<unknown> {
    if (task.status === "cancelled") {
      throw new ToolError("upstream", `The server cancelled the task.${formatStatusMessage(task)}`);
    }
    if (!state.isExtension) {
      // Returns the call's result when the task has ended. Until then the server may send requests.
      return this.#request("tasks/result", { taskId: state.id }, state, ctx);
    }
    if (task.status === "input_required") {
      const { inputRequests } = task;
      return { resultType: "input_required", inputRequests, requestState: writeTaskState(state) };
    }
    if (task.status === "completed") return task.result;
    throw toCallError(this.#host.requestHandler.server, task.error);
  }

  async #poll(state: TaskState, ctx: ToolContext): Promise<RemoteTask> {
    const answer = await this.#request("tasks/get", { taskId: state.id }, state, ctx);
    return readTask(answer, state.id);
  }

  /**
   * Sends a request about a task, and repeats it while the connection is lost: it has no side effects. Responses are
   * sent again only while the task still requests them.
   */
  async #request(
    method: string,
    params: JsonObject,
    state: TaskState,
    ctx: ToolContext,
  ): Promise<unknown> {
    for (let losses = 0; ; losses++) {
      try {
        return await this.#host.request(method, params, { signal: ctx.signal }, ctx);
      } catch (error) {
        if (ctx.signal.aborted || !ToolError.is(error)) throw error;
        if (error.code !== "unavailable")
          throw method === "tasks/get" ? toUnknownOutcome(error) : error;
        if (!error.retryable || losses >= maxRetries)
          throw unreachableError(this.#host.requestHandler.server, error);
        await this.#pause(firstRetryMs * 2 ** losses, state.id, ctx.signal);
        // Another server may be there now, which does not know the task.
        if (method === "tasks/get") continue;
        const task = await this.#poll(state, ctx);
        // The server has received the responses: they are not sent twice.
        if (method === "tasks/update" && !isWaitingFor(task, params)) return undefined;
      }
    }
  }

  /** Waits until the next poll is due, the server reports a change, or the call is cancelled. */
  async #pause(ms: number, id: string, signal: AbortSignal): Promise<void> {
    const wake = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    await pause(ms, { signal, wake });
    this.#waiting.delete(id);
    if (signal.aborted) throw new ToolError("cancelled", "The call was cancelled.");
  }

  /**
   * Cancels a task whose id arrived late: until then neither it nor its request can be cancelled (2025-11-25, tasks,
   * "Task Cancellation").
   */
  #cancelLate(answer: unknown, ctx: ToolContext): void {
    const task = readTaskOfResult(answer);
    if (task !== undefined) this.#cancel(task, ctx);
  }

  #cancel({ id }: Pick<RemoteTask, "id">, ctx: ToolContext): void {
    const signal = AbortSignal.timeout(cancelTimeoutMs);
    // The server may not support it, or be unavailable: no call waits for the result.
    this.#host.request("tasks/cancel", { taskId: id }, { signal }, ctx).catch(() => {});
  }
}

/** Task of an earlier attempt, or of the call before it was interrupted: no second one is created. */
function readCheckpointedTask({
  attempt,
  resumed,
  checkpointed,
}: ToolContext): TaskState | undefined {
  return attempt > 1 || resumed !== undefined ? readTaskState(checkpointed) : undefined;
}

/** True if the task waits for at least one of these responses. */
function isWaitingFor(
  { status, inputRequests }: RemoteTask,
  { inputResponses }: JsonObject,
): boolean {
  if (status !== "input_required" || !isObject(inputResponses)) return false;
  return Object.keys(inputResponses).some((name) => Object.hasOwn(inputRequests, name));
}

/** True if the task only repeats requests that were answered. */
function isAnswered(
  { status, inputRequests }: RemoteTask,
  { isExtension, answered }: TaskState,
): boolean {
  if (status !== "input_required" || !isExtension) return false;
  return Object.keys(inputRequests).every((name) => answered.includes(name));
}

function formatStatusMessage({ message }: RemoteTask): string {
  return message === undefined ? "" : ` Message: ${visibleText(truncate(message, 1_000))}`;
}

function toUnknownOutcome(error: ToolError): ToolError {
  if (transientCodes.has(error.code)) return error;
  return new ToolError(
    "outcome_unknown",
    `The server does not return the outcome of the task: ${error.message} The task may have completed; check that before you start it again.`,
    { cause: error },
  );
}

function unreachableError(server: string, error: ToolError): ToolError {
  return new ToolError(
    "unavailable",
    `The MCP server ${server} cannot be reached. The task that it has started may continue there.`,
    { cause: error, retryable: false },
  );
}
