import {
  cancellationOf,
  ToolError,
  visibleText,
  type JsonObject,
  type ToolContext,
  type ToolErrorCode,
} from "@toolweave/core";
import type { RequestOptions } from "../transport/messages/mcp-connection.ts";
import type { Requester } from "../connection/requester.ts";
import { isObject } from "../schema/schema-keywords.ts";
import { toCallError } from "../transport/call-error.ts";
import { toProgressMessage } from "./call-output.ts";
import { notifyTaskCreated } from "./task-events.ts";
import { readTask, readTaskOfAnswer, type RemoteTask } from "./remote-task.ts";
import { readTaskState, writeTaskState, type TaskState } from "./task-state.ts";

/** Looks at a task over a connection that is gone: each waits twice as long as the one before. */
const maxRetries = 8;
const firstRetryMs = 100;

/** What says nothing of the task: it goes on, and so may the call. */
const transientCodes: ReadonlySet<ToolErrorCode> = new Set([
  "auth_required",
  "rate_limited",
  "unavailable",
]);

/** How long a server gets to hear that nobody wants a task any more. */
const cancelTimeoutMs = 5_000;

/** How one request of a call is made. */
export interface TaskCallOptions extends Omit<RequestOptions, "signal"> {
  /** The server is asked for a task. */
  readonly asTask: boolean;
}

/**
 * The tasks that a server makes of calls, in both generations: 2025-11-25 (`task` in the request, `tasks/get`,
 * `tasks/result`), and the extension of 2026-07-28 (a `task` answer, `tasks/get`, `tasks/update`). A call waits for its
 * task, whatever becomes of the connection meanwhile, until its own time is up.
 */
export class RemoteTasks {
  readonly #host: Requester;
  /** Who waits for news of a task, by its id. */
  readonly #waiting = new Map<string, () => void>();

  constructor(host: Requester) {
    this.#host = host;
  }

  /**
   * Makes a `tools/call`, and gives what it comes to, task or not. A task of the extension that asks something gives an
   * `input_required` answer; with its `requestState` and `inputResponses` the next call goes on with the task.
   *
   * @throws ToolError `outcome_unknown` when the server does not know the task any more, `unavailable` when the
   * connection does not come back, `upstream` when the task failed or was cancelled over there; what a call throws.
   */
  async call(params: JsonObject, ctx: ToolContext, options: TaskCallOptions): Promise<unknown> {
    const state = readTaskState(params["requestState"]) ?? readCheckpointedTask(ctx);
    if (state !== undefined) return this.#goOn(state, params["inputResponses"], ctx);
    const { asTask, onProgress, headers } = options;
    const asked = asTask ? { ...params, task: {} } : params;
    const onLate = asTask ? (late: unknown) => this.#cancelLate(late, ctx) : undefined;
    const sent = { onProgress, headers, onLate, signal: cancellationOf(ctx) };
    const answer = await this.#host.request("tools/call", asked, sent, ctx);
    const task = readTaskOfAnswer(answer);
    if (task === undefined) return answer;
    const isExtension = (answer as JsonObject)["resultType"] === "task";
    return this.#await(task, { id: task.id, isExtension, answered: [] }, ctx);
  }

  /** `notifications/tasks/status`: who waits for that task looks at once. */
  onStatus({ taskId }: JsonObject): void {
    if (typeof taskId === "string") this.#waiting.get(taskId)?.();
  }

