import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import { isObject, pause } from "@toolweave/core/adapter";
import { relatedTask } from "../../server-requests/client-capabilities.ts";
import type { ClientQuestion } from "../clients/client-question.ts";
import type { RequestPort } from "../clients/request-port.ts";

/** A question without an answer yet. */
interface OpenQuestion {
  readonly question: ClientQuestion;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** True while the client is being asked. */
  isSent: boolean;
  answer(answer: JsonObject): void;
  fail(error: Error): void;
}

/** Questions of a call that the client receives only with the response to a request, or when it polls a task. */
export class OpenQuestions {
  readonly #changed: () => void;
  readonly #open = new Map<string, OpenQuestion>();
  /** The request of a client that waits for the task, over which it can be asked. */
  #waiting: { readonly port: RequestPort; readonly taskId: string } | undefined;
  #asked = 0;
  /** Resolve functions of waits for a question. */
  readonly #waits = new Set<() => void>();

  /** @param changed Called when a question was added or removed. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** Questions by key, in the protocol's form. */
  get all(): JsonObject {
    const questions = Array.from(this.#open, ([key, { question }]) => [key, { ...question }]);
    return Object.fromEntries(questions) as JsonObject;
  }

  /** The request of a client that waits for the task. */
  get port(): RequestPort | undefined {
    return this.#waiting?.port;
  }

  /**
   * Resolves with the client's answer, not validated.
   *
   * @param waitMs Absent: the question waits as long as its call.
   * @param key Key that the client sends with its answer. Default: one that was not used before.
   * @throws the reason of the signal; an error when there is no answer in time.
   */
  ask(
    question: ClientQuestion,
    signal: AbortSignal,
    waitMs?: number,
    key = `question_${(this.#asked += 1)}`,
  ): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const settled = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
      const fail = (error: Error): void => {
        this.#open.delete(key);
        settled();
        reject(error);
        this.#changed();
      };
      const onAbort = (): void => fail(signal.reason as Error);
      const timer =
        waitMs === undefined ? undefined : setTimeout(() => fail(answerTimeoutError()), waitMs);
      unrefTimer(timer);
      signal.addEventListener("abort", onAbort, { once: true });
      const answer = (response: JsonObject): void => {
        settled();
        resolve(response);
      };
      this.#open.set(key, { question, signal, isSent: false, answer, fail });
      for (const resolveWait of this.#waits) resolveWait();
      this.#changed();
      void this.#send(key);
    });
  }

  /** Resolves when there is a question, when the signal is aborted, or after `waitMs`. */
  async waitForQuestions(signal: AbortSignal, waitMs: number): Promise<void> {
    if (!this.isEmpty) return;
    let wake = (): void => {};
    const asked = new Promise<void>((resolve) => (wake = resolve));
    this.#waits.add(wake);
    try {
      await pause(waitMs, { signal, wake: asked });
    } finally {
      this.#waits.delete(wake);
    }
  }

  /** Accepts answers of the client, by key; invalid ones are ignored. */
  answer(responses: JsonObject): void {
    for (const [key, answer] of Object.entries(responses)) {
      const open = this.#open.get(key);
      if (open === undefined || !isObject(answer)) continue;
      this.#open.delete(key);
      open.answer(answer);
    }
    this.#changed();
  }

  /**
   * Attaches a request that waits for the task: while it is open, its client is asked over it. Returns a function
   * that detaches it.
   */
  attach(port: RequestPort, taskId: string): () => void {
    const waiting = { port, taskId };
    this.#waiting = waiting;
    for (const key of this.#open.keys()) void this.#send(key);
    return () => {
      if (this.#waiting === waiting) this.#waiting = undefined;
    };
  }

  /** Rejects all questions. */
  fail(error: Error): void {
    for (const { fail } of this.#open.values()) fail(error);
  }

  async #send(key: string): Promise<void> {
    const open = this.#open.get(key);
    const waiting = this.#waiting;
    if (open === undefined || waiting === undefined || open.isSent) return;
    open.isSent = true;
    const { port, taskId } = waiting;
    const { method, params } = open.question;
    const meta = { ...(params["_meta"] as JsonObject | undefined), [relatedTask]: { taskId } };
    try {
      const signal = AbortSignal.any([port.signal, open.signal]);
      const answer = await port.request(method, { ...params, _meta: meta }, signal);
      this.answer({ [key]: toAnswer(answer) });
    } catch (error) {
      open.isSent = false;
      // The request has ended: the question stays open.
      if (!port.signal.aborted) open.fail(error as Error);
      else if (this.#waiting !== waiting) await this.#send(key);
    }
  }
}

/** Lets the process exit although the timer is pending. */
export function unrefTimer(timer: ReturnType<typeof setTimeout> | undefined): void {
  (timer as { unref?: () => void } | undefined)?.unref?.();
}

/** Error of a question without an answer in time. */
export function answerTimeoutError(): Error {
  return new Error("The client did not answer in time.");
}

/**
 * Validates an answer of the client.
 *
 * @throws ToolError `execution_failed` when it is not an object.
 */
export function toAnswer(value: JsonValue): JsonObject {
  if (isObject(value)) return value;
  throw new ToolError("execution_failed", "The client's response is not an object.");
}
