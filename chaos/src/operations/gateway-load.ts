import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "@toolweave/core";
import type { Random } from "../cluster/random.ts";
import type { Answer, ClientError } from "../history/history.ts";
import type { Recorder } from "../history/recorder.ts";
import { toStatus } from "./gateway-answers.ts";
import type { GatewayClient, GatewayResponse } from "./gateway-client.ts";
import type { CancelSample, WaitSample } from "./gateway-latencies.ts";
import type { CallId } from "./load.ts";

/** A gateway, past the load balancer. */
export interface GatewayAddress {
  readonly url: string;
  /** The name of the process that listens there now, or listened there last. */
  readonly name: () => string;
}

/** A task whose id a client has. */
export interface AcceptedTask extends CallId {
  readonly taskId: string;
  /** When its call was made. */
  readonly from: number;
  /** Its client has asked to cancel it. */
  readonly isCancelled: boolean;
}

/** The part of a run that the operations of gateways use. */
export interface GatewayLoad {
  readonly recorder: Recorder;
  readonly random: Random;
  readonly gateways: readonly GatewayAddress[];
  readonly tasks: AcceptedTask[];
  readonly cancels: CancelSample[];
  readonly waits: WaitSample[];
  /** Receives every error of a request in place of a response. */
  readonly report: (error: ClientError) => void;
  /** Aborted when operations must have ended. */
  readonly deadline: AbortSignal;
}

/** Runs one operation to its end. Returns a result that cannot be correct, or nothing. */
export type RunGatewayOperation = (
  load: GatewayLoad,
  client: GatewayClient,
  runId: string,
) => Promise<string | undefined>;

/** A call with an effect. */
export const payment: RunGatewayOperation = async (load, client, runId) => {
  const call = { runId, callId: `${runId}/pay`, tool: "pay" };
  return inFlight(load, call, async () => {
    const from = Date.now();
    const response = await client.request("tools/call", toCallParams(call));
    return recordResponse(load, client.kind, call, response, from, ["completed"]);
  });
};

/** A call that asks its client while it runs. With 2026-07-28, the answer reaches another gateway. */
export const question: RunGatewayOperation = async (load, client, runId) => {
  const call = { runId, callId: `${runId}/ask`, tool: "ask" };
  return inFlight(load, call, async () => {
    const from = Date.now();
    const params = toCallParams(call);
    const first = await client.request("tools/call", params);
    const answered = toAnswered(params, first, {});
    const last =
      answered === undefined ? first : await client.request("tools/call", answered, isUsed);
    return recordResponse(load, client.kind, call, last, from, ["completed", "outcome_unknown"]);
  });
};

/**
 * A call that needs an approval. With 2026-07-28, two answers arrive at the same time, at two gateways, and each is sent
 * again until it has an outcome.
 */
export const approval: RunGatewayOperation = async (load, client, runId) => {
  const { recorder } = load;
  client.decision = load.random.next() < 0.2 ? "reject" : "approve";
  const { decision } = client;
  // A gateway can end after it has claimed the call, and before it has written that the person rejected it.
  const expected = [decision === "reject" ? "approval_rejected" : "completed", "outcome_unknown"];
  const call = { runId, callId: `${runId}/transfer`, tool: "transfer" };
  return inFlight(load, call, async () => {
    const from = Date.now();
    const params = toCallParams(call);
    const first = await client.request("tools/call", params);
    const answered = toAnswered(params, first, { content: { decision } });
    if (answered === undefined) {
      return recordResponse(load, client.kind, call, first, from, expected);
    }
    const answer = async (): Promise<string | undefined> => {
      for (;;) {
        const asked = Date.now();
        const response = await client.request("tools/call", answered, isUsed);
        if (!("lost" in response) && !isBeingResumed(response)) {
          return recordResponse(load, client.kind, call, response, asked, expected);
        }
        await pause(load, 200);
      }
    };
    const problems = await Promise.all([answer(), answer()]);
    const hasOutcome = recorder.answers.some(({ callId }) => callId === call.callId);
    if (!hasOutcome) return "All answers were refused.";
    return problems.find((text) => text !== undefined);
  });
};

