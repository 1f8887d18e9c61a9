import type { Interruption, JsonObject, ToolExecutor, ToolRun } from "@toolweave/core";
import { pause } from "@toolweave/core/adapter";
import type { EndedOutcome } from "../clients/call-result.ts";
import type { ClientCall } from "./client-call.ts";
import type { ClientTasks } from "./client-tasks.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import type { InterruptionQuestions, Interruptions } from "../questions/interruption-questions.ts";

/** Maximum number of interruptions of a task. */
const maxRounds = 10;
/** Milliseconds between two polls of a task that waits for a person. */
const pollMs = 500;

/** End of a task: its outcome or, if its client waits and cannot be asked, a result that says how it can be answered. */
export type TaskEnd = { readonly outcome: EndedOutcome } | { readonly result: JsonObject };

/** Waits for the executor's tasks on behalf of clients, and asks the clients for the input of the tasks. */
export class TaskWatch {
  readonly #executor: ToolExecutor;
  readonly #tasks: ClientTasks;
  readonly #interruptions: Interruptions;
  readonly #isClosing: () => boolean;

  constructor(
    executor: ToolExecutor,
    tasks: ClientTasks,
    interruptions: Interruptions,
    isClosing: () => boolean,
  ) {
    this.#executor = executor;
    this.#tasks = tasks;
    this.#interruptions = interruptions;
    this.#isClosing = isClosing;
  }

  /**
   * Waits for a task, and asks its client for input. The task is cancelled with the call; but when the gateway
   * closes, a task that its client can access over another gateway continues.
   */
  async follow(
    call: ClientCall,
    client: GatewayClient,
    run: ToolRun,
    id: string,
  ): Promise<TaskEnd> {
    const { tasks } = this.#executor;
    const { runOptions: behalf } = client;
    const leaving = new AbortController();
    const stop = (): void => {
      if (this.#isClosing() && call.taskId !== undefined && client.sessionId === undefined) {
        leaving.abort();
      } else tasks.cancel(id, behalf).catch(() => undefined);
    };
    if (call.signal.aborted) stop();
    else call.signal.addEventListener("abort", stop, { once: true });
    const wait = async (): Promise<TaskEnd> => {
      for (let rounds = 0; ; rounds++) {
        const outcome = await tasks.result(id, { ...behalf, signal: leaving.signal });
        leaving.signal.throwIfAborted();
        if (outcome !== undefined && outcome.status !== "interrupted") return { outcome };
        if (rounds >= maxRounds)
          call.cancel(`The task required input more than ${maxRounds} times.`);
        if (outcome === undefined) continue;
        const { interruption } = outcome;
        const questions = this.#interruptions.createQuestions(
          client,
          interruption,
          call.capabilities,
        );
        if (questions === undefined && call.taskId === undefined) {
          return { result: await this.#interruptions.toOutOfBandResult(interruption) };
        }
        await this.#askForTask(call, client, run, id, interruption, questions, leaving.signal);
      }
    };
    const over = wait();
    this.#tasks.track(client, id, call, over);
    try {
      return await over;
    } finally {
      call.signal.removeEventListener("abort", stop);
    }
  }

  /** Waits until the client has answered, or the task has continued without: it was answered elsewhere, or cancelled. */
  async #askForTask(
    call: ClientCall,
    client: GatewayClient,
    run: ToolRun,
    id: string,
    interruption: Interruption,
    questions: InterruptionQuestions | undefined,
    leaving: AbortSignal,
  ): Promise<void> {
    const over = new AbortController();
    const until = AbortSignal.any([over.signal, leaving]);
    const continued = this.#waitForChange(client, id, interruption.id, until);
    try {
      if (questions === undefined) {
        call.setMessage(await this.#interruptions.outOfBandMessage(interruption));
        return await continued;
      }
      const responses = await Promise.race([
        askConcurrently(call, interruption, questions, until).catch(() => undefined),
        continued,
      ]);
      if (responses === undefined) return await continued;
      const answers = questions.answers(responses) ?? [];
      await this.#executor.resume(interruption, answers, { run });
    } finally {
      over.abort(new Error("The task has continued."));
    }
  }

  /** Polls the task: it may be answered in another process. */
  async #waitForChange(
    client: GatewayClient,
    id: string,
    interruptionId: string,
    over: AbortSignal,
  ): Promise<undefined> {
    while (!over.aborted) {
      await pause(pollMs, { signal: over });
      if (over.aborted) return;
      const info = await this.#executor.tasks.status(id, client.runOptions).catch(() => undefined);
      if (info?.interruption?.id !== interruptionId) return;
    }
  }
}

/**
 * Asks all questions at once: a client that polls a task sees all of them. Their keys are the same in every process,
 * because another one may receive the answers.
 */
async function askConcurrently(
  call: ClientCall,
  { id }: Interruption,
  { questions }: InterruptionQuestions,
  over: AbortSignal,
): Promise<JsonObject> {
  const signal = AbortSignal.any([call.signal, over]);
  const responses = Object.entries(questions).map(
    async ([key, question]) => [key, await call.ask(question, signal, `${id} ${key}`)] as const,
  );
  return Object.fromEntries(await Promise.all(responses));
}
