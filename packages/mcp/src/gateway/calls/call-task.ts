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
import type { InterruptionQuestions, Interruptions } from "../questions/interruption-questions.ts";
import type { PreparedCall, GatewaySettings } from "../clients/serve-options.ts";
import type { CallKind } from "../clients/task-support.ts";
import type { TaskWatch } from "./task-watch.ts";

/** Maximum number of interruptions of one call. */
const maxRounds = 10;

/** Result of a call's work: its outcome, a person to be asked, or a result for the client. */
export type CallEnd =
  | { readonly outcome: EndedOutcome }
  | { readonly interruption: Interruption; readonly questions: InterruptionQuestions }
  | { readonly result: JsonObject };

/** A call with its client and the kind of its result. */
export interface ClientWork {
  readonly call: ClientCall<CallEnd>;
  readonly client: GatewayClient;
  readonly kind: CallKind;
}

/** Runs a client's call in the executor, until it has ended or the client must send a further request. */
export class CallTask {
  readonly #executor: ToolExecutor;
  readonly #served: GatewaySettings;
  readonly #tools: ClientTools;
  readonly #interruptions: Interruptions;
  readonly #watch: TaskWatch;

  constructor(
    executor: ToolExecutor,
    served: GatewaySettings,
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

  /** Runs a call. */
  async run(work: ClientWork, name: string, args: JsonObject): Promise<CallEnd> {
    // The toolset of a run is fixed at its start.
    await this.#tools.waitForTool(work.client.caller, name, work.call.signal);
    const run = this.#startRun(work, name);
    const metadata = this.#served.callMetadata?.();
    const toolCall = {
      id: crypto.randomUUID(),
      name,
      arguments: args,
      ...(metadata === undefined ? {} : { metadata }),
    };
    const asTask = work.kind === "task" || work.kind === "maybe";
    const outcome = await run.execute(toolCall, { signal: work.call.signal, asTask });
    return this.#toEnd(work, run, outcome, 0);
  }

  /** Runs a call that was admitted before. */
  async runPrepared(work: ClientWork, { run, call, approved }: PreparedCall): Promise<CallEnd> {
    if (approved !== undefined) {
      return this.#resume(work, run, approved.interruption, approved.answers, 1);
    }
    const asTask = work.kind === "task" || work.kind === "maybe";
    const outcome = await run.execute(call, { signal: work.call.signal, asTask });
    return this.#toEnd(work, run, outcome, 0);
  }

  /** Resumes an interrupted call with its client's answers. */
  async resume(
    work: ClientWork,
    interruption: Interruption,
    answers: readonly Answer[],
  ): Promise<CallEnd> {
    await this.#tools.waitForTool(work.client.caller, interruption.call.name, work.call.signal);
    const run = this.#startRun(work, interruption.call.name);
    return this.#resume(work, run, interruption, answers, 1);
  }

  /** Waits for a running task. */
  async follow(call: ClientCall<CallEnd>, client: GatewayClient, id: string): Promise<void> {
    await this.#watch.follow(call, client, this.#startRun({ call, client }), id);
  }

  /**
   * Starts a run for this client only: the interruption of another client is rejected in it.
   *
   * @param name Name of the tool, if it is known.
   */
  #startRun({ call, client }: Pick<ClientWork, "call" | "client">, name = ""): ToolRun {
    const { caller, runOptions: behalf } = client;
    return this.#executor.startRun({
      id: call.runId,
      toolset: this.#tools.forCall(caller, name),
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
    return this.#toEnd(work, run, outcome, rounds);
  }

  /** @param rounds Number of interruptions so far. */
  async #toEnd(
    work: ClientWork,
    run: ToolRun,
    outcome: ToolOutcome,
    rounds: number,
  ): Promise<CallEnd> {
    const { call, client, kind } = work;
    if (outcome.status !== "interrupted") {
      const { taskId, toolName } = outcome.result;
      if (taskId === undefined) return { outcome };
      // A task that its MCP server requires is waited for: most clients do not support tasks.
      if (kind === "call" && !this.#isMcp(client, toolName)) {
        client.countUntil(this.#executor.tasks.result(taskId, client.runOptions));
        return { outcome };
      }
      return this.#watch.follow(call, client, run, taskId);
    }
    const { interruption } = outcome;
    const questions = this.#interruptions.createQuestions(client, interruption, call.capabilities);
    if (questions === undefined) {
      return { result: await this.#interruptions.toOutOfBandResult(interruption) };
    }
    if (!call.isLegacy) return { interruption, questions };
    if (rounds >= maxRounds) {
      return {
        result: errorResult(
          `${interruption.call.name} required input more than ${maxRounds} times and was cancelled.`,
        ),
      };
    }
    const responses = await askInSequence(call, questions).catch(() => undefined);
    if (responses === undefined) {
      call.signal.throwIfAborted();
      return { result: await this.#interruptions.toOutOfBandResult(interruption) };
    }
    const answers = questions.answers(responses) ?? [];
    return this.#resume(work, run, interruption, answers, rounds + 1);
  }

  #isMcp({ caller }: GatewayClient, name: string): boolean {
    const entry = this.#tools.find(caller, name);
    return entry?.tool.spec.provenance.adapter === "mcp";
  }
}

async function askInSequence(
  call: ClientCall<CallEnd>,
  { questions }: InterruptionQuestions,
): Promise<JsonObject> {
  const responses: [string, JsonObject][] = [];
  // In sequence: a person sees one dialog at a time.
  for (const [key, question] of Object.entries(questions)) {
    responses.push([key, await call.ask(question)]);
  }
  // The keys are chosen by a server, and may be `__proto__`.
  return Object.fromEntries(responses);
}