/** Runs an operation; its call is in flight until the end, at any gateway. */
export async function inFlight<Result>(
  { recorder }: GatewayLoad,
  { runId, callId }: CallId,
  run: () => Promise<Result>,
): Promise<Result> {
  const from = Date.now();
  const end = recorder.beginAttempt({ id: callId, runId, callId, worker: "any", from });
  try {
    return await run();
  } finally {
    end();
  }
}

/** The next request of a client that was asked in a result; `undefined`: it was not. */
function toAnswered(
  params: JsonObject,
  response: GatewayResponse,
  content: JsonObject,
): JsonObject | undefined {
  if (!("answer" in response)) return undefined;
  const { resultType, inputRequests, requestState = "" } = response.answer;
  if (resultType !== "input_required") return undefined;
  const [key = ""] = Object.keys(inputRequests as JsonObject);
  return { ...params, requestState, inputResponses: { [key]: { action: "accept", ...content } } };
}

/** The answer was used by another request. */
function isUsed({ data }: JsonObject): boolean {
  return (data as JsonObject | undefined)?.["reason"] === "invalid_request_state";
}

function isBeingResumed(response: GatewayResponse): boolean {
  return "answer" in response && toStatus(response.answer).code === "approval_invalid";
}

/** Records what a client knows about its call. Returns a text that cannot be correct. */
function recordResponse(
  load: GatewayLoad,
  worker: string,
  call: CallId,
  response: GatewayResponse,
  from: number,
  expected: readonly string[],
): string | undefined {
  if ("answer" in response)
    return recordResult(load, worker, call, response.answer, from, expected);
  if ("refused" in response) return undefined;
  const unanswered = {
    // A session that is unknown runs no call.
    "session-lost": { status: "failed", code: "session_lost", hasNotRun: true },
    "may-have-run": { status: "failed", code: "outcome_unknown" },
    "connection-lost": undefined,
    "shutting-down": undefined,
    other: undefined,
  } as const;
  const status = unanswered[response.lost];
  if (status !== undefined) pushAnswer(load, worker, call, status, from);
  return undefined;
}

/** Records a result. Returns its text if it is none of those that are expected. */
export function recordResult(
  load: GatewayLoad,
  worker: string,
  call: CallId,
  result: JsonObject,
  from: number,
  expected: readonly string[],
  isStored = false,
): string | undefined {
  const { text, ...status } = toStatus(result);
  pushAnswer(load, worker, call, { ...status, ...(isStored ? { isStored: true } : {}) }, from);
  const found = status.code ?? status.status;
  return expected.includes(found) || isEnding(load, found, from) ? undefined : text;
}

/** A gateway that ends refuses new calls, and cancels those that have not ended in its grace period. */
function isEnding({ recorder }: GatewayLoad, found: string, from: number): boolean {
  return (
    (found === "unavailable" || found === "cancelled") &&
    recorder.faults.some(({ kind, until }) => kind === "drain" && until >= from)
  );
}

function pushAnswer(
  { recorder }: GatewayLoad,
  worker: string,
  call: CallId,
  status: Pick<Answer, "status" | "code" | "digest" | "hasNotRun" | "isStored">,
  from: number,
): void {
  recorder.answers.push({ ...call, ...status, attempt: call.callId, worker, from, at: Date.now() });
}

/** The parameters of `tools/call`. */
export function toCallParams({ runId, callId, tool }: CallId, more: JsonObject = {}): JsonObject {
  return { name: tool, arguments: { runId, callId, ...more } };
}

/**
 * Waits for some milliseconds.
 *
 * @throws Error when operations must have ended.
 */
export async function pause({ deadline }: GatewayLoad, ms: number): Promise<void> {
  await delay(ms, undefined, { signal: deadline }).catch(() => {});
  if (deadline.aborted) throw new Error("its time is over.");
}
