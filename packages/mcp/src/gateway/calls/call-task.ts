import type {
  Answer,
  Interruption,
  JsonObject,
  ToolExecutor,
  ToolOutcome,
  ToolRun,
} from "@toolweave/core";
import { errorResult, type EndedOutcome } from "../clients/call-result.ts";
import type { ClientCall } from "./client-call.ts";
import type { ClientTools } from "../clients/client-tools.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import type { InterruptionQuestions } from "../questions/interruption-questions.ts";
import type { Interruptions } from "../questions/interruptions.ts";
import type { PreparedCall, Served } from "../clients/serve-options.ts";
import type { CallKind } from "../clients/task-support.ts";
import type { TaskWatch } from "./task-watch.ts";

/** How often one call may wait for a person: each answer can lead to another question. */
const mostRounds = 10;

/** What a call has come to that is not to wait here: an answer for the client, or a person to be asked. */
export type CallEnd =
  | { readonly outcome: EndedOutcome }
  | { readonly interruption: Interruption; readonly questions: InterruptionQuestions }
  | { readonly result: JsonObject };

/** Whose call it is, and what it is to be answered with. */
export interface ClientWork {
  readonly call: ClientCall<CallEnd>;
  readonly client: GatewayClient;
  readonly kind: CallKind;
}

/** The part of a client's call that the executor does: until it has ended, or its client has to come back. */
export class CallTask {
  readonly #executor: ToolExecutor;
  readonly #served: Served;
  readonly #tools: ClientTools;
  readonly #interruptions: Interruptions;
  readonly #watch: TaskWatch;

  constructor(
    executor: ToolExecutor,
    served: Served,
    tools: ClientTools,
    interruptions: Interruptions,
    watch: TaskWatch,
  ) {
    this.#executor = executor;
    this.#served = served;
    this.#tools = tools;
    this.#interruptions = interruptions;
    this.#watch = watch;
  }

  /** Runs it. */
  async begin(work: ClientWork, name: string, args: JsonObject): Promise<CallEnd> {
    // The tools are those of the run's beginning.
    await this.#tools.there(work.client.caller, name, work.call.signal);
    const run = this.#startRun(work.call, work.client);
    const metadata = this.#served.callMetadata?.();
    const toolCall = {
      id: crypto.randomUUID(),
      name,
      arguments: args,
      ...(metadata === undefined ? {} : { metadata }),
    };
    const asTask = work.kind === "task" || work.kind === "maybe";
    const outcome = await run.execute(toolCall, { signal: work.call.signal, asTask });
    return this.#ended(work, run, outcome, 0);
  }

  /** Runs one that was admitted before. */
  async goOn(work: ClientWork, { run, call, agreed }: PreparedCall): Promise<CallEnd> {
    if (agreed !== undefined) {
      return this.#resume(work, run, agreed.interruption, agreed.answers, 1);
    }
    const asTask = work.kind === "task" || work.kind === "maybe";
    const outcome = await run.execute(call, { signal: work.call.signal, asTask });
    return this.#ended(work, run, outcome, 0);
  }

  /** Goes on with one that was put aside, and that its client has answered. */
  async resume(
    work: ClientWork,
    interruption: Interruption,
    answers: readonly Answer[],
  ): Promise<CallEnd> {
    await this.#tools.there(work.client.caller, interruption.call.name, work.call.signal);
    const run = this.#startRun(work.call, work.client);
    return this.#resume(work, run, interruption, answers, 1);
  }

  /** Goes on with a task that runs already. */
  async follow(call: ClientCall<CallEnd>, client: GatewayClient, id: string): Promise<void> {
    await this.#watch.follow(call, client, this.#startRun(call, client), id);
  }

  /** For this client only: another's interruption is refused in it, whoever holds that. */
  #startRun(call: ClientCall<CallEnd>, { caller, behalf }: GatewayClient): ToolRun {
    return this.#executor.startRun({
      id: call.runId,
      toolset: this.#tools.of(caller),
      inlineBinary: this.#served.forModel !== true,
      ...behalf,
    });
  }

  async #resume(
    work: ClientWork,
    run: ToolRun,
    interruption: Interruption,
    answers: readonly Answer[],
    rounds: number,
  ): Promise<CallEnd> {
    const { signal } = work.call;
    const outcome = await this.#executor.resume(interruption, answers, { run, signal });
    return this.#ended(work, run, outcome, rounds);
  }

  /** @param rounds how often its client was asked. */
  async #ended(
    work: ClientWork,
    run: ToolRun,
    outcome: ToolOutcome,
    rounds: number,
  ): Promise<CallEnd> {
    const { call, client, kind } = work;
    if (outcome.status !== "interrupted") {
      const { taskId, toolName } = outcome.result;
      if (taskId === undefined) return { outcome };
      // One that its own server runs as a task only is waited for: most clients know no tasks.
      if (kind === "call" && !this.#isMcp(client, toolName)) {
        client.goesOn(this.#executor.tasks.result(taskId, client.behalf));
        return { outcome };
      }
      return this.#watch.follow(call, client, run, taskId);
    }
    const { interruption } = outcome;
    const questions = this.#interruptions.questions(client, interruption, call.capabilities);
    if (questions === undefined) {
      return { result: await this.#interruptions.elsewhere(interruption) };
    }
    if (!call.isLegacy) return { interruption, questions };
    if (rounds >= mostRounds) {
      return { result: errorResult(`${interruption.call.name} asked too often: it was given up.`) };
    }
    const responses = await askNow(call, questions).catch(() => undefined);
    if (responses === undefined) {
      call.signal.throwIfAborted();
      return { result: await this.#interruptions.elsewhere(interruption) };
    }
    const answers = questions.answers(responses) ?? [];
    return this.#resume(work, run, interruption, answers, rounds + 1);
  }

  #isMcp({ caller }: GatewayClient, name: string): boolean {
    const entry = this.#tools.of(caller).callable(name);
    return entry?.tool.spec.provenance.adapter === "mcp";
  }
}

async function askNow(
  call: ClientCall<CallEnd>,
  { questions }: InterruptionQuestions,
): Promise<JsonObject> {
  const responses: [string, JsonObject][] = [];
  // One after the other: a person sees one dialog at a time.
  for (const [key, question] of Object.entries(questions)) {
    responses.push([key, await call.ask(question)]);
  }
  // A server chooses the keys: `__proto__` is one like any other.
  return Object.fromEntries(responses);
}
