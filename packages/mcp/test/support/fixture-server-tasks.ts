import { randomUUID } from "node:crypto";
import {
  fromJsonSchema,
  ProtocolError,
  ProtocolErrorCode,
  type JSONObject,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import {
  said,
  type FixtureTask,
  type FixtureWorld,
  type TaskPlan,
} from "./fixture-server-state.ts";

const extension = "io.modelcontextprotocol/tasks";
const related = "io.modelcontextprotocol/related-task";
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

const question = {
  mode: "form" as const,
  message: "Which colour?",
  requestedSchema: {
    type: "object" as const,
    properties: { colour: { type: "string" as const } },
    required: ["colour"],
  },
};

/**
 * Whether a call should become a task: it requests one (2025-11-25), or its client supports them
 * (the extension of 2026-07-28).
 */
export function wantsTask(params: { task?: unknown }, ctx: ServerContext): boolean {
  const { envelope } = ctx.mcpReq;
  if (envelope === undefined) return params.task !== undefined;
  const { extensions } = ((envelope as JSONObject)[capabilitiesKey] ?? {}) as {
    extensions?: JSONObject;
  };
  return extensions?.[extension] !== undefined;
}

/** Creates a task, and returns it in the format of the request's generation. */
export async function beginTask(
  world: FixtureWorld,
  tool: string,
  plan: TaskPlan,
  ctx: ServerContext,
): Promise<never> {
  const task: FixtureTask = { id: randomUUID(), tool, plan, status: "working", looks: 0 };
  world.tasks.set(task.id, task);
  await answering(world, task, ctx);
  // The SDK requires content in any answer to a call, and its types have no tasks.
  const answer =
    ctx.mcpReq.envelope === undefined
      ? { content: [], task: toWire(task, false) }
      : { content: [], resultType: "task", ...toWire(task, true) };
  return answer as never;
}

/**
 * Until the answer may be sent. In the newer generation a client that cancels the request cancels
 * its task.
 */
async function answering(
  world: FixtureWorld,
  task: FixtureTask,
  { mcpReq: { signal, envelope } }: ServerContext,
): Promise<void> {
  const givenUp = movedOrAborted(task, signal).catch(() => {});
  await Promise.race([world.answering, givenUp]);
  if (signal.aborted && envelope !== undefined) task.status = "cancelled";
}

/** Answers requests about tasks, in both generations. */
export function offerTasks(server: Server, world: FixtureWorld): void {
  const found = (taskId: unknown): FixtureTask => {
    const task = world.tasks.get(String(taskId));
    if (task !== undefined) return task;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such task.");
  };
  handle(server, "tasks/get", ({ taskId }, ctx) => {
    const task = found(taskId);
    moveOn(task);
    return toWire(task, ctx.mcpReq.envelope !== undefined);
  });
  handle(server, "tasks/cancel", ({ taskId }, ctx) => {
    const task = found(taskId);
    if (!hasEnded(task)) task.status = "cancelled";
    task.moved?.();
    return ctx.mcpReq.envelope === undefined ? toWire(task, false) : {};
  });
  handle(server, "tasks/list", () => ({
    tasks: Array.from(world.tasks.values(), (task) => toWire(task, false)),
  }));
  handle(server, "tasks/update", ({ taskId }, ctx) => {
    const task = found(taskId);
    task.answer = ctx.mcpReq.inputResponses?.["colour"] as JSONObject;
    return {};
  });
  handle(server, "tasks/result", async ({ taskId }, ctx) => {
    const task = found(taskId);
    while (!hasEnded(task)) {
      moveOn(task);
      if (task.status === "input_required" && task.answer === undefined) {
        const params = { ...question, _meta: { [related]: { taskId: task.id } } };
        task.answer = (await ctx.mcpReq.send({ method: "elicitation/create", params })) as never;
      } else if (task.plan.outcome === "never") {
        await movedOrAborted(task, ctx.mcpReq.signal);
      }
    }
    if (task.status === "cancelled") {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The task was cancelled.");
    }
    if (task.plan.outcome === "fail") throw failure();
    return { ...getOutcome(task), _meta: { [related]: { taskId: task.id } } };
  });
}

function handle(
  server: Server,
  method: string,
  answer: (params: JSONObject, ctx: ServerContext) => JSONObject | Promise<JSONObject>,
): void {
  const params = fromJsonSchema<JSONObject>({ type: "object" });
  server.setRequestHandler(method, { params }, answer as never);
}

function hasEnded({ status }: FixtureTask): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function moveOn(task: FixtureTask): void {
  if (hasEnded(task)) return;
  task.looks += 1;
  const { outcome, steps } = task.plan;
  if (outcome === "never" || task.looks <= steps) return;
  if (outcome === "ask" && task.answer === undefined) task.status = "input_required";
  else task.status = outcome === "fail" ? "failed" : "completed";
}

/** A task in wire format: in the newer generation with its result, or its questions. */
function toWire(task: FixtureTask, isModern: boolean): JSONObject {
  const { id, status, looks, plan } = task;
  const times = { createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z" };
  const statusMessage = `Step ${looks}`;
  if (!isModern) {
    return { taskId: id, status, statusMessage, ...times, ttl: null, pollInterval: plan.pollMs };
  }
  const error = { code: -32603, message: failure().message };
  return {
    ...{ taskId: id, status, statusMessage, ...times, ttlMs: null, pollIntervalMs: plan.pollMs },
    ...(status === "completed" ? { result: { resultType: "complete", ...getOutcome(task) } } : {}),
    ...(status === "failed" ? { error } : {}),
    ...(status === "input_required"
      ? { inputRequests: { colour: { method: "elicitation/create", params: question } } }
      : {}),
  };
}

function failure(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, "The work came to nothing.");
}

function getOutcome({ plan, answer }: FixtureTask): JSONObject {
  if (plan.outcome === "error")
    return { ...said("It is not as it should be."), isError: true } as never;
  const done = answer === undefined ? "Done." : `Done: ${JSON.stringify(answer)}`;
  return { ...said(done), structuredContent: { steps: plan.steps } } as never;
}

function movedOrAborted(task: FixtureTask, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    task.moved = resolve;
    signal.addEventListener("abort", () => reject(new Error("The request was cancelled.")), {
      once: true,
    });
  });
}
