import { ToolError, type JsonObject, type TaskInfo, type ToolExecutor } from "@toolweave/core";
import { untilAborted } from "@toolweave/core/adapter";
import { relatedTask, tasksExtension } from "../../server-requests/client-capabilities.ts";
import type { EndedOutcome } from "../clients/call-result.ts";
import type { ClientCall } from "./client-call.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import {
  type RequestHandler,
  errorCode,
  McpError,
  missingCapabilityError,
  type RequestPort,
} from "../clients/request-port.ts";
import { toPage } from "../clients/paging.ts";
import type { Replica } from "../replicas/replica.ts";
import { supportsTasks } from "../clients/task-support.ts";

/** Interval in milliseconds in which clients should poll a task. */
const pollMs = 1_000;

/** Milliseconds until the questions of a task of another process are known. */
const questionsMs = 5_000;

/** Runs the calls of tasks. */
export interface TaskHost {
  /**
   * Converts the outcome of an ended task to the client's result.
   *
   * @throws McpError
   */
  toResult(client: GatewayClient, outcome: EndedOutcome, port: RequestPort): JsonObject;
  /** Asks the client for input of a task that no request waits for. */
  watchTask(client: GatewayClient, id: string, port: RequestPort): void;
  /** Runs the work of a request that ends with its call: when the gateway closes, it waits for it. */
  countRequest<T>(work: () => Promise<T>): Promise<T>;
}

interface RunningTask {
  readonly call: ClientCall;
  readonly principal: string;
  /** Resolves when the task is not waited for in this process any more. */
  readonly over: Promise<unknown>;
}

/**
 * The tasks of clients, stored by the executor: each is visible only to the client whose call it was. Questions of
 * running tasks are kept here until the client polls.
 */
export class ClientTasks {
  readonly #executor: ToolExecutor;
  readonly #host: TaskHost;
  readonly #replica: Replica | undefined;
  readonly #running = new Map<string, RunningTask>();

  /** @param replica This process among others: the ids of tasks name it (2026-07-28). */
  constructor(executor: ToolExecutor, host: TaskHost, replica: Replica | undefined) {
    this.#executor = executor;
    this.#host = host;
    this.#replica = replica;
  }

  /** Registers a call that continues as a task until `over`; its client is notified of changes. */
  track(client: GatewayClient, id: string, call: ClientCall, over: Promise<unknown>): void {
    this.#running.set(id, { call, principal: client.principal, over });
    let isNotifying = false;
    let isChanged = false;
    // In sequence: a store may be slow, and the last notification must have the current status.
    const notify = async (): Promise<void> => {
      isChanged = true;
      if (isNotifying) return;
      isNotifying = true;
      while (isChanged) {
        isChanged = false;
        await this.#notifyStatus(client, id, call);
      }
      isNotifying = false;
    };
    const end = (): void => {
      this.#running.delete(id);
      call.onChange = undefined;
      void notify();
    };
    call.onChange = () => void notify();
    over.then(end, end);
  }

  /** Cancels tasks that wait for an answer of their client, because the gateway closes. */
  cancelWaiting(): void {
    for (const { call } of this.#running.values()) {
      if (Object.keys(call.questions).length > 0) call.cancel("The gateway is shutting down.");
    }
  }

