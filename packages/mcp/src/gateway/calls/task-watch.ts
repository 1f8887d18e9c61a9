import type { Interruption, JsonObject, ToolExecutor, ToolRun } from "@toolweave/core";
import type { EndedOutcome } from "../clients/call-result.ts";
import type { ClientCall } from "./client-call.ts";
import type { ClientTasks } from "./client-tasks.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import type { InterruptionQuestions } from "../questions/interruption-questions.ts";
import type { Interruptions } from "../questions/interruptions.ts";

/** How often a task may wait for a person. */
const mostRounds = 10;
/** Milliseconds between two looks at a task that waits for a person. */
const lookMs = 500;

/** What a task has come to: its outcome, or, where its client waits and cannot be asked, how it can go on. */
export type TaskEnd = { readonly outcome: EndedOutcome } | { readonly result: JsonObject };

/** Waits for the executor's tasks on behalf of clients, and asks those what the tasks ask. */
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
   * Waits for a task, and asks its client what it asks. It is cancelled with the call; but when the gateway closes, one
   * whose client can ask for it over another gateway goes on.
   */
  async follow(
    call: ClientCall,
    client: GatewayClient,
    run: ToolRun,
    id: string,
  ): Promise<TaskEnd> {
    const { tasks } = this.#executor;
    const { behalf } = client;
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
        if (rounds >= mostRounds) call.cancel("It asked too often.");
        if (outcome === undefined) continue;
        const { interruption } = outcome;
        const questions = this.#interruptions.questions(client, interruption, call.capabilities);
        if (questions === undefined && call.taskId === undefined) {
          return { result: await this.#interruptions.elsewhere(interruption) };
        }
        await this.#askOfTask(call, client, run, id, interruption, questions, leaving.signal);
      }
    };
    const over = wait();
    this.#tasks.keep(client, id, call, over);
    try {
      return await over;
    } finally {
      call.signal.removeEventListener("abort", stop);
    }
  }

  /** Until the client has answered, or the task has moved on without: somebody else has, or it was cancelled. */
  async #askOfTask(
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
    const moved = this.#movedOn(client, id, interruption.id, until);
    try {
      if (questions === undefined) {
        call.says(await this.#interruptions.howElsewhere(interruption));
        return await moved;
      }
      const responses = await Promise.race([
        askTogether(call, questions, until).catch(() => undefined),
        moved,
      ]);
      if (responses === undefined) return await moved;
      const answers = questions.answers(responses) ?? [];
      await this.#executor.resume(interruption, answers, { run });
    } finally {
      over.abort(new Error("It is not asked any more."));
    }
  }

  /** A task may be answered in another process: nobody tells. */
  async #movedOn(
    client: GatewayClient,
    id: string,
    interruptionId: string,
    over: AbortSignal,
  ): Promise<undefined> {
    while (!over.aborted) {
      await pause(over);
      if (over.aborted) return;
      const info = await this.#executor.tasks.status(id, client.behalf).catch(() => undefined);
      if (info?.interruption?.id !== interruptionId) return;
    }
  }
}

/** Until it is time for another look, or nobody wants one any more. */
function pause(over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      over.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, lookMs);
    over.addEventListener("abort", end);
  });
}

/** All at once: a client that looks at a task sees all that it asks. */
async function askTogether(
  call: ClientCall,
  { questions }: InterruptionQuestions,
  over: AbortSignal,
): Promise<JsonObject> {
  const signal = AbortSignal.any([call.signal, over]);
  const responses = Object.entries(questions).map(
    async ([key, question]) => [key, await call.ask(question, signal, true)] as const,
  );
  return Object.fromEntries(await Promise.all(responses));
}
