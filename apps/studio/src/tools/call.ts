import type { CallStarted, CallState, EventView } from "@toolweave/console";
import { signal, type Signal } from "@preact/signals";
import type { JsonValue } from "@toolweave/core";
import { requestJson } from "../api/client.ts";
import { onEvents, streamState } from "../api/event-stream.ts";
import type { ApiError } from "../api/problem.ts";
import { toApiError } from "../api/resource.ts";

/** Settings of a call beside its arguments. */
export interface CallSettings {
  /** Milliseconds. Absent: the limit of the tool. */
  readonly timeoutMs?: number;
  readonly asTask: boolean;
}

/** A call as the page displays it. */
export interface DisplayedCall {
  readonly callId: string;
  readonly runId?: string;
  readonly startedAt: number;
  /** The text of the arguments that were sent. */
  readonly json: string;
  readonly state?: CallState;
  readonly error?: ApiError;
  /** The latest progress. */
  readonly progress?: JsonValue;
  /** The latest partial output. */
  readonly partial?: JsonValue;
  readonly isCancelling: boolean;
}

/** How often a call is read where no events come, in milliseconds. */
const pollMs = 1500;

const endEvents: ReadonlySet<string> = new Set([
  "tool.completed",
  "tool.failed",
  "tool.rejected",
  "tool.interrupted",
  "tool.suspended",
  "tool.replayed",
]);

/** The calls of this page by tool, newest first. */
const calls = new Map<string, Signal<readonly DisplayedCall[]>>();

/** The calls of a tool. */
export function getCalls(name: string): Signal<readonly DisplayedCall[]> {
  const existing = calls.get(name);
  if (existing !== undefined) return existing;
  const created = signal<readonly DisplayedCall[]>([]);
  calls.set(name, created);
  return created;
}

/** Whether a call has not ended. */
export function isRunning({ state, error }: DisplayedCall): boolean {
  return error === undefined && (state === undefined || state.status === "running");
}

/** The status of a call in words. */
export function callStatus({ state, error }: DisplayedCall): string {
  if (state === undefined) return error === undefined ? "running" : "failed";
  return state.status === "interrupted" ? "waiting" : state.status;
}

/** Starts a call, and follows it until it ends. The id makes sure that a request that is sent again runs nothing. */
export async function startCall(
  name: string,
  json: string,
  { timeoutMs, asTask }: CallSettings,
): Promise<void> {
  const callId = `studio-${crypto.randomUUID()}`;
  const list = getCalls(name);
  const first: DisplayedCall = { callId, startedAt: Date.now(), json, isCancelling: false };
  list.value = [first, ...list.value].slice(0, 50);
  const update = (changes: Partial<DisplayedCall>): void => {
    list.value = list.value.map((call) =>
      call.callId === callId ? { ...call, ...changes } : call,
    );
  };
  const settings = JSON.stringify({
    name,
    id: callId,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(asTask ? { asTask } : {}),
  });
  const followed = followCall(callId, update);
  try {
    const started = await requestJson<CallStarted>("/api/calls", {
      method: "POST",
      text: `${settings.slice(0, -1)},"arguments":${json}}`,
    });
    update({ runId: started.runId });
    followed.start();
  } catch (error) {
    followed.stop();
    update({ error: toApiError(error) });
  }
}

/** Asks the server to cancel a call; the end of the call comes as for any other. */
export async function cancelCall(name: string, callId: string): Promise<void> {
  const list = getCalls(name);
  const update = (changes: Partial<DisplayedCall>): void => {
    list.value = list.value.map((call) =>
      call.callId === callId ? { ...call, ...changes } : call,
    );
  };
  update({ isCancelling: true });
  try {
    await requestJson(`/api/calls/${encodeURIComponent(callId)}/cancel`, {
      method: "POST",
      body: {},
    });
  } catch (error) {
    const problem = toApiError(error);
    // It has begun to wait for a person meanwhile, which is displayed: to reject it cancels it.
    const isWaiting = problem.code === "call_waiting";
    update({ isCancelling: false, ...(isWaiting ? {} : { error: problem }) });
  }
}

/** Applies events of a call, and reads its state when one says that it has ended, or from time to time. */
function followCall(
  callId: string,
  update: (changes: Partial<DisplayedCall>) => void,
): { start(): void; stop(): void } {
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    isStopped = true;
    clearTimeout(timer);
    unsubscribe();
  };
  const read = async (): Promise<void> => {
    clearTimeout(timer);
    try {
      const state = await requestJson<CallState>(`/api/calls/${encodeURIComponent(callId)}`);
      if (isStopped) return;
      update({ state, runId: state.runId });
      // A call that waits for a person continues after the answer: its events say so.
      if (state.status === "interrupted") return;
      if (state.status !== "running") {
        stop();
        return;
      }
    } catch (error) {
      if (isStopped) return;
      const problem = toApiError(error);
      if (problem.status !== 0 && problem.status !== 503) {
        stop();
        update({ error: problem });
        return;
      }
    }
    clearTimeout(timer);
    timer = setTimeout(() => void read(), streamState.value === "live" ? 10 * pollMs : pollMs);
  };
  const unsubscribe = onEvents((events) => {
    const own = events.filter((event) => event.callId === callId);
    if (own.length === 0) return;
    const changes = readProgress(own);
    if (Object.keys(changes).length > 0) update(changes);
    if (own.some(({ type }) => endEvents.has(type))) void read();
  });
  return { start: () => void read(), stop };
}

function readProgress(events: readonly EventView[]): Partial<DisplayedCall> {
  const progress = events.findLast(({ type }) => type === "tool.progressed")?.["progress"];
  const partial = events.findLast(({ type }) => type === "tool.updated")?.["output"];
  return {
    ...(progress === undefined ? {} : { progress: progress as JsonValue }),
    ...(partial === undefined ? {} : { partial: partial as JsonValue }),
  };
}
