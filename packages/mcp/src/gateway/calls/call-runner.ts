import type { JsonObject, ToolExecutor } from "@toolweave/core";
import { registerClientCall } from "./forward-to-client.ts";
import { onTaskCreated } from "../../calls/task-events.ts";
import { CallProgress } from "./call-progress.ts";
import { callResult, errorResult, modelResult, type EndedOutcome } from "../clients/call-result.ts";
import { CallTask, type CallEnd, type ClientWork } from "./call-task.ts";
import { ClientCall, type CallStep } from "./client-call.ts";
import { isObject } from "../../schema/schema-keywords.ts";
import { ClientTasks } from "./client-tasks.ts";
import type { ClientTools } from "../clients/client-tools.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import { Interruptions } from "../questions/interruptions.ts";
import {
  errorCode,
  invalidState,
  McpError,
  missingCapabilities,
  type RequestPort,
} from "../clients/request-port.ts";
import type { RequestStates } from "../clients/request-states.ts";
import type { Served } from "../clients/serve-options.ts";
import { getCallKind, type CallKind } from "../clients/task-support.ts";
import { TaskWatch } from "./task-watch.ts";

const shuttingDown = "The gateway is shutting down.";

/** A call that clients of the newer protocol come back to. */
interface Parked {
  readonly call: ClientCall<CallEnd>;
  readonly principal: string;
  readonly name: string;
}

/** Runs clients' calls, and asks the clients what a call needs to go on. */
export class CallRunner {
  /** Those of the clients' calls. */
  readonly tasks: ClientTasks;
  readonly #tools: ClientTools;
  readonly #states: RequestStates;
  readonly #interruptions: Interruptions;
  readonly #work: CallTask;
  readonly #progress: CallProgress;
  readonly #prepared: Served["prepared"];
  readonly #forModel: boolean;
  readonly #running = new Set<ClientCall<CallEnd>>();
  readonly #parked = new Map<string, Parked>();
  /** That have not been answered yet. */
  #requests = 0;
  /** What ends requests that are no calls when the gateway closes. */
  readonly #refusals = new Set<(error: McpError) => void>();
  #closing = false;
  #idle: (() => void) | undefined;

