import type { JsonObject } from "@toolweave/core";
import type { GatewayClient, Session } from "./gateway-client.ts";
import { rawRequest, type RawResponse } from "./raw-request.ts";
import {
  inFlight,
  pause,
  recordResult,
  toCallParams,
  type AcceptedTask,
  type GatewayAddress,
  type GatewayLoad,
  type RunGatewayOperation,
} from "./gateway-load.ts";
import type { CallId } from "./load.ts";

/** A task whose result two requests wait for, and that may be cancelled. */
export const task: RunGatewayOperation = async (load, client, runId) => {
  const call = { runId, callId: `${runId}/report`, tool: "report" };
  const isCancelled = load.random.next() < 0.5;
  const params = toCallParams(call, {
    beforeMs: Math.floor(load.random.between(1, 200)),
    afterMs: isCancelled ? 30_000 : Math.floor(load.random.between(50, 300)),
  });
  const run = client.isModern ? taskWithoutSession : taskOfSession;
  return inFlight(load, call, () => run(load, client, call, params, isCancelled));
};

type RunTask = (
  load: GatewayLoad,
  client: GatewayClient,
  call: CallId,
  params: JsonObject,
  isCancelled: boolean,
) => Promise<string | undefined>;

const outcomes = (isCancelled: boolean): readonly string[] => [
  "outcome_unknown",
  isCancelled ? "cancelled" : "completed",
];

/** A task of 2026-07-28: one gateway starts it, others read and cancel it. The SDK's client supports no such tasks. */
const taskWithoutSession: RunTask = async (load, _client, call, params, isCancelled) => {
  const { random, gateways } = load;
  const from = Date.now();
  const start = random.pick(gateways);
  const started = await sendOnce(load, start, "tools/call", params);
  if (started === undefined) return undefined;
  if (started.result?.["resultType"] !== "task") return JSON.stringify(started);
  const taskId = started.result["taskId"] as string;
  load.tasks.push({ ...call, taskId: toStoredId(taskId), from, isCancelled });
  const others = gateways.filter((one) => one !== start);
  const cancel = async (): Promise<string | undefined> => {
    if (!isCancelled) return undefined;
    await pause(load, random.between(0, 400));
    return cancelElsewhere(load, others, call, taskId);
  };
  const problems = await Promise.all([
    poll(load, others, call, taskId, outcomes(isCancelled)),
    poll(load, gateways, call, taskId, outcomes(isCancelled)),
    cancel(),
  ]);
  return problems.find((text) => text !== undefined);
};

async function poll(
  load: GatewayLoad,
  gateways: readonly GatewayAddress[],
  call: CallId,
  taskId: string,
  expected: readonly string[],
): Promise<string | undefined> {
  const { random, waits } = load;
  for (;;) {
    const from = Date.now();
    const gateway = random.pick(gateways);
    const name = gateway.name();
    const response = await sendOnce(load, gateway, "tasks/get", { taskId });
    const { status, result } = response?.result ?? {};
    if (response?.error !== undefined) return JSON.stringify(response.error);
    if (status === "cancelled") {
      const cancelled = { isError: true, content: [{ type: "text", text: "cancelled" }] };
      return recordResult(load, "2026-07-28", call, cancelled, from, expected, true);
    }
    if (result !== undefined) {
      waits.push({ callId: call.callId, gateway: name, at: Date.now() });
      return recordResult(load, "2026-07-28", call, result as JsonObject, from, expected, true);
    }
    if (response !== undefined && status !== "working") return JSON.stringify(response);
    await pause(load, 50);
  }
}

async function cancelElsewhere(
  load: GatewayLoad,
  others: readonly GatewayAddress[],
  { callId }: CallId,
  taskId: string,
): Promise<string | undefined> {
  const { random, cancels } = load;
  const from = Date.now();
  for (;;) {
    const gateway = random.pick(others);
    const name = gateway.name();
    const response = await sendOnce(load, gateway, "tasks/cancel", { taskId });
    if (response?.error !== undefined) return JSON.stringify(response.error);
    if (response !== undefined) {
      cancels.push({ callId, gateway: name, from });
      return undefined;
    }
    await pause(load, 50);
  }
}

/** Sends a request. `undefined`: there is no response, which is reported if the request may have been received. */
async function sendOnce(
  { report }: GatewayLoad,
  { url }: GatewayAddress,
  method: string,
  params: JsonObject,
): Promise<RawResponse | undefined> {
  const from = Date.now();
  const response = await rawRequest(url, method, params);
  if (!("lost" in response)) return response;
  if (response.lost === "not-sent") return undefined;
  const { lost: type, text } = response;
  report({ client: "2026-07-28, raw", type, text: `${method}: ${text}`, from, until: Date.now() });
  return undefined;
}

/** A task of 2025-11-25, which its session alone knows. */
const taskOfSession: RunTask = async (load, client, call, params, isCancelled) => {
  const from = Date.now();
  const started = await client.request("tools/call", { ...params, task: { ttl: 600_000 } });
  if (!("answer" in started)) return undefined;
  const { taskId } = (started.answer["task"] ?? {}) as JsonObject;
  if (typeof taskId !== "string") return JSON.stringify(started.answer);
  const accepted: AcceptedTask = { ...call, taskId, from, isCancelled };
  load.tasks.push(accepted);
  const problems = await Promise.all([
    waitInSession(load, client, accepted, started.session),
    waitInSession(load, client, accepted, started.session),
    cancelInSession(load, client, accepted, started.session),
  ]);
  return problems.find((text) => text !== undefined);
};

/** Waits for the result. Without the session it cannot be read any more: the store is checked when everything has ended. */
async function waitInSession(
  load: GatewayLoad,
  client: GatewayClient,
  accepted: AcceptedTask,
  session: Session,
): Promise<string | undefined> {
  const { taskId, isCancelled, runId, callId, tool } = accepted;
  for (;;) {
    const from = Date.now();
    const response = await client.request("tasks/result", { taskId }, undefined, session);
    if ("answer" in response) {
      const call = { runId, callId, tool };
      const expected = outcomes(isCancelled);
      return recordResult(load, client.kind, call, response.answer, from, expected, true);
    }
    if ("refused" in response || response.lost === "session-lost") return undefined;
    await pause(load, 50);
  }
}

async function cancelInSession(
  load: GatewayLoad,
  client: GatewayClient,
  { taskId, isCancelled }: AcceptedTask,
  session: Session,
): Promise<undefined> {
  if (!isCancelled) return;
  await pause(load, load.random.between(0, 400));
  for (;;) {
    const response = await client.request("tasks/cancel", { taskId }, hasEnded, session);
    if (!("lost" in response) || response.lost === "session-lost") return;
    await pause(load, 50);
  }
}

function hasEnded({ message }: JsonObject): boolean {
  return String(message).includes("The task has ended");
}

/** The id in the store: that of a client also names the gateway. */
function toStoredId(taskId: string): string {
  return taskId.split(".", 1)[0] ?? taskId;
}
