import type { JsonObject, ToolExecutor } from "@toolweave/core";
import { isObject, type ToolProgress } from "@toolweave/core/adapter";
import { registerClientCall } from "./forward-to-client.ts";
import { toListableOutput } from "../../schema/listable-schema.ts";
import { onTaskCreated } from "../../calls/remote-task.ts";
import {
  toCallResult,
  errorResult,
  toModelResult,
  type EndedOutcome,
} from "../clients/call-result.ts";
import { CallTask, type CallEnd, type ClientWork } from "./call-task.ts";
import { ClientCall, type CallStep } from "./client-call.ts";
import { ClientTasks } from "./client-tasks.ts";
import type { ClientTools } from "../clients/client-tools.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import { Interruptions } from "../questions/interruption-questions.ts";
import {
  errorCode,
  invalidStateError,
  McpError,
  missingCapabilityError,
  type RequestPort,
} from "../clients/request-port.ts";
import type { RequestStates } from "../clients/request-states.ts";
import type { GatewayMetrics } from "../telemetry/gateway-metrics.ts";
import type { Replica } from "../replicas/replica.ts";
import type { GatewaySettings } from "../clients/serve-options.ts";
import { getCallKind, type CallKind } from "../clients/task-support.ts";
import { TaskWatch } from "./task-watch.ts";

/** The call waited for its client in another process, which has ended. */
const lostCallMessage =
  "The gateway process that ran this call has stopped while the call waited for an answer. The call may have run: check whether it did before you call again.";

const shuttingDownMessage = "The gateway is shutting down.";

/** A call that waits for a further request of its client (newer protocol). */
interface WaitingCall {
  readonly call: ClientCall<CallEnd>;
  readonly principal: string;
  readonly name: string;
}

/** Runs the calls of clients, and asks the clients for input that a call requires. */
export class CallRunner {
  /** Tasks of the clients' calls. */
  readonly tasks: ClientTasks;
  readonly #tools: ClientTools;
  readonly #states: RequestStates;
  readonly #interruptions: Interruptions;
  readonly #callTask: CallTask;
  readonly #progress: CallProgress;
  readonly #prepared: GatewaySettings["prepared"];
  readonly #forModel: boolean;
  readonly #metrics: GatewayMetrics;
  /** This process. Absent: the gateway has no replicas. */
  readonly #replica: Replica | undefined;
  readonly #running = new Set<ClientCall<CallEnd>>();
  readonly #waiting = new Map<string, WaitingCall>();
  /** Number of requests without a response. */
  #requests = 0;
  /** Reject functions of requests other than calls, for the close of the gateway. */
  readonly #rejections = new Set<(error: McpError) => void>();
  #closing = false;
  #idle: (() => void) | undefined;

