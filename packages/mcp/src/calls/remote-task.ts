import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import { isObject } from "../schema/schema-keywords.ts";
import { tasksExtension } from "../server-requests/client-capabilities.ts";

/** Milliseconds between two looks at a task: what a server proposes is kept within these. */
const interval = { least: 50, most: 30_000, usual: 1_000 };

/** Ids are the server's; longer ones are none. */
const maxIdLength = 1_000;

/** A task of a server's, as it stands. */
export interface RemoteTask {
  readonly id: string;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  /** What the server says of it, for people. */
  readonly message: string | undefined;
  readonly pollMs: number;
  /** Of the extension: what it came to, why it failed, what it asks. */
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
 * Whether a tool is only run as a task, or may be, by a server that can do so (2025-11-25, tasks, "tool-level
 * negotiation"). `undefined`: it is called plainly.
 *
 * @param capabilities the server's.
 */
export function getTaskSupport(
  { execution }: McpDefinition,
  capabilities: JsonObject,
): "required" | "optional" | undefined {
  const support = isObject(execution) ? execution["taskSupport"] : undefined;
  const isKnown = support === "required" || support === "optional";
  return isKnown && runsTasks(capabilities) ? support : undefined;
}

/** True for a server of 2026-07-28 that may make a task of any call. */
export function hasTasksExtension({ extensions }: JsonObject): boolean {
  return isObject(extensions) && isObject(extensions[tasksExtension]);
}

function runsTasks({ tasks }: JsonObject): boolean {
  const { requests } = isObject(tasks) ? tasks : {};
  const { tools } = isObject(requests) ? requests : {};
  return isObject(tools) && isObject(tools["call"]);
}

/** The task that a call has become; `undefined`: the answer is that of the call. */
export function readTaskOfAnswer(answer: unknown): RemoteTask | undefined {
  if (!isObject(answer)) return undefined;
  if (answer["resultType"] === "task") return readTask(answer);
  // What an answer to a call of the older generation has besides is content.
  const { task } = answer;
  return isObject(task) && typeof task["taskId"] === "string" ? readTask(task) : undefined;
}

/**
 * A task as the server tells it.
 *
 * @param id the one that was asked about.
 * @throws ToolError `upstream` for what is no task, or another one.
 */
export function readTask(answer: unknown, id?: string): RemoteTask {
  const given: JsonObject = isObject(answer) ? answer : {};
  const { taskId, status, statusMessage, pollInterval, pollIntervalMs = pollInterval } = given;
  if (typeof taskId !== "string" || taskId === "" || taskId.length > maxIdLength) {
    throw new ToolError("upstream", "The server speaks of a task, and does not say which.");
  }
  if ((id !== undefined && id !== taskId) || !statuses.has(status)) {
    throw new ToolError("upstream", "The server does not say how the task stands.");
  }
  const { result, error, inputRequests } = given;
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
  if (typeof proposed !== "number" || !(proposed > 0)) return interval.usual;
  return Math.min(Math.max(proposed, interval.least), interval.most);
}
