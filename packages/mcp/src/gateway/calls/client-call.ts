import { ToolError, type JsonObject } from "@toolweave/core";
import type { ToolProgress } from "@toolweave/core/adapter";
import { formatLogMessage } from "../../server-requests/inbound-messages.ts";
import {
  UnsupportedByClient,
  findMissingCapability,
  answerTimeoutMs,
  type ClientQuestion,
} from "../clients/client-question.ts";
import { toAnswer, unrefTimer, OpenQuestions, answerTimeoutError } from "./open-questions.ts";
import type { ClientLog, RequestPort } from "../clients/request-port.ts";

/** Characters of a log line that are compared: progress messages are truncated. */
const comparedCharacters = 200;

/** Maximum number of messages (progress and log) stored until the client's next request. */
const maxPendingMessages = 100;

const progressMethod = "notifications/progress";

/** Sends a message over a request. */
type Message = (port: RequestPort) => Promise<void>;

/** Result of a step of a call: its end, questions for the client, or a task. */
export type CallStep<End> =
  | { readonly type: "end"; readonly end: End }
  | { readonly type: "ask"; readonly questions: JsonObject }
  | { readonly type: "task" };

/**
 * A running call of a client: asks the client for input and sends its progress. On a legacy connection the client is
 * asked at once. A client of 2026-07-28 is asked with the response to its request, and answers with a further
 * request, for which the call waits ten minutes at most. A call that continues as a task belongs to no request: its
 * questions wait until the client polls the task.
 */
