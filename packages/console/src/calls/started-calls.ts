import { createHash } from "node:crypto";
import type { JsonObject, ToolExecutor, ToolOutcome } from "@toolweave/core";
import { canonicalJson, digitsWithin } from "@toolweave/core/adapter";
import type { PendingCallStore } from "@toolweave/core/stores";
import { hasScope, type ConsoleCaller } from "../authentication/console-caller.ts";
import { toSentArguments } from "../http/json-body.ts";
import { Problem } from "../http/problem.ts";
import type { CallBody } from "./call-body.ts";
import { toOutcomeView, type OutcomeView } from "./outcome-view.ts";

/** A call that was started. */
export interface CallStarted {
  readonly callId: string;
  readonly runId: string;
}

/** The state of a call that was started here. */
export interface CallState extends CallStarted {
  readonly name: string;
  readonly status: "running" | "completed" | "failed" | "interrupted" | "cancelled";
  /** Once the call has ended or waits. Absent later: only the latest 200 are stored. */
  readonly outcome?: OutcomeView;
  /**
   * With `interrupted`: the approval to answer, also if a nested call asks for it. If it was answered in another
   * process, the outcome of the call is known there.
   */
  readonly approvalId?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt?: number;
}

interface StoredCall extends CallStarted {
  readonly name: string;
  /** Of the body: the same id is refused for another one. */
  readonly digest: string;
  readonly owner: string;
  readonly abort: () => void;
  readonly startedAt: number;
  status: CallState["status"];
  outcome?: ToolOutcome | undefined;
  approvalId?: string | undefined;
  endedAt?: number;
}

/** Calls that may run at once. */
const maxRunning = 100;
/** Calls whose outcome is stored. */
const maxOutcomes = 200;
/** Calls whose ids are stored. */
const maxStored = 100_000;

/** The calls that clients of the API have started in this process, by their ids. */
export class StartedCalls {
  readonly #executor: ToolExecutor;
  readonly #pendingCalls: PendingCallStore;
  readonly #getMetadata: (() => JsonObject) | undefined;
  readonly #calls = new Map<string, StoredCall>();
  /** Calls with an outcome, the earliest first. */
  readonly #withOutcome = new Set<StoredCall>();
  /** By the id of the approval that they wait for. */
  readonly #waiting = new Map<string, StoredCall>();
  #running = 0;

  constructor(
    executor: ToolExecutor,
    pendingCalls: PendingCallStore,
    getMetadata: (() => JsonObject) | undefined,
  ) {
    this.#executor = executor;
    this.#getMetadata = getMetadata;
    this.#pendingCalls = pendingCalls;
  }

