import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "@toolweave/core";
import type { Random } from "../cluster/random.ts";
import type { Recorder } from "../history/recorder.ts";
import type { CallId } from "./load.ts";
import { toStatus, type GatewayClient } from "./gateway-client.ts";
import type { CancelSample, WaitSample } from "./gateway-latencies.ts";

/** A user of the gateways: a client, and another one with a session, which continues what the first has started. */
export interface GatewayUser {
  readonly client: GatewayClient;
  readonly other: GatewayClient;
}

/** The part of a run that the operations of gateways use. */
export interface GatewayLoad {
  readonly recorder: Recorder;
  readonly random: Random;
  readonly cancels: CancelSample[];
  readonly waits: WaitSample[];
  /** Aborted when operations must have ended. */
  readonly deadline: AbortSignal;
}

/** Runs one operation to its end. Returns a result that cannot be correct, or nothing. */
export type RunGatewayOperation = (
  load: GatewayLoad,
  user: GatewayUser,
  runId: string,
) => Promise<string | undefined>;

/** A call with an effect. */
export const payment: RunGatewayOperation = (load, { client }, runId) =>
  callOnce(load, client, { runId, callId: `${runId}/pay`, tool: "pay" }, ["completed"]);

/** A call that asks its client while it runs. The answer reaches another gateway. */
export const question: RunGatewayOperation = (load, { client }, runId) =>
  callOnce(load, client, { runId, callId: `${runId}/ask`, tool: "ask" }, [
    "completed",
    "outcome_unknown",
  ]);

/** A call that needs an approval. With 2026-07-28, two answers arrive at the same time, at two gateways. */
export const approval: RunGatewayOperation = async (load, { client }, runId) => {
  client.decision = load.random.next() < 0.2 ? "reject" : "approve";
  const expected =
    client.decision === "reject"
      ? ["approval_rejected", "approval_invalid"]
      : ["completed", "outcome_unknown", "approval_invalid"];
  const call = { runId, callId: `${runId}/transfer`, tool: "transfer" };
  return callOnce(load, client, call, expected, 2);
};

/** A task whose result its client and one of another session wait for, and that one of them may cancel. */
export const task: RunGatewayOperation = async (load, { client, other }, runId) => {
  const { random } = load;
  const isCancelled = random.next() < 0.5;
  const call = { runId, callId: `${runId}/report`, tool: "report" };
  const times = {
    beforeMs: Math.floor(random.between(1, 200)),
    afterMs: isCancelled ? 30_000 : Math.floor(random.between(50, 300)),
  };
  const endAttempt = beginAttempt(load, call);
  try {
    const started = await client.request("tools/call", {
      ...toCallParams(call, times),
      ...(client.isModern ? {} : { task: { ttl: 600_000 } }),
    });
    if (started === undefined) return undefined;
    const created = started.answer as JsonObject;
    const taskId = (
      client.isModern ? created["taskId"] : (created["task"] as JsonObject)["taskId"]
    ) as string;
    // A task's id of 2026-07-28 also names its gateway; a session of 2025-11-25 needs the first part.
    const id = taskId.split(".", 1)[0] as string;
    const cancel = async (): Promise<void> => {
      if (!isCancelled) return;
      await pause(load, random.between(0, 400));
      await cancelTask(load, other, call, id);
    };
    const [first, second] = await Promise.all([
      client.isModern ? pollTask(load, client, call, taskId) : waitForTask(load, client, call, id),
      waitForTask(load, other, call, id),
      cancel(),
    ]);
    const expected = ["outcome_unknown", isCancelled ? "cancelled" : "completed"];
    return [first, second].find((found) => !expected.includes(found));
  } finally {
    endAttempt();
  }
};