export class ClientCall<End = unknown> {
  /** Id of the run. It cannot be guessed: knowing it gives access to the client. */
  readonly runId: string;
  /**
   * Number of the round. Incremented by each further request; a state that was signed for an earlier round is
   * invalid.
   */
  round = 0;
  /** Capability that the call requires and the client has not declared. */
  missing: JsonObject | undefined;
  /** Id of the task, once it continues as one: see `becomeTask`. */
  taskId: string | undefined;
  /** Last progress message. */
  message: string | undefined;
  /** Called when a question or the message of a task has changed. */
  onChange: (() => void) | undefined;
  /** Settles when the last message to the client was sent: the result must not overtake it. */
  lastSent: Promise<void> | undefined;
  readonly #abort = new AbortController();
  readonly #open = new OpenQuestions(() => {
    if (!this.#open.isEmpty) this.#onAsked?.();
    this.onChange?.();
  });
  /** Last log line that was sent to the client: the executor also emits it as progress. */
  #logged: string | undefined;
  #port: RequestPort | undefined;
  #isLegacy = false;
  #capabilities: JsonObject = {};
  #stopListening: (() => void) | undefined;
  #end: Promise<End> | undefined;
  #onAsked: (() => void) | undefined;
  #onTask: (() => void) | undefined;
  /** Sends notifications that belong to no request. */
  #notifyConnection: RequestPort["notifyConnection"] | undefined;
  #token: RequestPort["progressToken"];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #progress = -Infinity;
  /** Messages that are sent with the client's next request. */
  readonly #pendingMessages: Message[] = [];

  constructor(runId: string = crypto.randomUUID()) {
    this.runId = runId;
  }

  /** Aborted when the client has cancelled the call, has disconnected, or sends no further request in time. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** True if the client is asked while its request is open. */
  get isLegacy(): boolean {
    return this.#isLegacy;
  }

  /** True while it waits for a further request of the client. */
  get isWaitingForClient(): boolean {
    return this.#timer !== undefined;
  }

  /** Capabilities in the client's latest request. */
  get capabilities(): JsonObject {
    return this.#capabilities;
  }

  /**
   * Creates the call of a task that is running already: the task continues whatever happens to the request that asks
   * about it.
   */
  static ofTask<End>(id: string, port: RequestPort): ClientCall<End> {
    const call = new ClientCall<End>();
    call.taskId = id;
    call.#setClient(port);
    return call;
  }

  /** Runs `work` on behalf of a request until it ends or asks for input. */
  begin(port: RequestPort, work: () => Promise<End>): Promise<CallStep<End>> {
    this.#attach(port);
    this.#end = work();
    // If it becomes a task, there may be no caller for the error.
    this.#end.catch(() => undefined);
    return this.#step();
  }

  /** Continues with the answers of a further request. Missing answers are asked for again. */
  resume(port: RequestPort): Promise<CallStep<End>> {
    this.#attach(port);
    this.round += 1;
    this.answer(port.inputResponses ?? {});
    return this.#step();
  }

  /** Accepts answers of the client, by the keys of its questions; invalid ones are ignored. */
  answer(responses: JsonObject): void {
    this.#open.answer(responses);
  }

  /** Ends the request with a task; the call continues. */
  becomeTask(id: string): void {
    this.taskId = id;
    this.#onTask?.();
  }

  /** Resolves when the call has questions, when `signal` is aborted, or after `waitMs`. */
  waitForQuestions(signal: AbortSignal, waitMs: number): Promise<void> {
    return this.#open.waitForQuestions(AbortSignal.any([signal, this.signal]), waitMs);
  }

  /** Open questions by key. */
  get questions(): JsonObject {
    return this.#open.all;
  }

  /**
   * Attaches a request of the older protocol that waits for the task: while it is open, the client is asked over it.
   * Returns a function that detaches it.
   */
  attach(port: RequestPort): () => void {
    return this.#open.attach(port, this.taskId ?? "");
  }

  /** Cancels the call. */
  cancel(reason: string): void {
    this.#abort.abort(new ToolError("cancelled", reason));
    this.#open.fail(new Error(reason));
    this.#detach();
  }

  /**
   * Asks the client.
   *
   * @returns its answer, not validated.
   * @param key Key of the question of a task, the same in every process that asks it: such a question waits as long
   * as the task runs. Default: a key of this process, and ten minutes.
   * @throws UnsupportedByClient when the client has not declared the capability; an error of the client.
   */
  async ask(
    question: ClientQuestion,
    signal: AbortSignal = this.signal,
    key?: string,
  ): Promise<JsonObject> {
    signal.throwIfAborted();
    const missing = findMissingCapability(question, this.#capabilities);
    if (missing !== undefined) throw new UnsupportedByClient(missing);
    if (this.taskId === undefined && this.#port?.era === "legacy") {
      const answer = await this.#port.request(question.method, question.params, signal);
      return toAnswer(answer);
    }
    // A call without a task has one timeout for all its questions.
    const hasNoTimeout = this.taskId === undefined || key !== undefined;
    return this.#open.ask(question, signal, hasNoTimeout ? undefined : answerTimeoutMs, key);
  }

  /**
   * Sends progress. Lines of the client's log are not repeated. In the protocol each value must exceed the last one:
   * a message without a higher value is sent with a minimal increment, so that the values of the tool itself stay
   * usable.
   */
  progress({ done, total, message }: ToolProgress): void {
    if (done === undefined && message?.slice(0, comparedCharacters) === this.#logged) return;
    if (message !== undefined) this.setMessage(message);
    const token = this.#token;
    if (token === undefined) return;
    const isMore = done !== undefined && done > this.#progress;
    if (!isMore && message === undefined) return;
    const progress = isMore ? done : toNextProgress(this.#progress);
    if (!(progress > this.#progress)) return;
    this.#progress = progress;
    const params = {
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    if (this.taskId !== undefined) {
      if (this.#isLegacy)
        this.notifyConnection(progressMethod, { progressToken: token, ...params });
      return;
    }
    // The next request may not ask for progress.
    this.#send(async ({ notify, progressToken }) => {
      if (progressToken !== undefined) await notify(progressMethod, { progressToken, ...params });
    });
  }

  /** Sets the status message of a task. */
  setMessage(message: string): void {
    if (message === this.message) return;
    this.message = message;
    this.onChange?.();
  }

  /** Sends a log message to the client, if its level is wanted. */
  log(message: ClientLog): void {
    this.#logged = formatLogMessage(message).slice(0, comparedCharacters);
    this.#send((port) => port.log(message));
  }

  get wantsProgress(): boolean {
    return this.#token !== undefined;
  }

  /** Sends a notification that belongs to no request. */
  notifyConnection(method: string, params: JsonObject): void {
    void this.#notifyConnection?.(method, params).catch(() => undefined);
  }

  /** Sends a message over the client's request. Without a request the latest messages are stored. */
  #send(message: Message): void {
    const port = this.#port ?? this.#open.port;
    if (port !== undefined) {
      this.lastSent = message(port).catch(() => undefined);
    } else if (this.taskId === undefined) {
      if (this.#pendingMessages.length === maxPendingMessages) this.#pendingMessages.shift();
      this.#pendingMessages.push(message);
    }
  }

  #attach(port: RequestPort): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#port = port;
    this.#setClient(port);
    this.#token = port.progressToken;
    for (const message of this.#pendingMessages.splice(0)) this.#send(message);
    const { signal } = port;
    const onAbort = (): void => this.cancel("The client has cancelled the call.");
    this.#stopListening = () => signal.removeEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  }

  #setClient({ notifyConnection, era, capabilities }: RequestPort): void {
    this.#notifyConnection = notifyConnection;
    this.#isLegacy = era === "legacy";
    this.#capabilities = capabilities;
  }

  #detach(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#port = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #step(): Promise<CallStep<End>> {
    if (this.taskId !== undefined) {
      this.#detach();
      return { type: "task" };
    }
    const end = this.#end as Promise<End>;
    const becameTask = new Promise<CallStep<End>>((resolve) => {
      this.#onTask = () => resolve({ type: "task" });
    });
    const asked = new Promise<"asked">((resolve) => {
      this.#onAsked = () => resolve("asked");
    });
    if (!this.#open.isEmpty) this.#onAsked?.();
    let step: CallStep<End> | "asked";
    try {
      step = await Promise.race([
        end.then((value): CallStep<End> => ({ type: "end", end: value })),
        becameTask,
        asked,
      ]);
    } catch (error) {
      this.#detach();
      throw error;
    }
    this.#onAsked = undefined;
    this.#onTask = undefined;
    if (step !== "asked") {
      this.#detach();
      return step;
    }
    // Questions of the same tick are sent together.
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#detach();
    this.#timer = setTimeout(() => this.cancel(answerTimeoutError().message), answerTimeoutMs);
    unrefTimer(this.#timer);
    return { type: "ask", questions: this.questions };
  }
}

/** Returns the smallest higher value that a number of this size can represent. */
function toNextProgress(progress: number): number {
  if (progress === -Infinity) return 0;
  return progress + Math.max(1e-6, Math.abs(progress) * Number.EPSILON);
}