  /**
   * Starts a call, unless a call with the same id and body was started before: then it returns that one.
   *
   * @throws Problem for an id that another call or another caller has, and if too many calls are running.
   */
  start(body: CallBody, { caller }: ConsoleCaller): CallStarted {
    const { name, arguments: args, id: callId = crypto.randomUUID(), timeoutMs, asTask } = body;
    const rounded = [...digitsWithin(args)];
    const digest = getDigest({ name, arguments: args, rounded, timeoutMs, asTask });
    const owner = canonicalJson(caller);
    const known = this.#calls.get(callId);
    if (known !== undefined) {
      if (known.digest === digest && known.owner === owner) return toStarted(known);
      throw new Problem(
        "call_conflict",
        "Another call has this id: give each call an id of its own. Nothing was started.",
      );
    }
    if (this.#running >= maxRunning) {
      const detail = "Too many calls are running: wait for one of them, or cancel it.";
      throw new Problem("too_many_requests", detail, {}, { "retry-after": "1" });
    }
    const run = this.#executor.startRun({ caller });
    const controller = new AbortController();
    const call: StoredCall = {
      callId,
      runId: run.id,
      name,
      digest,
      owner,
      abort: () => controller.abort(),
      startedAt: this.#executor.clock.now(),
      status: "running",
    };
    this.#store(call);
    this.#running += 1;
    // Without the signal of the request: the response comes before the call ends.
    const { signal } = controller;
    const options = {
      signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(asTask === undefined ? {} : { asTask }),
    };
    const asked = {
      id: callId,
      name,
      arguments: toSentArguments(args),
      ...(this.#getMetadata === undefined ? {} : { metadata: this.#getMetadata() }),
    };
    void run.execute(asked, options).then((outcome) => {
      this.#running -= 1;
      this.#end(call, outcome);
    });
    return toStarted(call);
  }

  /** @throws Problem `not_found` for an unknown call, and for that of another caller. */
  async getState(callId: string, sender: ConsoleCaller): Promise<CallState> {
    const call = this.#find(callId, sender);
    const { runId, name, outcome, startedAt, endedAt } = call;
    const status = await this.#getStatus(call);
    const isWaiting = status === "interrupted";
    return {
      callId,
      runId,
      // A model can ask for a tool of any name.
      name: this.#executor.redact(name),
      status,
      ...(outcome === undefined || status === "running"
        ? {}
        : { outcome: await toOutcomeView(this.#executor, outcome) }),
      ...(call.approvalId === undefined || !isWaiting ? {} : { approvalId: call.approvalId }),
      startedAt,
      ...(endedAt === undefined || status === "running" ? {} : { endedAt }),
    };
  }

  /**
   * Cancels a call that is running. A call that has ended stays as it is.
   *
   * @throws Problem for an unknown call, and for one that waits for a person.
   */
  async cancel(callId: string, sender: ConsoleCaller): Promise<CallState> {
    const call = this.#find(callId, sender);
    if (call.status === "interrupted") {
      throw new Problem(
        "call_waiting",
        "The call waits for a person, and nothing runs: reject its approval instead.",
      );
    }
    call.abort();
    return this.getState(callId, sender);
  }

  /** Stores the outcome that an answer to an approval has led to. */
  resumed(approvalId: string, outcome: ToolOutcome): void {
    const call = this.#waiting.get(approvalId);
    if (call === undefined) return;
    this.#waiting.delete(approvalId);
    this.#end(call, outcome);
  }

  /** A call that a person has approved is running again. */
  async #getStatus({ status, approvalId }: StoredCall): Promise<CallState["status"]> {
    if (status !== "interrupted" || approvalId === undefined) return status;
    const record = await this.#pendingCalls.get(approvalId);
    return record?.status === "claimed" ? "running" : status;
  }

  #find(callId: string, sender: ConsoleCaller): StoredCall {
    const call = this.#calls.get(callId);
    // People see the calls of programs, and a program sees its own.
    if (call !== undefined) {
      const isOwn = call.owner === canonicalJson(sender.caller);
      if (isOwn || hasScope(sender, "decide")) return call;
    }
    throw new Problem(
      "not_found",
      "There is no call with this id here: it was started in another process, or the id is wrong.",
    );
  }

  #store(call: StoredCall): void {
    this.#calls.set(call.callId, call);
    const [oldest] = this.#calls.values();
    if (this.#calls.size <= maxStored || oldest === undefined) return;
    this.#calls.delete(oldest.callId);
    this.#forget(oldest);
  }

  #end(call: StoredCall, outcome: ToolOutcome): void {
    call.outcome = outcome;
    call.status = toStatus(outcome);
    call.approvalId = outcome.interruption?.id;
    if (call.approvalId === undefined) call.endedAt = this.#executor.clock.now();
    else this.#waiting.set(call.approvalId, call);
    this.#withOutcome.delete(call);
    this.#withOutcome.add(call);
    const [oldest] = this.#withOutcome;
    if (this.#withOutcome.size > maxOutcomes && oldest !== undefined) this.#forget(oldest);
  }

  #forget(call: StoredCall): void {
    this.#withOutcome.delete(call);
    call.outcome = undefined;
    if (call.approvalId !== undefined) this.#waiting.delete(call.approvalId);
  }
}

function toStarted({ callId, runId }: StoredCall): CallStarted {
  return { callId, runId };
}

function toStatus(outcome: ToolOutcome): CallState["status"] {
  return outcome.error?.code === "cancelled" ? "cancelled" : outcome.status;
}

function getDigest(body: object): string {
  return createHash("sha256").update(canonicalJson(body)).digest("base64url");
}
