import { ToolError, type JsonObject, type TaskInfo, type ToolExecutor } from "@toolweave/core";
import { tasksExtension } from "../../server-requests/client-capabilities.ts";
import type { EndedOutcome } from "../clients/call-result.ts";
import type { ClientCall } from "./client-call.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import {
  type RequestHandler,
  errorCode,
  McpError,
  missingCapabilities,
  type RequestPort,
} from "../clients/request-port.ts";
import { relatedTask } from "./open-questions.ts";
import { toPage } from "../clients/paging.ts";
import { knowsTasks } from "../clients/task-support.ts";

/** Milliseconds between two looks of a client's at a task. */
const pollMs = 1_000;

/** What tasks need of whoever runs calls. */
export interface TaskHost {
  /** The result of a task that has ended. @throws McpError */
  resultOf(client: GatewayClient, outcome: EndedOutcome, port: RequestPort): JsonObject;
  /** Goes on with a task that nobody waits for here: asks its client what it asks. */
  follow(client: GatewayClient, id: string, port: RequestPort): void;
}

interface LiveTask {
  readonly call: ClientCall;
  readonly principal: string;
  /** Resolves when it is not waited for here any more. */
  readonly over: Promise<unknown>;
}

/**
 * The tasks of clients, which are the executor's: each is seen by the client whose call it was, and by nobody else. Of
 * those that run, what they ask is kept here until the client wants to know.
 */
export class ClientTasks {
  readonly #executor: ToolExecutor;
  readonly #host: TaskHost;
  readonly #live = new Map<string, LiveTask>();

  constructor(executor: ToolExecutor, host: TaskHost) {
    this.#executor = executor;
    this.#host = host;
  }

  /** `call` goes on as a task until `over`; its client hears how it stands. */
  keep(client: GatewayClient, id: string, call: ClientCall, over: Promise<unknown>): void {
    this.#live.set(id, { call, principal: client.principal, over });
    let isTelling = false;
    let isChanged = false;
    // One after the other: a store may be slow, and what the client hears last has to be how the task stands.
    const tell = async (): Promise<void> => {
      isChanged = true;
      if (isTelling) return;
      isTelling = true;
      while (isChanged) {
        isChanged = false;
        await this.#tell(client, id, call);
      }
      isTelling = false;
    };
    const end = (): void => {
      this.#live.delete(id);
      call.onChange = undefined;
      void tell();
    };
    call.onChange = () => void tell();
    over.then(end, end);
  }

  /** The gateway closes: what a client has been asked is not waited for. */
  stopAsking(): void {
    for (const { call } of this.#live.values()) {
      if (Object.keys(call.questions).length > 0) call.cancel("The gateway is shutting down.");
    }
  }

