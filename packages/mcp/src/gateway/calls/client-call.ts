import { ToolError, type JsonObject, type ToolProgress } from "@toolweave/core";
import { logLine } from "../../server-requests/log-message.ts";
import {
  CannotAsk,
  missingCapability,
  answerTimeoutMs,
  type ClientQuestion,
} from "../clients/client-question.ts";
import { answerIn, clearTimer, OpenQuestions, unanswered } from "./open-questions.ts";
import type { ClientLog, RequestPort } from "../clients/request-port.ts";

/** Of a line of a log: progress has no long ones. */
const comparedCharacters = 200;

/** Messages that are kept for a client that is to come back: progress, and lines of its log. */
const maxUnsaid = 100;

const progressed = "notifications/progress";

/** Says something over a request. */
type Message = (port: RequestPort) => Promise<void>;

/** What a call has come to: its end, or questions for the client. */
export type CallStep<End> =
  | { readonly type: "end"; readonly end: End }
  | { readonly type: "ask"; readonly questions: JsonObject }
  | { readonly type: "task" };

/**
 * One call of a client while it runs: who can be asked, and told how it goes. On a legacy connection the client is asked
 * at once. A client of 2026-07-28 is asked with the answer to its request, and comes back with another: until then the
 * call waits here, and no longer than ten minutes. A call that goes on as a task is nobody's request: what it asks waits
 * until the client asks how the task stands.
 */