  async #goOn(state: TaskState, responses: unknown, ctx: ToolContext): Promise<unknown> {
    if (!isObject(responses)) return this.#await(undefined, state, ctx);
    const answered = [...state.answered, ...Object.keys(responses)];
    return this.#await(undefined, { ...state, answered }, ctx, responses);
  }

  /**
   * @param known how it stood last; absent: it has to be asked.
   * @param responses what it has to be told first.
   */
  async #await(
    known: RemoteTask | undefined,
    state: TaskState,
    ctx: ToolContext,
    responses?: JsonObject,
  ): Promise<unknown> {
    ctx.checkpoint(writeTaskState(state));
    notifyTaskCreated(ctx.runId);
    try {
      if (responses !== undefined) {
        const params = { taskId: state.id, inputResponses: responses };
        await this.#ask("tasks/update", params, state, ctx);
      }
      let task = known ?? (await this.#look(state, ctx));
      let told: string | undefined;
      while (task.status === "working" || isAnswered(task, state)) {
        if (task.message !== undefined && task.message !== told) {
          told = task.message;
          ctx.progress({ message: toProgressMessage(told) });
        }
        await this.#pause(task.pollMs, state.id, ctx.signal);
        task = await this.#look(state, ctx);
      }
      return await this.#outcome(task, state, ctx);
    } catch (error) {
      if (ctx.signal.aborted) this.#cancel(state, ctx);
      else if (ToolError.is(error) && !transientCodes.has(error.code)) ctx.checkpoint(null);
      throw error;
    }
  }

  async #outcome(task: RemoteTask, state: TaskState, ctx: ToolContext): Promise<unknown> {
    if (task.status === "cancelled") {
      throw new ToolError("upstream", `The server cancelled the task.${formatStatusMessage(task)}`);
    }
    if (!state.isExtension) {
      // Answers as the call would have, when the task has ended; until then it may ask something, live.
      return this.#ask("tasks/result", { taskId: state.id }, state, ctx);
    }
    if (task.status === "input_required") {
      const { inputRequests } = task;
      return { resultType: "input_required", inputRequests, requestState: writeTaskState(state) };
    }
    if (task.status === "completed") return task.result;
    throw toCallError(this.#host.requestHandler.server, task.error);
  }

  async #look(state: TaskState, ctx: ToolContext): Promise<RemoteTask> {
    const answer = await this.#ask("tasks/get", { taskId: state.id }, state, ctx);
    return readTask(answer, state.id);
  }

  /**
   * Asks about a task, again and again while the connection is gone: to ask does nothing. Answers are sent again only
   * while the task still asks for them.
   */
  async #ask(
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
        // Another server may be there now, which knows nothing of it.
        if (method === "tasks/get") continue;
        const task = await this.#look(state, ctx);
        // The server has the answers already: they are not sent twice.
        if (method === "tasks/update" && !asksFor(task, params)) return undefined;
      }
    }
  }

  /** Until it is time to look again, the server says that the task has moved on, or nobody waits any more. */
  #pause(ms: number, id: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        this.#waiting.delete(id);
      };
      const stop = (): void => {
        end();
        reject(new ToolError("cancelled", "The call was cancelled."));
      };
      const goOn = (): void => {
        end();
        resolve();
      };
      const timer = setTimeout(goOn, ms);
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      this.#waiting.set(id, goOn);
    });
  }

  /** Until its id is known a task cannot be cancelled, nor the request for it (2025-11-25, tasks, "Task Cancellation"). */
  #cancelLate(answer: unknown, ctx: ToolContext): void {
    const task = readTaskOfAnswer(answer);
    if (task !== undefined) this.#cancel(task, ctx);
  }

  #cancel({ id }: Pick<RemoteTask, "id">, ctx: ToolContext): void {
    const signal = AbortSignal.timeout(cancelTimeoutMs);
    // A server that cannot, or is gone: nobody waits for its answer.
    this.#host.request("tasks/cancel", { taskId: id }, { signal }, ctx).catch(() => {});
  }
}

/** The task of an earlier attempt, or of the call before it waited for somebody: no second one is begun. */
function readCheckpointedTask({
  attempt,
  resumed,
  checkpointed,
}: ToolContext): TaskState | undefined {
  return attempt > 1 || resumed !== undefined ? readTaskState(checkpointed) : undefined;
}

/** It waits for at least one of these answers. */
function asksFor({ status, inputRequests }: RemoteTask, { inputResponses }: JsonObject): boolean {
  if (status !== "input_required" || !isObject(inputResponses)) return false;
  return Object.keys(inputResponses).some((name) => Object.hasOwn(inputRequests, name));
}

/** It still shows questions that it has the answers to. */
function isAnswered(
  { status, inputRequests }: RemoteTask,
  { isExtension, answered }: TaskState,
): boolean {
  if (status !== "input_required" || !isExtension) return false;
  return Object.keys(inputRequests).every((name) => answered.includes(name));
}

function formatStatusMessage({ message }: RemoteTask): string {
  return message === undefined ? "" : ` It says: ${visibleText(message.slice(0, 1_000))}`;
}

function toUnknownOutcome(error: ToolError): ToolError {
  if (transientCodes.has(error.code)) return error;
  return new ToolError(
    "outcome_unknown",
    `The server does not tell what became of the task: ${error.message} It may have done its work; check that before it is begun again.`,
    { cause: error },
  );
}

function unreachableError(server: string, error: ToolError): ToolError {
  return new ToolError(
    "unavailable",
    `The MCP server ${server} cannot be reached. The task that it began may go on there.`,
    { cause: error, retryable: false },
  );
}