  constructor(executor: ToolExecutor, served: Served, tools: ClientTools, states: RequestStates) {
    this.tasks = new ClientTasks(executor, this);
    this.#tools = tools;
    this.#states = states;
    this.#interruptions = new Interruptions(served, states);
    const watch = new TaskWatch(executor, this.tasks, this.#interruptions, () => this.#closing);
    this.#work = new CallTask(executor, served, tools, this.#interruptions, watch);
    this.#progress = new CallProgress(executor);
    this.#prepared = served.prepared;
    this.#forModel = served.forModel === true;
  }

  /**
   * `tools/call`.
   *
   * @returns its result, or `input_required`.
   * @throws McpError
   */
  async call(client: GatewayClient, params: JsonObject, port: RequestPort): Promise<JsonObject> {
    const { name, arguments: args = {} } = params;
    if (typeof name !== "string") throw new McpError(errorCode.invalidParams, "name is no text");
    if (!isObject(args)) throw new McpError(errorCode.invalidParams, "arguments is no object");
    const { requestState } = port;
    const tool = this.#tools.of(client.caller).callable(name)?.tool;
    const kind = getCallKind(tool, params["task"], port);
    this.#requests += 1;
    try {
      if (requestState !== undefined) {
        return await this.#goOn(client, name, port, kind, requestState);
      }
      const prepared = this.#prepared?.(params);
      if (prepared !== undefined) {
        const go = (work: ClientWork): Promise<CallEnd> => this.#work.goOn(work, prepared);
        return await this.#begin(client, name, port, kind, go, prepared.run.id);
      }
      const go = (work: ClientWork): Promise<CallEnd> => this.#work.begin(work, name, args);
      return await this.#begin(client, name, port, kind, go);
    } finally {
      this.#requests -= 1;
      this.#settle();
    }
  }

  /**
   * Does the work of a request that is no call, and that a provider may be slow to answer.
   *
   * @throws McpError when it has not ended in time and the gateway closes: its client reads that, too.
   */
  async unlessClosed<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) throw new McpError(errorCode.internal, shuttingDown);
    this.#requests += 1;
    let refuse: ((error: McpError) => void) | undefined;
    const closed = new Promise<never>((_, reject) => (refuse = reject));
    this.#refusals.add(refuse as (error: McpError) => void);
    try {
      return await Promise.race([work(), closed]);
    } finally {
      this.#refusals.delete(refuse as (error: McpError) => void);
      this.#requests -= 1;
      this.#settle();
    }
  }

  /** New calls are refused; those under way have `graceMs` to end, then they are cancelled, and answered so. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    // Nobody can come back to them any more.
    for (const { call } of this.#parked.values()) call.cancel(shuttingDown);
    this.tasks.stopAsking();
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve;
      this.#settle();
    });
    const timer = setTimeout(() => {
      for (const call of this.#running) call.cancel(shuttingDown);
      for (const refuse of this.#refusals) refuse(new McpError(errorCode.internal, shuttingDown));
    }, graceMs);
    await idle;
    clearTimeout(timer);
    // What was answered last is on its way.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }

  #settle(): void {
    if (this.#requests === 0 && this.#running.size === 0) this.#idle?.();
  }

  async #begin(
    client: GatewayClient,
    name: string,
    port: RequestPort,
    kind: CallKind,
    go: (work: ClientWork) => Promise<CallEnd>,
    runId?: string,
  ): Promise<JsonObject> {
    if (this.#closing) return errorResult("The gateway is shutting down: nothing was run.");
    const refusal = client.begin();
    if (refusal !== undefined) return errorResult(refusal);
    const call = new ClientCall<CallEnd>(runId);
    const endAsking = registerClientCall(call);
    this.#running.add(call);
    const step = call.begin(port, async () => {
      const endProgress =
        call.wantsProgress || kind !== "call" ? this.#hear(call, kind) : undefined;
      try {
        return await go({ call, client, kind });
      } finally {
        endProgress?.();
        endAsking();
        client.end();
        this.#running.delete(call);
        this.#settle();
      }
    });
    return this.#answer(client, name, call, port, await step);
  }

  /** How far it is, and that it is a task, before it can ask anything. */
  #hear(call: ClientCall<CallEnd>, kind: CallKind): () => void {
    let forget: (() => void) | undefined;
    const end = this.#progress.follow(call.runId, {
      progress: (progress) => call.progress(progress),
      task: (id) => {
        if (kind === "task") call.becomeTask(id);
        if (kind === "maybe") forget = onTaskCreated(call.runId, () => call.becomeTask(id));
      },
    });
    return () => {
      end();
      forget?.();
    };
  }

  async #goOn(
    client: GatewayClient,
    name: string,
    port: RequestPort,
    kind: CallKind,
    requestState: string,
  ): Promise<JsonObject> {
    const state = await this.#states.open(client, name, requestState);
    if ("passed" in state) throw invalidState();
    if ("interruption" in state) {
      const { interruption } = state;
      const questions = this.#interruptions.questions(client, interruption, port.capabilities);
      const answers = questions?.answers(port.inputResponses ?? {});
      if (questions === undefined) throw invalidState();
      // What has not been answered is asked again.
      if (answers === undefined) {
        return this.#interruptions.putAside(client, name, interruption, questions);
      }
      return this.#begin(client, name, port, kind, (work) =>
        this.#work.resume(work, interruption, answers),
      );
    }
    const parked = this.#parked.get(state.runId);
    if (parked?.principal !== client.principal || parked.name !== name) throw invalidState();
    const { call } = parked;
    if (!call.isParked || call.round !== state.round) throw invalidState();
    this.#parked.delete(state.runId);
    return this.#answer(client, name, call, port, await call.goOn(port));
  }

  async #answer(
    client: GatewayClient,
    name: string,
    call: ClientCall<CallEnd>,
    port: RequestPort,
    step: CallStep<CallEnd>,
  ): Promise<JsonObject> {
    if (step.type === "ask") {
      const { runId, round } = call;
      this.#parked.set(runId, { call, principal: client.principal, name });
      call.signal.addEventListener("abort", () => this.#parked.delete(runId), { once: true });
      if (this.#closing) call.cancel(shuttingDown);
      return {
        resultType: "input_required",
        inputRequests: step.questions,
        requestState: await this.#states.seal(client, name, { runId, round }),
      };
    }
    if (step.type === "task") return this.tasks.created(client, call.taskId as string, port);
    const { end } = step;
    if ("result" in end) return end.result;
    if ("interruption" in end) {
      return this.#interruptions.putAside(client, name, end.interruption, end.questions);
    }
    const { outcome } = end;
    if (call.told !== undefined) await call.told;
    if (port.era === "modern" && outcome.status === "failed" && call.missing !== undefined) {
      throw missingCapabilities(call.missing);
    }
    return this.resultOf(client, outcome, port);
  }

  /** What a client gets of a call that has ended. @throws McpError */
  resultOf(client: GatewayClient, outcome: EndedOutcome, port: RequestPort): JsonObject {
    const toolset = this.#tools.of(client.caller);
    const tool = toolset.callable(outcome.result.toolName)?.tool;
    if (this.#forModel) return modelResult(outcome, tool);
    const result = callResult(outcome, tool);
    return "structuredContent" in result ? port.projected(result, tool?.spec.outputSchema) : result;
  }

  /** Asks the client what a task asks that nobody here waits for: one of another process, or that was called plainly. */
  follow(client: GatewayClient, id: string, port: RequestPort): void {
    if (this.#closing) return;
    const call = ClientCall.ofTask<CallEnd>(id, port);
    const endAsking = registerClientCall(call);
    const over = this.#work.follow(call, client, id);
    void over.catch(() => undefined).finally(endAsking);
  }
}