  /** Cancels the tasks of a client that has disconnected: no other client can access them. */
  async onClientEnd({ principal, runOptions: behalf }: GatewayClient): Promise<void> {
    for (const { call, principal: owner } of this.#running.values()) {
      if (owner === principal) call.cancel("The client has disconnected.");
    }
    // Also tasks that this process does not wait for.
    const all = await this.#executor.tasks.list(behalf).catch(() => []);
    const open = all.filter(({ status }) => !isOver(status));
    await Promise.allSettled(open.map(({ id }) => this.#executor.tasks.cancel(id, behalf)));
  }

  /** Returns the result of a call that continues as a task. */
  async toTaskResult(client: GatewayClient, id: string, port: RequestPort): Promise<JsonObject> {
    const info = await this.#info(client, id);
    const task = { ...toProtocolTask(info, port.era), status: "working" };
    if (port.era === "legacy") return { task };
    const taskId = (await this.#replica?.toTaskId(id)) ?? id;
    return { resultType: "task", ...task, taskId };
  }

  /** Handlers of the requests about tasks, by method. A gateway that closes waits for their responses. */
  handlers(
    client: GatewayClient,
    era: "legacy" | "modern",
  ): Readonly<Record<string, RequestHandler>> {
    const handlers = Object.entries(this.#handlers(client, era)).map(
      ([method, handler]): [string, RequestHandler] => [
        method,
        async (params, port) => this.#host.countRequest(async () => handler(params, port)),
      ],
    );
    if (era === "modern") return Object.fromEntries(handlers);
    return {
      ...Object.fromEntries(handlers),
      "tasks/result": (params, port) => this.#result(client, readTaskId(params), port),
    };
  }

  #handlers(
    client: GatewayClient,
    era: "legacy" | "modern",
  ): Readonly<Record<string, RequestHandler>> {
    if (era === "modern") {
      return {
        "tasks/get": requireTasks(async (params, port) => {
          const taskId = readTaskId(params);
          // A client compares the id with the one that it has.
          return { ...(await this.#get(client, toExecutorId(taskId), port)), taskId };
        }),
        "tasks/update": requireTasks((params, port) =>
          this.#update(client, toExecutorId(readTaskId(params)), port),
        ),
        "tasks/cancel": requireTasks(async (params) => {
          await this.#cancel(client, toExecutorId(readTaskId(params)));
          return {};
        }),
      };
    }
    return {
      "tasks/get": async (params) => {
        const id = readTaskId(params);
        return this.#toTask(client, await this.#info(client, id));
      },
      "tasks/list": async (params) => {
        const all = await this.#executor.tasks.list(client.runOptions);
        const inOrder = all.toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
        const { entries, nextCursor } = toPage(inOrder, sortKey, params);
        return {
          tasks: entries.map((info) => this.#toTask(client, info)),
          ...(nextCursor === undefined ? {} : { nextCursor }),
        };
      },
      "tasks/cancel": async (params) => {
        const id = readTaskId(params);
        const { status } = await this.#info(client, id);
        if (isOver(status)) {
          throw new McpError(errorCode.invalidParams, `The task has ended: it is ${status}`);
        }
        return this.#toTask(client, await this.#cancel(client, id));
      },
    };
  }

  async #get(client: GatewayClient, id: string, port: RequestPort): Promise<JsonObject> {
    const info = await this.#info(client, id);
    const task = this.#toTask(client, info, "modern");
    if (!isOver(info.status)) {
      const call = this.#findCall(client, id, port);
      const questions = call?.questions ?? {};
      return task["status"] === "input_required" ? { ...task, inputRequests: questions } : task;
    }
    const outcome = await this.#executor.tasks.result(id, { ...client.runOptions, waitMs: 0 });
    if (info.status === "cancelled" || outcome === undefined || outcome.status === "interrupted") {
      return task;
    }
    try {
      const result = this.#host.toResult(client, outcome, port);
      return { ...task, status: "completed", result: { resultType: "complete", ...result } };
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      const { code, message, data } = error;
      const failure = { code, message, ...(data === undefined ? {} : { data }) };
      return { ...task, status: "failed", error: failure };
    }
  }

  async #update(client: GatewayClient, id: string, port: RequestPort): Promise<JsonObject> {
    const { interruption } = await this.#info(client, id);
    const call = this.#findCall(client, id, port);
    // Another process has asked the client: the questions are known here as soon as the store was read.
    if (interruption !== undefined) await call?.waitForQuestions(port.signal, questionsMs);
    call?.answer(port.inputResponses ?? {});
    return {};
  }

  /** Returns the result when the task has ended; until then its client is asked for input. */
  async #result(client: GatewayClient, id: string, port: RequestPort): Promise<JsonObject> {
    const result = await this.#host.countRequest(async () => {
      const { status } = await this.#info(client, id);
      if (isOver(status)) return this.#readResult(client, id, port);
      const running = this.#findRunning(client, id, port);
      if (running === undefined) return undefined;
      const detach = running.call.attach(port);
      try {
        await untilAborted(
          running.over.then(undefined, () => {}),
          port.signal,
        );
        if (port.signal.aborted) {
          throw new McpError(errorCode.internal, "The request was cancelled");
        }
      } finally {
        detach();
      }
      return this.#readResult(client, id, port);
    });
    // A task of another process may run for longer than this one.
    return result ?? this.#readResult(client, id, port);
  }