export class ClientCall<End = unknown> {
  /** Names the run, and cannot be guessed: whoever knows it may ask the client. */
  readonly runId: string;
  /** Changes whenever the client has come back; what was signed for an earlier round is void. */
  round = 0;
  /** What the call cannot do without, and the client has not declared. */
  missing: JsonObject | undefined;
  /** Set once it goes on as a task: see `becomeTask`. */
  taskId: string | undefined;
  /** What it said last of how far it is. */
  message: string | undefined;
  /** Is told when a task's question, or message, is another one. */
  onChange: (() => void) | undefined;
  /** Settles when what the client was told last is on its way: the result must not overtake it. */
  told: Promise<void> | undefined;
  readonly #abort = new AbortController();
  readonly #open = new OpenQuestions(() => {
    if (!this.#open.isEmpty) this.#asked?.();
    this.onChange?.();
  });
  /** The line of the log that the client was sent last: the executor's events have it as progress, too. */
  #logged: string | undefined;
  #port: RequestPort | undefined;
  #isLegacy = false;
  #capabilities: JsonObject = {};
  #unfollow: (() => void) | undefined;
  #end: Promise<End> | undefined;
  #asked: (() => void) | undefined;
  #became: (() => void) | undefined;
  /** Messages that belong to no request. */
  #tell: RequestPort["tell"] | undefined;
  #token: RequestPort["progressToken"];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #progress = -Infinity;
  /** What is to be said when the client is back. */
  readonly #unsaid: Message[] = [];

  constructor(runId: string = crypto.randomUUID()) {
    this.runId = runId;
  }

  /** Fires when the client has taken the call back, is gone, or does not come back. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The client is asked while its request is open. */
  get isLegacy(): boolean {
    return this.#isLegacy;
  }

  /** Waits for the client, and is nobody's request just now. */
  get isParked(): boolean {
    return this.#timer !== undefined;
  }

  /** What the client can do, as it says with its latest request. */
  get capabilities(): JsonObject {
    return this.#capabilities;
  }

  /** The call of a task that runs already: it goes on whatever becomes of the request that asks about it. */
  static ofTask<End>(id: string, port: RequestPort): ClientCall<End> {
    const call = new ClientCall<End>();
    call.taskId = id;
    call.#know(port);
    return call;
  }

  /** Runs `work` on behalf of a request, until it ends or has to ask. */
  begin(port: RequestPort, work: () => Promise<End>): Promise<CallStep<End>> {
    this.#attach(port);
    this.#end = work();
    // Once it is a task, nobody may be there to hear of it.
    this.#end.catch(() => undefined);
    return this.#step();
  }

  /** Goes on with the answers of a client that has come back. What it has not answered is asked again. */
  goOn(port: RequestPort): Promise<CallStep<End>> {
    this.#attach(port);
    this.round += 1;
    this.answer(port.inputResponses ?? {});
    return this.#step();
  }

  /** Answers of the client, by the keys of its questions; what is none is left out. */
  answer(responses: JsonObject): void {
    this.#open.answer(responses);
  }

  /** The request is answered with a task; the call goes on. */
  becomeTask(id: string): void {
    this.taskId = id;
    this.#became?.();
  }

  /** What the client has not answered yet, by key. */
  get questions(): JsonObject {
    return this.#open.all;
  }

  /**
   * A client of the older protocol waits for the task: as long as its request is open it is asked. Returns what ends that.
   */
  attach(port: RequestPort): () => void {
    return this.#open.attach(port, this.taskId ?? "");
  }

  /** Ends it, whatever it waits for. */
  cancel(reason: string): void {
    this.#abort.abort(new ToolError("cancelled", reason));
    this.#open.fail(new Error(reason));
    this.#detach();
  }

  /**
   * Asks the client.
   *
   * @returns its answer, unchecked.
   * @param isPatient of a task: the question waits as long as the task does. Default: for ten minutes.
   * @throws CannotAsk when the client has not declared that it can be asked; whatever the client answers as an error.
   */
  async ask(
    question: ClientQuestion,
    signal: AbortSignal = this.signal,
    isPatient = false,
  ): Promise<JsonObject> {
    signal.throwIfAborted();
    const missing = missingCapability(question, this.#capabilities);
    if (missing !== undefined) throw new CannotAsk(missing);
    if (this.taskId === undefined && this.#port?.era === "legacy") {
      const answer = await this.#port.request(question.method, question.params, signal);
      return answerIn(answer);
    }
    // A call that is no task has a time for all that it asks together.
    const waitsLong = this.taskId === undefined || isPatient;
    return this.#open.ask(question, signal, waitsLong ? undefined : answerTimeoutMs);
  }

  /**
   * How far it is. What the client has in its log is not told. The protocol wants each to be more than the one before: a
   * message that comes with nothing more is told a trifle further, so that none of the tool's own steps is lost for it.
   */
  progress({ done, total, message }: ToolProgress): void {
    if (done === undefined && message?.slice(0, comparedCharacters) === this.#logged) return;
    if (message !== undefined) this.says(message);
    const token = this.#token;
    if (token === undefined) return;
    const isMore = done !== undefined && done > this.#progress;
    if (!isMore && message === undefined) return;
    const progress = isMore ? done : nextAfter(this.#progress);
    if (!(progress > this.#progress)) return;
    this.#progress = progress;
    const params = {
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    if (this.taskId !== undefined) {
      if (this.#isLegacy) this.tell(progressed, { progressToken: token, ...params });
      return;
    }
    // A client that comes back may not want to know any more.
    this.#say(async ({ notify, progressToken }) => {
      if (progressToken !== undefined) await notify(progressed, { progressToken, ...params });
    });
  }

  /** What is to be told of a task. */
  says(message: string): void {
    if (message === this.message) return;
    this.message = message;
    this.onChange?.();
  }

  /** A log message for the client, if it wants any of that level. */
  log(message: ClientLog): void {
    this.#logged = logLine(message).slice(0, comparedCharacters);
    this.#say((port) => port.log(message));
  }

  get wantsProgress(): boolean {
    return this.#token !== undefined;
  }

  /** Tells the client what belongs to no request. */
  tell(method: string, params: JsonObject): void {
    void this.#tell?.(method, params).catch(() => undefined);
  }

  /** Says something over the client's request. Until the client is back it is kept, the latest of it. */
  #say(message: Message): void {
    const port = this.#port ?? this.#open.port;
    if (port !== undefined) {
      this.told = message(port).catch(() => undefined);
    } else if (this.taskId === undefined) {
      if (this.#unsaid.length === maxUnsaid) this.#unsaid.shift();
      this.#unsaid.push(message);
    }
  }

  #attach(port: RequestPort): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#port = port;
    this.#know(port);
    this.#token = port.progressToken;
    for (const message of this.#unsaid.splice(0)) this.#say(message);
    const { signal } = port;
    const onAbort = (): void => this.cancel("The client has cancelled the call.");
    this.#unfollow = () => signal.removeEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  }

  #know({ tell, era, capabilities }: RequestPort): void {
    this.#tell = tell;
    this.#isLegacy = era === "legacy";
    this.#capabilities = capabilities;
  }

  #detach(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
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
    const became = new Promise<CallStep<End>>((resolve) => {
      this.#became = () => resolve({ type: "task" });
    });
    const asked = new Promise<"asked">((resolve) => {
      this.#asked = () => resolve("asked");
    });
    if (!this.#open.isEmpty) this.#asked?.();
    let step: CallStep<End> | "asked";
    try {
      step = await Promise.race([
        end.then((value): CallStep<End> => ({ type: "end", end: value })),
        became,
        asked,
      ]);
    } catch (error) {
      this.#detach();
      throw error;
    }
    this.#asked = undefined;
    this.#became = undefined;
    if (step !== "asked") {
      this.#detach();
      return step;
    }
    // Whatever else is asked at the same time goes with it.
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#detach();
    this.#timer = setTimeout(() => this.cancel(unanswered().message), answerTimeoutMs);
    clearTimer(this.#timer);
    return { type: "ask", questions: this.questions };
  }
}

/** The least that is worth telling, and that a number of this size can hold. */
function nextAfter(progress: number): number {
  if (progress === -Infinity) return 0;
  return progress + Math.max(1e-6, Math.abs(progress) * Number.EPSILON);
}
