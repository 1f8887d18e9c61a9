import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import { tasksExtension } from "../server-requests/client-capabilities.ts";

/** Milliseconds between two polls of a task; the server's proposal is clamped to them. */
const interval = { minMs: 50, maxMs: 30_000, defaultMs: 1_000 };

/** Maximum length of a task id. */
const maxIdLength = 1_000;

/** The state of a task of the server. */
export interface RemoteTask {
  readonly id: string;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  /** Status message of the server, for people. */
  readonly message: string | undefined;
  readonly pollMs: number;
  /** Members of the extension: result, error, and requests for input. */
  readonly result: JsonValue | undefined;
  readonly error: JsonValue | undefined;
  readonly inputRequests: JsonObject;
}

const statuses: ReadonlySet<unknown> = new Set<RemoteTask["status"]>([
  "working",
  "input_required",
  "completed",
  "failed",
  "cancelled",
]);

/**
 * Returns whether a tool runs only as a task, or may do so, on a server that supports tasks (2025-11-25, tasks,
 * "tool-level negotiation"). `undefined`: it is called without a task.
 *
 * @param capabilities Capabilities of the server.
 */
export function getTaskSupport(
  { execution }: McpDefinition,
  capabilities: JsonObject,
): "required" | "optional" | undefined {
  const support = isObject(execution) ? execution["taskSupport"] : undefined;
  const isKnown = support === "required" || support === "optional";
  return isKnown && runsTasks(capabilities) ? support : undefined;
}

/** True for a server of 2026-07-28 that may run any call as a task. */
export function hasTasksExtension({ extensions }: JsonObject): boolean {
  return isObject(extensions) && isObject(extensions[tasksExtension]);
}

function runsTasks({ tasks }: JsonObject): boolean {
  const { requests } = isObject(tasks) ? tasks : {};
  const { tools } = isObject(requests) ? requests : {};
  return isObject(tools) && isObject(tools["call"]);
}

/** Reads the task from the result of a call; `undefined`: the call has returned a result. */
export function readTaskOfResult(answer: unknown): RemoteTask | undefined {
  if (!isObject(answer)) return undefined;
  if (answer["resultType"] === "task") return readTask(answer);
  // In the older protocol, other members of the result are content.
  const { task } = answer;
  return isObject(task) && typeof task["taskId"] === "string" ? readTask(task) : undefined;
}

/**
 * Reads a task from a result.
 *
 * @param id Id of the requested task.
 * @throws ToolError `upstream` when it is not a task, or another one.
 */
export function readTask(answer: unknown, id?: string): RemoteTask {
  const members: JsonObject = isObject(answer) ? answer : {};
  const { taskId, status, statusMessage, pollInterval, pollIntervalMs = pollInterval } = members;
  if (typeof taskId !== "string" || taskId === "" || taskId.length > maxIdLength) {
    throw new ToolError("upstream", "The server returned a task without a valid id.");
  }
  if ((id !== undefined && id !== taskId) || !statuses.has(status)) {
    throw new ToolError("upstream", "The server returned no valid status of the task.");
  }
  const { result, error, inputRequests } = members;
  return {
    id: taskId,
    status: status as RemoteTask["status"],
    message: typeof statusMessage === "string" && statusMessage !== "" ? statusMessage : undefined,
    pollMs: clampPollMs(pollIntervalMs),
    result,
    error,
    inputRequests: isObject(inputRequests) ? inputRequests : {},
  };
}

function clampPollMs(proposed: JsonValue | undefined): number {
  if (typeof proposed !== "number" || !(proposed > 0)) return interval.defaultMs;
  return Math.min(Math.max(proposed, interval.minMs), interval.maxMs);
}

/** Prefix of a `requestState` that holds the state of a task instead of a server's own state. */
const mark = "toolweave.task ";

/** The task that a call continues. */
export interface TaskState {
  readonly id: string;
  /** A task of the extension of 2026-07-28: `tasks/get` returns its requests and its result. */
  readonly isExtension: boolean;
  /** Keys of the answered requests: a server may repeat them until it has processed the responses. */
  readonly answered: readonly string[];
}

/** Encodes the state as a `requestState`, so that the code for rounds of input needs no case for tasks. */
export function writeTaskState(state: TaskState): string {
  return mark + JSON.stringify(state);
}

/** Decodes the state of a task; `undefined`: the `requestState` is a server's own. */
export function readTaskState(requestState: unknown): TaskState | undefined {
  if (typeof requestState !== "string" || !requestState.startsWith(mark)) return undefined;
  try {
    const state: unknown = JSON.parse(requestState.slice(mark.length));
    if (!isObject(state)) return undefined;
    const { id, isExtension, answered } = state;
    if (typeof id !== "string" || !Array.isArray(answered)) return undefined;
    return { id, isExtension: isExtension === true, answered: answered.map(String) };
  } catch {
    return undefined;
  }
}

/** Listeners for tasks that a server creates, by run. */
const listeners = new Map<string, () => void>();

/** Registers a listener for tasks that a server creates for calls of a run; returns a function that removes it. */
export function onTaskCreated(runId: string, listener: () => void): () => void {
  listeners.set(runId, listener);
  return () => void listeners.delete(runId);
}

/** Notifies the run's listener that a server has created a task. */
export function notifyTaskCreated(runId: string): void {
  listeners.get(runId)?.();
}