  /** The client is gone, and nobody else may ask for its tasks. */
  async left({ principal, behalf }: GatewayClient): Promise<void> {
    for (const { call, principal: owner } of this.#live.values()) {
      if (owner === principal) call.cancel("The client is gone.");
    }
    // Those that nobody waits for here, too.
    const all = await this.#executor.tasks.list(behalf).catch(() => []);
    const open = all.filter(({ status }) => !isOver(status));
    await Promise.allSettled(open.map(({ id }) => this.#executor.tasks.cancel(id, behalf)));
  }

  /** What a call is answered with that goes on as a task. */
  async created(client: GatewayClient, id: string, port: RequestPort): Promise<JsonObject> {
    const info = await this.#info(client, id);
    const task = { ...shownTask(info, port.era), status: "working" };
    return port.era === "modern" ? { resultType: "task", ...task } : { task };
  }

  /** The requests about tasks, by method. */
  answers(
    client: GatewayClient,
    era: "legacy" | "modern",
  ): Readonly<Record<string, RequestHandler>> {
    if (era === "modern") {
      return {
        "tasks/get": declared((params, port) => this.#get(client, idIn(params), port)),
        "tasks/update": declared((params, port) => this.#update(client, idIn(params), port)),
        "tasks/cancel": declared(async (params) => {
          await this.#cancel(client, idIn(params));
          return {};
        }),
      };
    }
    return {
      "tasks/get": async (params) => {
        const id = idIn(params);
        return this.#shown(client, await this.#info(client, id));
      },
      "tasks/list": async (params) => {
        const all = await this.#executor.tasks.list(client.behalf);
        const inOrder = all.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
        const { entries, nextCursor } = toPage(inOrder, placeOf, params);
        return {
          tasks: entries.map((info) => this.#shown(client, info)),
          ...(nextCursor === undefined ? {} : { nextCursor }),
        };
      },
      "tasks/cancel": async (params) => {
        const id = idIn(params);
        const { status } = await this.#info(client, id);
        if (isOver(status)) {
          throw new McpError(errorCode.invalidParams, `The task has ended: it is ${status}`);
        }
        return this.#shown(client, await this.#cancel(client, id));
      },
      "tasks/result": (params, port) => this.#result(client, idIn(params), port),
    };
  }

  async #get(client: GatewayClient, id: string, port: RequestPort): Promise<JsonObject> {
    const info = await this.#info(client, id);
    const task = this.#shown(client, info, "modern");
    if (!isOver(info.status)) {
      const call = this.#callOf(client, id, port);
      const questions = call?.questions ?? {};
      return task["status"] === "input_required" ? { ...task, inputRequests: questions } : task;
    }
    const outcome = await this.#executor.tasks.result(id, { ...client.behalf, waitMs: 0 });
    if (info.status === "cancelled" || outcome === undefined || outcome.status === "interrupted") {
      return task;
    }
    try {
      const result = this.#host.resultOf(client, outcome, port);
      return { ...task, status: "completed", result: { resultType: "complete", ...result } };
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      const { code, message, data } = error;
      const shown = { code, message, ...(data === undefined ? {} : { data }) };
      return { ...task, status: "failed", error: shown };
    }
  }

  async #update(client: GatewayClient, id: string, port: RequestPort): Promise<JsonObject> {
    await this.#info(client, id);
    this.#callOf(client, id, port)?.answer(port.inputResponses ?? {});
    return {};
  }

  /** As soon as the task has ended; until then its client is asked what it asks. */
  async #result(client: GatewayClient, id: string, port: RequestPort): Promise<JsonObject> {
    const { status } = await this.#info(client, id);
    const live = isOver(status) ? undefined : this.#liveOf(client, id, port);
    if (live !== undefined) {
      const detach = live.call.attach(port);
      try {
        await untilAborted(live.over, port.signal);
      } finally {
        detach();
      }
    }
    const { signal } = port;
    const outcome = await this.#executor.tasks.result(id, { ...client.behalf, signal });
    if (outcome === undefined || outcome.status === "interrupted") {
      throw new McpError(
        errorCode.internal,
        "The task waits for somebody who cannot be asked here",
      );
    }
    const result = this.#host.resultOf(client, outcome, port);
    const meta = { ...(result["_meta"] as JsonObject), [relatedTask]: { taskId: id } };
    return { ...result, _meta: meta };
  }

  async #cancel(client: GatewayClient, id: string): Promise<TaskInfo> {
    const info = await this.#executor.tasks.cancel(id, client.behalf).catch(asUnknown);
    this.#live.get(id)?.call.cancel("The client has cancelled the task.");
    return info;
  }

  /** @throws McpError `-32602` for one that is not this client's, or has expired. */
  #info(client: GatewayClient, id: string): Promise<TaskInfo> {
    return this.#executor.tasks.status(id, client.behalf).catch(asUnknown);
  }

  #callOf(client: GatewayClient, id: string, port: RequestPort): ClientCall | undefined {
    return this.#liveOf(client, id, port)?.call;
  }

  #liveOf(client: GatewayClient, id: string, port: RequestPort): LiveTask | undefined {
    if (!this.#live.has(id)) this.#host.follow(client, id, port);
    return this.#live.get(id);
  }

  #shown(
    { principal }: GatewayClient,
    info: TaskInfo,
    era: "legacy" | "modern" = "legacy",
  ): JsonObject {
    const live = this.#live.get(info.id);
    const call = live?.principal === principal ? live.call : undefined;
    const task = shownTask(info, era, call?.message);
    if (isOver(info.status)) return task;
    // Its client can do nothing about what is asked of somebody else.
    const asks = call !== undefined && Object.keys(call.questions).length > 0;
    return { ...task, status: asks ? "input_required" : "working" };
  }

  async #tell(client: GatewayClient, id: string, call: ClientCall): Promise<void> {
    if (!call.isLegacy || call.taskId === undefined) return;
    try {
      call.tell("notifications/tasks/status", this.#shown(client, await this.#info(client, id)));
    } catch {
      // Whoever wants to know asks.
    }
  }
}

/** A task as the protocol shows it; up to 2025-11-25 one whose answer is an error has failed. */
function shownTask(
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

/** Its place in the list of all: the oldest first. */
function placeOf({ createdAt, id }: TaskInfo): string {
  return `${createdAt} ${id}`;
}

function isOver(status: TaskInfo["status"]): boolean {
  return status !== "working" && status !== "input_required";
}

/** Only for clients that say that they know tasks. */
function declared(answer: RequestHandler): RequestHandler {
  return (params, port) => {
    if (knowsTasks(port)) return answer(params, port);
    throw missingCapabilities({ extensions: { [tasksExtension]: {} } });
  };
}

function idIn({ taskId }: JsonObject): string {
  if (typeof taskId === "string") return taskId;
  throw new McpError(errorCode.invalidParams, "taskId is no text");
}

function asUnknown(error: unknown): never {
  if (ToolError.is(error) && error.code === "not_found") {
    throw new McpError(errorCode.invalidParams, "There is no such task");
  }
  throw error;
}

function untilAborted(over: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new McpError(errorCode.internal, "Nobody waits any more"));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    const end = (): void => {
      signal.removeEventListener("abort", stop);
      resolve();
    };
    over.then(end, end);
  });
}
