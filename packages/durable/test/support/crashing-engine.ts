import type { JsonValue } from "@toolweave/core";
import type {
  DurableEngine,
  EngineWorkflow,
  WorkflowStatus,
  WorkflowSteps,
} from "@toolweave/durable";

/** Where a process ends: before the work of a step, or after it, before its value is stored. */
export type CrashPoint = "before" | "after";

/** The value of a step that was stored, by its number. */
interface StoredStep {
  readonly name: string;
  readonly value: JsonValue | undefined;
}

/** A message that may be sent before it is waited for. */
interface Message {
  readonly promise: Promise<JsonValue>;
  readonly resolve: (value: JsonValue) => void;
}

function newMessage(): Message {
  let resolve: Message["resolve"] = () => {};
  const promise = new Promise<JsonValue>((settle) => (resolve = settle));
  return { promise, resolve };
}

class Crash extends Error {}

/**
 * An engine in memory that numbers steps as DBOS and Restate do, stores their values as JSON, and repeats a workflow
 * whose process has "crashed". `crashes` decides before and after each work whether it does; each step reaches each
 * point once in every attempt.
 */
export class CrashingEngine implements DurableEngine {
  readonly #crashes: (point: CrashPoint, name: string) => boolean;
  /** Defines the agents again, as the process does that repeats a workflow. */
  restart: () => void = () => {};
  /** The names of the steps that have run, in order, with those that were repeated. */
  readonly ran: string[] = [];
  attempts = 0;
  #run: (input: JsonValue, steps: WorkflowSteps) => Promise<JsonValue> = async () => null;
  readonly #started = new Map<string, MemoryWorkflow>();

  constructor(crashes: (point: CrashPoint, name: string) => boolean = () => false) {
    this.#crashes = crashes;
  }

  workflow(
    _name: string,
    run: (input: JsonValue, steps: WorkflowSteps) => Promise<JsonValue>,
  ): EngineWorkflow {
    const started = this.#started;
    this.#run = run;
    const found = (id: string): MemoryWorkflow => {
      const workflow = started.get(id);
      if (workflow === undefined) throw new Error(`there is no workflow ${id}`);
      return workflow;
    };
    return {
      start: async (id, input) => {
        if (started.has(id)) return;
        const workflow = new MemoryWorkflow(id, this.#crashes, this.ran);
        started.set(id, workflow);
        workflow.ended = workflow.work(structuredClone(input), () => {
          this.attempts += 1;
          if (this.attempts > 1) this.restart();
          return this.#run;
        });
        workflow.ended.catch(() => {});
      },
      send: async (id, name, message) => found(id).send(name, message),
      status: async (id) => started.get(id)?.status,
      ended: async (id) => found(id).ended.catch(() => {}),
      cancel: async (id) => found(id).cancel(),
    };
  }
}

class MemoryWorkflow {
  status: WorkflowStatus = { status: "running", published: undefined };
  ended: Promise<void> = Promise.resolve();
  readonly #id: string;
  readonly #crashes: (point: CrashPoint, name: string) => boolean;
  readonly #ran: string[];
  readonly #journal = new Map<number, StoredStep>();
  readonly #messages = new Map<string, Message>();
  #stop = new AbortController();
  #isCancelled = false;

  constructor(id: string, crashes: (point: CrashPoint, name: string) => boolean, ran: string[]) {
    this.#id = id;
    this.#crashes = crashes;
    this.#ran = ran;
  }

  async work(
    input: JsonValue,
    nextRun: () => (input: JsonValue, steps: WorkflowSteps) => Promise<JsonValue>,
  ): Promise<void> {
    for (;;) {
      const run = nextRun();
      this.#stop = new AbortController();
      try {
        this.status = { status: "ended", output: await run(input, this.#steps()) };
        return;
      } catch (error) {
        if (this.#isCancelled) this.status = { status: "cancelled" };
        else if (!(error instanceof Crash)) {
          this.status = { status: "failed", message: String(error) };
        }
        if (this.status.status !== "running") return;
      }
    }
  }

  send(name: string, message: JsonValue): void {
    this.#message(name).resolve(message);
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#stop.abort(new Error("cancelled"));
  }

  #message(name: string): Message {
    const found = this.#messages.get(name) ?? newMessage();
    this.#messages.set(name, found);
    return found;
  }

  #steps(): WorkflowSteps {
    let number = 0;
    const { signal } = this.#stop;
    const stop = this.#stop;
    const stored = async <Value>(
      name: string,
      work: () => Promise<Value>,
      store: (value: Value) => JsonValue | undefined,
    ): Promise<Value> => {
      number += 1;
      const at = number;
      const before = this.#journal.get(at);
      if (before !== undefined) {
        if (before.name === name) return structuredClone(before.value) as Value;
        throw new Error(`step ${at} is ${name}, and was ${before.name}`);
      }
      const crash = (point: CrashPoint): void => {
        signal.throwIfAborted();
        if (!this.#crashes(point, name)) return;
        // All else in the process ends with it.
        const error = new Crash(`crashed ${point} ${name}`);
        stop.abort(error);
        throw error;
      };
      crash("before");
      this.#ran.push(name);
      const value = store(await work());
      crash("after");
      this.#journal.set(at, { name, value });
      return structuredClone(value) as Value;
    };
    return {
      id: this.#id,
      signal,
      step: (name, work) =>
        stored(name, work, (value) => JSON.parse(JSON.stringify(value)) as JsonValue),
      message: (name) => {
        const sent = this.#message(name).promise;
        const unlessStopped = (): Promise<JsonValue> =>
          new Promise((resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason as Error));
            void sent.then(resolve);
          });
        return stored<JsonValue | undefined>(`message ${name}`, unlessStopped, (value) => value);
      },
      publish: (published) =>
        stored(
          "publish",
          async () => {
            this.status = { status: "running", published };
          },
          () => undefined,
        ),
    };
  }
}
