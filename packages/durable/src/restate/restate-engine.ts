import * as restate from "@restatedev/restate-sdk";
import * as clients from "@restatedev/restate-sdk-clients";
import { ToolError, type JsonValue } from "@toolweave/core";
import { checkOptions, withSignal } from "@toolweave/core/adapter";
import type {
  DurableEngine,
  EngineWorkflow,
  WorkflowStatus,
  WorkflowSteps,
} from "../agent/durable-engine.ts";

/** How the engine reaches the Restate server. */
export interface RestateEngineOptions {
  /** The ingress of the server: `http://localhost:8080`. */
  readonly ingressUrl: string;
  /** Headers of requests to the ingress, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Milliseconds that a step may take before the server gives the attempt up and repeats it. Default: 86,400,000 (a
   * day).
   */
  readonly maxStepMs?: number;
  /** Milliseconds for which the result of a run is kept. Default: 604,800,000 (7 days), as long as the ledger's. */
  readonly retentionMs?: number;
}

/** Workflows of Restate. */
export interface RestateEngine extends DurableEngine {
  /**
   * The services to serve: `restate.serve({ services: engine.services })` of `@restatedev/restate-sdk`. Register its
   * address with the server, after all agents have been defined.
   */
  readonly services: RestateService[];
}

/** A workflow service of Restate. */
export type RestateService = restate.WorkflowDefinition<string, RestateHandlers>;

/** The handlers of a workflow service. */
export type RestateHandlers = {
  readonly run: (context: restate.WorkflowContext, input: JsonValue) => Promise<JsonValue>;
  readonly send: (
    context: restate.WorkflowSharedContext,
    message: { readonly name: string; readonly value: JsonValue },
  ) => Promise<void>;
  readonly published: (context: restate.WorkflowSharedContext) => Promise<JsonValue>;
  readonly cancel: (context: restate.WorkflowSharedContext) => Promise<void>;
};

/** Names of the state of a workflow. */
const publishedKey = "published";
const invocationKey = "invocation";

/**
 * An engine on Restate: its server calls the processes that serve the workflows, and calls another one when a process has
 * ended.
 *
 * @throws ToolError `invalid_configuration` for an option that is not valid.
 * @example
 * ```ts
 * const engine = restateEngine({ ingressUrl: "http://localhost:8080" });
 * const clerk = durableAgent(engine, { name: "clerk", model, executor });
 * await serve({ services: engine.services, port: 9080 });
 * ```
 */
export function restateEngine(options: RestateEngineOptions): RestateEngine {
  checkOptions("restateEngine", options, ["ingressUrl", "headers", "maxStepMs", "retentionMs"]);
  const { ingressUrl, headers = {} } = options;
  if (typeof ingressUrl !== "string" || !URL.canParse(ingressUrl)) {
    throw new ToolError(
      "invalid_configuration",
      "restateEngine: ingressUrl is no URL; pass that of the server's ingress, such as http://localhost:8080.",
    );
  }
  const ingress = clients.connect({ url: ingressUrl, headers: { ...headers } });
  const services: RestateService[] = [];
  return {
    services,
    workflow: (name, run) => {
      const service = toService(name, run, options);
      services.push(service);
      return new RestateWorkflow(ingress, service);
    },
  };
}

function toService(
  name: string,
  run: (input: JsonValue, steps: WorkflowSteps) => Promise<JsonValue>,
  { maxStepMs = 86_400_000, retentionMs = 604_800_000 }: RestateEngineOptions,
): RestateService {
  const handlers: RestateHandlers = {
    run: async (context, input) => {
      context.set(invocationKey, context.request().id as string);
      try {
        return await run(input, toSteps(context));
      } catch (error) {
        // Another attempt would not change it.
        if (!ToolError.is(error) || error.code !== "invalid_configuration") throw error;
        throw new restate.TerminalError(error.message);
      }
    },
    send: async (context, { name: message, value }) => {
      const promise = context.promise<JsonValue>(`message ${message}`);
      // A second message has no effect.
      if ((await promise.peek()) === undefined) await promise.resolve(value);
    },
    published: async (context) => (await context.get<JsonValue>(publishedKey)) ?? null,
    cancel: async (context) => {
      const id = await context.get<string>(invocationKey);
      if (id !== null) context.cancel(restate.InvocationIdParser.fromString(id));
    },
  };
  return restate.workflow({
    name,
    handlers: handlers as never,
    options: {
      abortTimeout: maxStepMs,
      // A workflow rejects only if its process or a store is in trouble: another attempt is soon made.
      retryPolicy: { initialInterval: 100, exponentiationFactor: 2, maxInterval: 5000 },
      workflowRetention: retentionMs,
      journalRetention: retentionMs,
    },
  }) as unknown as RestateService;
}