/** Makes a call, and answers its questions; `answers` requests do that at the same time. */
async function callOnce(
  load: GatewayLoad,
  client: GatewayClient,
  call: CallId,
  expected: readonly string[],
  answers = 1,
): Promise<string | undefined> {
  const endAttempt = beginAttempt(load, call);
  try {
    const params = toCallParams(call);
    const from = Date.now();
    const seen = await client.request("tools/call", params);
    if (seen === undefined) return undefined;
    let results = [seen.answer as JsonObject];
    const [{ resultType, inputRequests, requestState } = {}] = results;
    if (resultType === "input_required") {
      const [key = ""] = Object.keys(inputRequests as JsonObject);
      const content = call.tool === "ask" ? {} : { content: { decision: client.decision } };
      const inputResponses = { [key]: { action: "accept", ...content } };
      const answered = { ...params, requestState: requestState ?? "", inputResponses };
      const found = await Promise.all(
        Array.from({ length: answers }, () => client.request("tools/call", answered, isUsed)),
      );
      results = found.flatMap((one) =>
        one?.answer === undefined ? [] : [one.answer as JsonObject],
      );
      if (results.length === 0 && found.every((one) => one?.error !== undefined)) {
        return "All answers were refused.";
      }
    }
    const problems = results.map((result) => record(load, client, call, result, from, expected));
    return problems.find((text) => text !== undefined);
  } finally {
    endAttempt();
  }
}

/** The answer was used by another request. */
function isUsed({ data }: JsonObject): boolean {
  return (data as JsonObject | undefined)?.["reason"] === "invalid_request_state";
}

async function waitForTask(
  load: GatewayLoad,
  client: GatewayClient,
  call: CallId,
  taskId: string,
): Promise<string> {
  for (;;) {
    const from = Date.now();
    const seen = await client.request("tasks/result", { taskId });
    // A task of a session that was lost cannot be asked for in another one.
    if (seen === undefined) return "outcome_unknown";
    const { holder } = client;
    if (holder !== undefined)
      load.waits.push({ callId: call.callId, holder, from, at: Date.now() });
    return recordTask(load, client, call, seen.answer as JsonObject, from);
  }
}

async function pollTask(
  load: GatewayLoad,
  client: GatewayClient,
  call: CallId,
  taskId: string,
): Promise<string> {
  for (;;) {
    const from = Date.now();
    const found = (await client.request("tasks/get", { taskId }))?.answer as JsonObject | undefined;
    const result = found?.["result"] as JsonObject | undefined;
    if (result !== undefined) return recordTask(load, client, call, result, from);
    if (found?.["status"] === "cancelled") {
      const cancelled = { isError: true, content: [{ type: "text", text: "cancelled" }] };
      return recordTask(load, client, call, cancelled, from);
    }
    if (found !== undefined && found["status"] !== "working") return JSON.stringify(found);
    await pause(load, 100);
  }
}

async function cancelTask(
  load: GatewayLoad,
  client: GatewayClient,
  { callId }: CallId,
  taskId: string,
): Promise<void> {
  for (;;) {
    const from = Date.now();
    const { holder } = client;
    const seen = await client.request("tasks/cancel", { taskId }, ({ message }) =>
      String(message).includes("The task has ended"),
    );
    if (seen === undefined) return;
    // A new session was started for the request: its gateway was not known before.
    if (holder !== undefined && holder === client.holder) {
      load.cancels.push({ callId, holder, from, until: Date.now() });
    }
    return;
  }
}

function recordTask(
  load: GatewayLoad,
  client: GatewayClient,
  call: CallId,
  result: JsonObject,
  from: number,
): string {
  const { code, text } = toStatus(result);
  record(load, client, call, result, from, [], true);
  return code === "unexpected" ? text : (code ?? "completed");
}

/** Records the answer. Returns its text if it is not expected. */
function record(
  { recorder }: GatewayLoad,
  { kind }: GatewayClient,
  call: CallId,
  result: JsonObject,
  from: number,
  expected: readonly string[],
  isStored = false,
): string | undefined {
  const { text, ...status } = toStatus(result);
  recorder.answers.push({
    ...{ ...call, ...status, attempt: call.callId, worker: kind, from, at: Date.now() },
    ...(isStored ? { isStored: true as const } : {}),
  });
  return expected.includes(status.code ?? status.status) ? undefined : text;
}

/** A call is in flight until its end is known, at any gateway. */
function beginAttempt({ recorder }: GatewayLoad, { runId, callId }: CallId): () => void {
  return recorder.beginAttempt({ id: callId, runId, callId, worker: "any", from: Date.now() });
}

function toCallParams({ runId, callId, tool }: CallId, more: JsonObject = {}): JsonObject {
  return { name: tool, arguments: { runId, callId, ...more } };
}

async function pause({ deadline }: GatewayLoad, ms: number): Promise<void> {
  await delay(ms, undefined, { signal: deadline }).catch(() => {});
}