  constructor(
    executor: ToolExecutor,
    served: GatewaySettings,
    tools: ClientTools,
    states: RequestStates,
    replica?: Replica,
  ) {
    this.tasks = new ClientTasks(executor, this, replica);
    this.#replica = replica;
    this.#metrics = served.metrics;
    this.#tools = tools;
    this.#states = states;
    this.#interruptions = new Interruptions(served, states);
    const watch = new TaskWatch(executor, this.tasks, this.#interruptions, () => this.#closing);
    this.#callTask = new CallTask(executor, served, tools, this.#interruptions, watch);
    this.#progress = new CallProgress(executor);
    this.#prepared = served.prepared;
    this.#forModel = served.forModel === true;
  }

  /**
   * Handles `tools/call`.
   *
   * @returns its result, or `input_required`.
   * @throws McpError
   */
  async call(client: GatewayClient, params: JsonObject, port: RequestPort): Promise<JsonObject> {
    const { name, arguments: args = {} } = params;
    if (typeof name !== "string")
      throw new McpError(errorCode.invalidParams, "name must be a string");
    if (!isObject(args)) throw new McpError(errorCode.invalidParams, "arguments must be an object");
    const { requestState } = port;
    const tool = this.#tools.find(client.caller, name)?.tool;
    const kind = getCallKind(tool, params["task"], port);
    return this.countRequest(async () => {
      if (requestState !== undefined) {
        return this.#resume(client, name, port, kind, requestState);
      }
      const prepared = this.#prepared?.(params);
      if (prepared !== undefined) {
        const run = (work: ClientWork): Promise<CallEnd> =>
          this.#callTask.runPrepared(work, prepared);
        return this.#begin(client, name, port, kind, run, prepared.run.id);
      }
      const run = (work: ClientWork): Promise<CallEnd> => this.#callTask.run(work, name, args);
      return this.#begin(client, name, port, kind, run);
    });
  }

  /** Runs the work of a request that ends with its call: when the gateway closes, it waits for it. */
  async countRequest<T>(work: () => Promise<T>): Promise<T> {
    this.#requests += 1;
    try {
      return await work();
    } finally {
      this.#requests -= 1;
      this.#checkIdle();
    }
  }

  /**
   * Runs the work of a request other than a call, for which a slow provider may be needed.
   *
   * @throws McpError when the gateway closes before it has ended, so that the client receives a response.
   */
  async rejectOnClose<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) throw new McpError(errorCode.internal, shuttingDownMessage);
    let refuse: ((error: McpError) => void) | undefined;
    const closed = new Promise<never>((_, reject) => (refuse = reject));
    this.#rejections.add(refuse as (error: McpError) => void);
    try {
      return await this.countRequest(() => Promise.race([work(), closed]));
    } finally {
      this.#rejections.delete(refuse as (error: McpError) => void);
    }
  }

  /** New calls are rejected; those in progress are cancelled after `graceMs`, and their clients receive that result. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    // Their clients can send no further request.
    for (const { call } of this.#waiting.values()) call.cancel(shuttingDownMessage);
    this.tasks.cancelWaiting();
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve;
      this.#checkIdle();
    });
    const timer = setTimeout(() => {
      for (const call of this.#running) call.cancel(shuttingDownMessage);
      for (const refuse of this.#rejections)
        refuse(new McpError(errorCode.internal, shuttingDownMessage));
    }, graceMs);
    await idle;
    clearTimeout(timer);
    // The last responses are being sent.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }

  #checkIdle(): void {
    if (this.#requests === 0 && this.#running.size === 0) this.#idle?.();
  }

  async #begin(
    client: GatewayClient,
    name: string,
    port: RequestPort,
    kind: CallKind,
    run: (work: ClientWork) => Promise<CallEnd>,
    runId?: string,
  ): Promise<JsonObject> {
    if (this.#closing) return errorResult("The gateway is shutting down: the call was not run.");
    const refusal = await client.beginCall();
    if (refusal !== undefined) return errorResult(refusal);
    const call = new ClientCall<CallEnd>(runId);
    const unregister = registerClientCall(call);
    this.#running.add(call);
    const step = call.begin(port, async () => {
      const endProgress =
        call.wantsProgress || kind !== "call" ? this.#subscribe(call, kind) : undefined;
      try {
        return await run({ call, client, kind });
      } finally {
        endProgress?.();
        unregister();
        client.endCall();
        this.#running.delete(call);
        this.#checkIdle();
      }
    });
    return this.#respond(client, name, call, port, await step);
  }

  /** Subscribes to the progress of a call and to its becoming a task, before the call can ask for input. */
  #subscribe(call: ClientCall<CallEnd>, kind: CallKind): () => void {
    let forget: (() => void) | undefined;
    const end = this.#progress.listen(call.runId, {
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

  async #resume(
    client: GatewayClient,
    name: string,
    port: RequestPort,
    kind: CallKind,
    requestState: string,
  ): Promise<JsonObject> {
    const state = await this.#states.open(client, name, requestState);
    if ("passed" in state) throw invalidStateError();
    if ("interruption" in state) {
      const { interruption } = state;
      const questions = this.#interruptions.createQuestions(
        client,
        interruption,
        port.capabilities,
      );
      const answers = questions?.answers(port.inputResponses ?? {});
      if (questions === undefined) throw invalidStateError();
      // Missing answers are asked for again.
      if (answers === undefined) {
        return this.#interruptions.toInputRequired(client, name, interruption, questions);
      }
      return this.#begin(client, name, port, kind, (work) =>
        this.#callTask.resume(work, interruption, answers),
      );
    }
    const { replica } = state;
    if (replica !== undefined && this.#replica?.isSelf(replica) !== true) {
      return errorResult(lostCallMessage);
    }
    const waiting = this.#waiting.get(state.runId);
    if (waiting?.principal !== client.principal || waiting.name !== name) throw invalidStateError();
    const { call } = waiting;
    if (!call.isWaitingForClient || call.round !== state.round) throw invalidStateError();
    this.#endWait(state.runId);
    return this.#respond(client, name, call, port, await call.resume(port));
  }

  async #respond(
    client: GatewayClient,
    name: string,
    call: ClientCall<CallEnd>,
    port: RequestPort,
    step: CallStep<CallEnd>,
  ): Promise<JsonObject> {
    if (step.type === "ask") {
      const { runId, round } = call;
      this.#waiting.set(runId, { call, principal: client.principal, name });
      this.#metrics.waiting(1);
      call.signal.addEventListener("abort", () => this.#endWait(runId), { once: true });
      if (this.#closing) call.cancel(shuttingDownMessage);
      return {
        resultType: "input_required",
        inputRequests: step.questions,
        requestState: await this.#states.seal(client, name, {
          runId,
          round,
          ...(this.#replica === undefined ? {} : { replica: this.#replica.address }),
        }),
      };
    }
    if (step.type === "task") return this.tasks.toTaskResult(client, call.taskId as string, port);
    const { end } = step;
    if ("result" in end) return end.result;
    if ("interruption" in end) {
      return this.#interruptions.toInputRequired(client, name, end.interruption, end.questions);
    }
    const { outcome } = end;
    if (call.lastSent !== undefined) await call.lastSent;
    if (port.era === "modern" && outcome.status === "failed" && call.missing !== undefined) {
      throw missingCapabilityError(call.missing);
    }
    return this.toResult(client, outcome, port);
  }

  #endWait(runId: string): void {
    if (this.#waiting.delete(runId)) this.#metrics.waiting(-1);
  }

  /**
   * Converts the outcome of a call to the client's result.
   *
   * @throws McpError
   */
  toResult(client: GatewayClient, outcome: EndedOutcome, port: RequestPort): JsonObject {
    const tool = this.#tools.find(client.caller, outcome.result.toolName)?.tool;
    if (this.#forModel) return toModelResult(outcome, tool);
    const result = toCallResult(outcome, tool);
    return "structuredContent" in result
      ? port.toProtocolResult(result, tool && toListableOutput(tool.spec).schema)
      : result;
  }

  /**
   * Asks the client for input of a task that no request waits for: a task of another process, or of a call without a
   * task.
   */
  watchTask(client: GatewayClient, id: string, port: RequestPort): void {
    if (this.#closing) return;
    const call = ClientCall.ofTask<CallEnd>(id, port);
    const unregister = registerClientCall(call);
    const over = this.#callTask.follow(call, client, id);
    void over.catch(() => undefined).finally(unregister);
  }
}

/** Listener for events of a run's own calls. */
interface RunListener {
  progress(progress: ToolProgress): void;
  /** A call continues as a task, which has not started yet. */
  task(id: string): void;
}

/** Passes the progress of runs to their listeners. Without listeners, the executor emits no events. */
class CallProgress {
  readonly #executor: ToolExecutor;
  readonly #listeners = new Map<string, RunListener>();
  #stop: (() => void) | undefined;

  constructor(executor: ToolExecutor) {
    this.#executor = executor;
  }

  /** Adds the listener of a run; returns a function that removes it. */
  listen(runId: string, listener: RunListener): () => void {
    this.#listeners.set(runId, listener);
    this.#stop ??= this.#executor.on((event) => {
      if (event.type !== "tool.progressed" && event.type !== "task.created") return;
      if (event.parentCallId !== undefined) return;
      const found = this.#listeners.get(event.runId);
      if (event.type === "task.created") found?.task(event.taskId);
      else found?.progress(event.progress);
    });
    return () => {
      this.#listeners.delete(runId);
      if (this.#listeners.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }
}
