import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import type { ClientQuestion } from "../clients/client-question.ts";
import { isObject } from "../../schema/schema-keywords.ts";
import type { RequestPort } from "../clients/request-port.ts";

/** Names the task that a message is about (2025-11-25, basic/utilities/tasks). */
export const relatedTask = "io.modelcontextprotocol/related-task";

/** A question that the client has not answered yet. */
interface OpenQuestion {
  readonly question: ClientQuestion;
  /** Fires when nobody needs the answer any more. */
  readonly signal: AbortSignal;
  /** The client is being asked. */
  isPut: boolean;
  answer(answer: JsonObject): void;
  fail(error: Error): void;
}

/** What a call asks that its client hears of only when it comes: with the answer to a request, or of a task. */
export class OpenQuestions {
  readonly #changed: () => void;
  readonly #open = new Map<string, OpenQuestion>();
  /** Of a client that waits for the task, and can be asked as long as it does. */
  #waiting: { readonly port: RequestPort; readonly taskId: string } | undefined;
  #asked = 0;

  /** @param changed is told when there is another question, or one less. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** By key, as the protocol has them. */
  get all(): JsonObject {
    const questions = Array.from(this.#open, ([key, { question }]) => [key, { ...question }]);
    return Object.fromEntries(questions) as JsonObject;
  }

  /** The request of a client that waits for the task. */
  get port(): RequestPort | undefined {
    return this.#waiting?.port;
  }

  /**
   * Resolves with the client's answer, unchecked.
   *
   * @param waitMs absent: the question waits as long as its call does.
   * @throws whatever the signal was fired with; an error when nobody has answered in time.
   */
  ask(question: ClientQuestion, signal: AbortSignal, waitMs?: number): Promise<JsonObject> {
    this.#asked += 1;
    const key = `question_${this.#asked}`;
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
      const timer = waitMs === undefined ? undefined : setTimeout(() => fail(unanswered()), waitMs);
      clearTimer(timer);
      signal.addEventListener("abort", onAbort, { once: true });
      const answer = (given: JsonObject): void => {
        settled();
        resolve(given);
      };
      this.#open.set(key, { question, signal, isPut: false, answer, fail });
      this.#changed();
      void this.#put(key);
    });
  }

  /** Answers of the client, by key; what is none is left out. */
  answer(responses: JsonObject): void {
    for (const [key, answer] of Object.entries(responses)) {
      const open = this.#open.get(key);
      if (open === undefined || !isObject(answer)) continue;
      this.#open.delete(key);
      open.answer(answer);
    }
    this.#changed();
  }

  /** As long as a request is open that waits for the task, its client is asked. Returns what ends that. */
  attach(port: RequestPort, taskId: string): () => void {
    const waiting = { port, taskId };
    this.#waiting = waiting;
    for (const key of this.#open.keys()) void this.#put(key);
    return () => {
      if (this.#waiting === waiting) this.#waiting = undefined;
    };
  }

  /** Nobody needs answers any more. */
  fail(error: Error): void {
    for (const { fail } of this.#open.values()) fail(error);
  }

  async #put(key: string): Promise<void> {
    const open = this.#open.get(key);
    const waiting = this.#waiting;
    if (open === undefined || waiting === undefined || open.isPut) return;
    open.isPut = true;
    const { port, taskId } = waiting;
    const { method, params } = open.question;
    const about = { ...(params["_meta"] as JsonObject | undefined), [relatedTask]: { taskId } };
    try {
      const signal = AbortSignal.any([port.signal, open.signal]);
      const answer = await port.request(method, { ...params, _meta: about }, signal);
      this.answer({ [key]: answerIn(answer) });
    } catch (error) {
      open.isPut = false;
      // Whoever was asked waits no more: the question does.
      if (!port.signal.aborted) open.fail(error as Error);
      else if (this.#waiting !== waiting) await this.#put(key);
    }
  }
}

/** A process that has nothing else to do need not stay for a timer. */
export function clearTimer(timer: ReturnType<typeof setTimeout> | undefined): void {
  (timer as { unref?: () => void } | undefined)?.unref?.();
}

/** The client has had its time. */
export function unanswered(): Error {
  return new Error("The client did not answer what it was asked.");
}

/** What a client has answered. @throws ToolError `execution_failed` for what is no answer. */
export function answerIn(value: JsonValue): JsonObject {
  if (isObject(value)) return value;
  throw new ToolError(
    "execution_failed",
    "The client answered with something else than an object.",
  );
}