  /** Waits for the end of a task, and returns its result. */
  async #readResult(client: GatewayClient, id: string, port: RequestPort): Promise<JsonObject> {
    const { signal } = port;
    const outcome = await this.#executor.tasks.result(id, { ...client.runOptions, signal });
    if (outcome === undefined || outcome.status === "interrupted") {
      throw new McpError(
        errorCode.internal,
        "The task waits for a person who cannot be asked here",
      );
    }
    const result = this.#host.toResult(client, outcome, port);
    const meta = { ...(result["_meta"] as JsonObject), [relatedTask]: { taskId: id } };
    return { ...result, _meta: meta };
  }

  async #cancel(client: GatewayClient, id: string): Promise<TaskInfo> {
    const info = await this.#executor.tasks.cancel(id, client.runOptions).catch(throwUnknownTask);
    this.#running.get(id)?.call.cancel("The client has cancelled the task.");
    return info;
  }

  /** @throws McpError `-32602` for a task of another client, or an expired one. */
  #info(client: GatewayClient, id: string): Promise<TaskInfo> {
    return this.#executor.tasks.status(id, client.runOptions).catch(throwUnknownTask);
  }

  #findCall(client: GatewayClient, id: string, port: RequestPort): ClientCall | undefined {
    return this.#findRunning(client, id, port)?.call;
  }

  #findRunning(client: GatewayClient, id: string, port: RequestPort): RunningTask | undefined {
    if (!this.#running.has(id)) this.#host.watchTask(client, id, port);
    return this.#running.get(id);
  }

  #toTask(
    { principal }: GatewayClient,
    info: TaskInfo,
    era: "legacy" | "modern" = "legacy",
  ): JsonObject {
    const running = this.#running.get(info.id);
    const call = running?.principal === principal ? running.call : undefined;
    const task = toProtocolTask(info, era, call?.message);
    if (isOver(info.status)) return task;
    // The client cannot answer what another client is asked.
    const hasQuestions = call !== undefined && Object.keys(call.questions).length > 0;
    return { ...task, status: hasQuestions ? "input_required" : "working" };
  }

  async #notifyStatus(client: GatewayClient, id: string, call: ClientCall): Promise<void> {
    if (!call.isLegacy || call.taskId === undefined) return;
    try {
      call.notifyConnection(
        "notifications/tasks/status",
        this.#toTask(client, await this.#info(client, id)),
      );
    } catch {
      // The client can poll.
    }
  }
}

/** Converts a task to the protocol's form; up to 2025-11-25 a task with an error result has failed. */
function toProtocolTask(
  { id, status, error, createdAt, updatedAt, expiresAt }: TaskInfo,
  era: "legacy" | "modern",
  message = error?.message,
): JsonObject {
  const lifetime = expiresAt - createdAt;
  return {
    taskId: id,
    status: error !== undefined && status === "completed" ? "failed" : status,
    ...(message === undefined ? {} : { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ...(era === "legacy"
      ? { ttl: lifetime, pollInterval: pollMs }
      : { ttlMs: lifetime, pollIntervalMs: pollMs }),
  };
}

/** Position in the list of all tasks: the oldest first. */
function sortKey({ createdAt, id }: TaskInfo): string {
  return `${createdAt} ${id}`;
}

function isOver(status: TaskInfo["status"]): boolean {
  return status !== "working" && status !== "input_required";
}

/** Wraps a handler that requires the client's tasks capability. */
function requireTasks(handler: RequestHandler): RequestHandler {
  return (params, port) => {
    if (supportsTasks(port)) return handler(params, port);
    throw missingCapabilityError({ extensions: { [tasksExtension]: {} } });
  };
}

/** Removes the part of a task's id that names its process. */
function toExecutorId(taskId: string): string {
  return taskId.split(".", 1)[0] ?? taskId;
}

function readTaskId({ taskId }: JsonObject): string {
  if (typeof taskId === "string") return taskId;
  throw new McpError(errorCode.invalidParams, "taskId must be a string");
}

function throwUnknownTask(error: unknown): never {
  if (ToolError.is(error) && error.code === "not_found") {
    throw new McpError(errorCode.invalidParams, "There is no such task");
  }
  throw error;
}
