import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "../cluster/cluster.ts";
import type { Random } from "../cluster/random.ts";
import type { Recorder } from "../history/recorder.ts";
import type { WorkerReply, WorkerRequest } from "../worker/messages.ts";

/** The call that a request is about. */
export interface CallId {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
}

/** The part of a run that operations use: each is a client, or an engine that repeats the steps of ended processes. */
export interface LoadOptions {
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly random: Random;
  /** Milliseconds after which a client does not wait for a reply any more. */
  readonly replyMs: number;
  /** False: a version without a ledger takes part, so that no run is durable. */
  readonly hasLedger: boolean;
  /** Aborted when operations must have ended. */
  readonly deadline: AbortSignal;
}

/** A reply, and the worker that has given it. */
export type WorkerAnswer = WorkerReply & { readonly worker: string };

/** The text of an error that says that the tool has not started. */
const notRun = /\b(?:was not run|has not run|nothing was run)\b/i;

/** The number of times that a store may be unavailable for one request with the same text. */
const maxUnavailable = 12;

/** Makes requests to the workers, and records them with their answers. */
export class Load {
  readonly #options: LoadOptions;
  /** Ends the attempts of tasks, which are in flight until their end is known. */
  readonly #tasks = new Map<string, () => void>();
  #lostReplies = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  get random(): Random {
    return this.#options.random;
  }

  get hasLedger(): boolean {
    return this.#options.hasLedger;
  }

  get recorder(): Recorder {
    return this.#options.recorder;
  }

  /** The number of requests without a reply. */
  get lostReplies(): number {
    return this.#lostReplies;
  }

  /**
   * Makes one request. `undefined`: there is no reply.
   *
   * @param call the call that it is about; absent: it is about none.
   * @param avoid the worker that does not get it, if there are others.
   */
  async ask(
    call: CallId | undefined,
    request: WorkerRequest,
    avoid?: string,
  ): Promise<WorkerAnswer | undefined> {
    const { cluster, recorder, random, replyMs, deadline } = this.#options;
    if (deadline.aborted) throw new Error("its time is over.");
    const { runId, callId } = call ?? { runId: "none", callId: "none" };
    const from = Date.now();
    const id = crypto.randomUUID();
    const { worker, reply } = await cluster.send({ ...request, attempt: id }, random, avoid);
    const endAttempt = recorder.beginAttempt({ id, runId, callId, worker, from });
    // Also a reply that is late counts.
    const recorded = reply.then((found) => {
      if (found?.taskId === undefined) endAttempt();
      else this.#tasks.set(found.taskId, endAttempt);
      if (found === undefined) return undefined;
      if (call !== undefined) this.#record(call, request, found, { worker, from });
      return { ...found, worker };
    });
    const waited = new AbortController();
    const late = delay(replyMs, "late" as const, { signal: waited.signal }).catch(
      () => "late" as const,
    );
    const first = await Promise.race([recorded, late]);
    waited.abort();
    if (first === undefined || first === "late") this.#lostReplies++;
    if (first !== "late") return first;
    recorder.faults.push({ kind: "no-answer", worker, from, until: Date.now() });
    return undefined;
  }

  /**
   * Makes a request until it has a reply that is not about an unavailable store.
   *
   * @param isFinal false for a reply after which the request is made again.
   */
  async askUntilFinal(
    call: CallId | undefined,
    request: WorkerRequest,
    {
      avoid,
      isFinal = () => true,
    }: { readonly avoid?: string; readonly isFinal?: (reply: WorkerReply) => boolean } = {},
  ): Promise<WorkerAnswer> {
    let unavailable = 0;
    let lastMessage: string | undefined;
    for (;;) {
      const reply = await this.ask(call, request, avoid);
      if (reply === undefined) continue;
      if (reply.code === "store_unavailable") {
        unavailable = reply.message === lastMessage ? unavailable + 1 : 1;
        lastMessage = reply.message;
        // The outcome of a call that was approved stays the same.
        if (request.type === "resume" && unavailable > maxUnavailable) return reply;
      } else if (isFinal(reply)) return reply;
      await this.pause(Math.min(100 * (unavailable + 1), 500));
    }
  }

  /** The end of a task is known. */
  endTask(taskId: string): void {
    this.#tasks.get(taskId)?.();
    this.#tasks.delete(taskId);
  }

  /** Waits; ends early when operations must have ended. */
  async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#options.deadline }).catch(() => {});
  }

  #record(
    call: CallId,
    request: WorkerRequest,
    reply: WorkerReply,
    asked: { readonly worker: string; readonly from: number },
  ): void {
    // The call continues as a task, or the task does: that is no end of the call.
    if (reply.taskId !== undefined || reply.status === "working") return;
    const { attempt, status, code, message = "", digest } = reply;
    const isStored =
      request.type === "task-result" || (request.type === "call" && request.durable === true);
    this.recorder.answers.push({
      ...{ ...asked, attempt, at: Date.now(), status },
      ...{ runId: call.runId, callId: call.callId, tool: call.tool },
      ...(code === undefined ? {} : { code }),
      ...(notRun.test(message) ? { hasNotRun: true as const } : {}),
      ...(digest === undefined ? {} : { digest }),
      ...(isStored ? { isStored } : {}),
    });
  }
}