function toSteps(context: restate.WorkflowContext): WorkflowSteps {
  const { attemptCompletedSignal } = context.request();
  const stopped = new AbortController();
  const onEnd = (): void => stopped.abort(new ToolError("cancelled", "The attempt has ended."));
  attemptCompletedSignal.addEventListener("abort", onEnd, { once: true });
  const { signal } = stopped;
  // A promise of Restate never settles when its attempt has ended; the calls that wait for it would keep their places.
  const inAttempt = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      return await withSignal(work, signal);
    } catch (error) {
      if (error instanceof restate.CancelledError) stopped.abort(error);
      throw error;
    }
  };
  const batch = new StepBatch();
  return {
    id: context.key,
    signal,
    step: (name, work) => inAttempt(batch.add(context.run(name, work))),
    message: async (name, expiresAt) => {
      const promise = context.promise<JsonValue>(`message ${name}`);
      const now = await inAttempt(context.date.now());
      try {
        return await inAttempt(promise.get().orTimeout(Math.max(0, expiresAt - now)));
      } catch (error) {
        if (error instanceof restate.TimeoutError) return undefined;
        throw error;
      }
    },
    publish: async (value) => context.set(publishedKey, value),
  };
}

/** Steps that were called at the same time: Restate's promises cannot be awaited at the same time, but as one. */
class StepBatch {
  #steps: restate.RestatePromise<unknown>[] = [];
  #ended: Promise<readonly PromiseSettledResult<unknown>[]> | undefined;

  async add<Value>(step: restate.RestatePromise<Value>): Promise<Value> {
    const index = this.#steps.push(step) - 1;
    this.#ended ??= Promise.resolve().then(() => {
      const steps = this.#steps;
      this.#steps = [];
      this.#ended = undefined;
      return restate.RestatePromise.allSettled(steps);
    });
    const ended = (await this.#ended)[index] as PromiseSettledResult<Value>;
    if (ended.status === "rejected") throw ended.reason;
    return ended.value;
  }
}

class RestateWorkflow implements EngineWorkflow {
  readonly #ingress: clients.Ingress;
  readonly #service: RestateService;

  constructor(ingress: clients.Ingress, service: RestateService) {
    this.#ingress = ingress;
    this.#service = service;
  }

  async start(id: string, input: JsonValue): Promise<void> {
    await this.#client(id).workflowSubmit(input);
  }

  async send(id: string, name: string, value: JsonValue): Promise<void> {
    await this.#client(id).send({ name, value });
  }

  async status(id: string): Promise<WorkflowStatus | undefined> {
    try {
      const output = await this.#client(id).workflowOutput();
      // `result` throws before.
      if (output.ready) return { status: "ended", output: output.result };
    } catch (error) {
      return statusFrom(error);
    }
    const published = await this.#client(id).published();
    return { status: "running", published };
  }

  async ended(id: string): Promise<void> {
    try {
      await this.#client(id).workflowAttach();
    } catch (error) {
      if (statusFrom(error) === undefined) throw error;
    }
  }

  async cancel(id: string): Promise<void> {
    await this.#client(id).cancel();
  }

  #client(id: string) {
    return this.#ingress.workflowClient<RestateHandlers>({ name: this.#service.name }, id);
  }
}

/** The end of a workflow that has no output. `undefined`: there is none. */
function statusFrom(error: unknown): WorkflowStatus | undefined {
  if (!(error instanceof clients.HttpCallError)) throw error;
  if (error.status === 404) return undefined;
  if (error.status === 409) return { status: "cancelled" };
  return { status: "failed", message: error.message };
}
