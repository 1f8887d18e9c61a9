import type {
  ExecutorOptions,
  Interruption,
  Tool,
  TaskOptions,
  ToolCallEvent,
  ToolContext,
  ToolErrorCode,
  ToolExecutor,
  ToolOutcome,
  ToolRun,
} from "@toolweave/core";
import { ActiveCalls } from "../../src/executor/call/active-calls.ts";
import type { CallLifecycle } from "../../src/executor/call/call-lifecycle.ts";
import { Slots } from "../../src/limits/slots.ts";
import type { Slot } from "../../src/limits/limited-call.ts";
import { executorFor } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";
import type { Plan } from "./plan.ts";
import { secret, type Environment } from "./environment.ts";

/** An event, or an invocation of a tool. */
export type Entry = ToolCallEvent | { readonly type: "invoked"; readonly callId: string };

/** An outcome that was returned, with its call. */
export interface Got {
  readonly outcome: ToolOutcome;
  readonly callId: string;
  readonly resumed: boolean;
}

/** The observed inside of the executors, by executor: only one life is played at a time. */
const inside = { inFlight: new Set<ActiveCalls<CallLifecycle>>(), slots: new Set<Slot>() };

const { add } = ActiveCalls.prototype;
ActiveCalls.prototype.add = function (execution) {
  inside.inFlight.add(this);
  add.call(this, execution);
};
const { enter } = Slots.prototype;
Slots.prototype.enter = function (execution) {
  const entered = enter.call(this, execution);
  if (execution.slot !== undefined) inside.slots.add(execution.slot);
  return entered;
};

/** Clears the observations, and returns them. */
export function takeInside(): { readonly inFlight: number; readonly places: number } {
  const inFlight = [...inside.inFlight].reduce((sum, list) => sum + [...list].length, 0);
  const places = [...inside.slots].filter(({ state }) => state !== "left").length;
  inside.inFlight.clear();
  inside.slots.clear();
  return { inFlight, places };
}

/** The tools of a host, and the options of its executor. */
export interface HostParts {
  readonly tools: readonly Tool[];
  readonly options: Omit<ExecutorOptions, "registry">;
}

/** One executor with its tools, and everything that could be observed of it. */
export class Host {
  readonly environment: Environment;
  readonly executor: ToolExecutor;
  readonly toolNames: readonly string[];
  readonly runs: readonly ToolRun[];
  readonly log: Entry[] = [];
  readonly got: Got[] = [];
  /** The number of attempts to resume a call. */
  readonly resumes: Map<string, number> = new Map();
  /** The code with which a tool has failed, which nothing may turn into an answer. */
  readonly decided: Map<string, ToolErrorCode> = new Map();
  /** It accepts no more calls. */
  isDraining = false;
  /** The calls that a hook, policy or approver has denied. */
  readonly refused: Set<string> = new Set();
  /** All records of the audit, and the open reservations of rates. */
  readonly audited: unknown[] = [];
  readonly reservations: Set<string> = new Set();
  readonly far: TestSource;
  /** The owner of each task. */
  readonly tasks: Map<string, TaskOptions> = new Map();
  readonly #seen = new Map<string, number>();
  /** The key of each start of a call: two stores may resume it twice at once. */
  readonly #attempts = new Map<unknown, number>();

  /** @param createParts creates the parts, which record in the host what they do. */
  constructor(environment: Environment, plan: Plan, createParts: (host: Host) => HostParts) {
    this.environment = environment;
    this.toolNames = plan.tools.map((_, at) => `t${at}`);
    const { tools, options } = createParts(this);
    const from = (kind: string): Tool[] => tools.filter((_, at) => plan.tools[at]?.from === kind);
    this.far = new TestSource("far", from("foreign"), { loading: plan.loads !== "at once" });
    if (plan.loads === "later") environment.clock.setTimeout(() => this.far.load(), 25);
    this.executor = executorFor(
      [...from("own"), new TestSource("near", from("trusted"), { trusted: true }), this.far],
      options,
    );
    this.executor.on((event) => {
      if (event.type === "registry.changed") return;
      this.log.push(event);
      if (event.type === "tool.suspended") environment.suspended.add(event.interruptionId);
      this.#ofTask(event, plan);
    });
    this.#listen(plan);
    this.runs = plan.runs.map(({ caller, session, only, limits }, at) =>
      this.executor.startRun({
        id: `run${at}`,
        injected: { tenant: secret, region: "eu" },
        signal: environment.signal(undefined),
        ...(caller === undefined ? {} : { caller: { id: caller, roles: ["reader"] } }),
        ...(session === undefined ? {} : { sessionId: session }),
        ...(only === undefined
          ? {}
          : { toolset: this.executor.toolset.select({ include: [`t${only}`] }) }),
        ...(limits === undefined ? {} : { limits: defined(limits) }),
      }),
    );
  }

  /** A listener for events that reacts to one of them. */
  #listen({ host }: Plan): void {
    const { listener } = host;
    if (listener === undefined) return;
    let seen = 0;
    this.executor.on(({ type }) => {
      if (type !== listener.on || ++seen !== listener.nth) return;
      if (listener.does === "throws") throw new Error("I listen only.");
      if (listener.does === "cancels") for (const run of this.runs) run.cancel();
      if (listener.does === "aborts") for (const one of this.environment.controllers) one.abort();
      if (listener.does !== "calls") return;
      const id = `n${this.environment.next()}`;
      const run = this.runs[0] as ToolRun;
      void this.outcome(run.execute({ id, name: "t0", arguments: { n: 1 } }), id, "of a listener");
    });
  }

  /** Records the owners of tasks, and what those wait for. */
  #ofTask(event: ToolCallEvent, { runs }: Plan): void {
    if (!("taskId" in event)) return;
    this.environment.ofTasks.push({ by: this, taskId: event.taskId, type: event.type });
    if (event.type === "task.created") {
      const { caller, session } = runs[Number(event.runId.slice(3))] ?? {};
      this.tasks.set(event.taskId, {
        ...(caller === undefined ? {} : { caller: { id: caller } }),
        ...(session === undefined ? {} : { sessionId: session }),
      });
    }
    if (event.type !== "task.input_required") return;
    const { taskId, callId } = event;
    const asked = this.executor.tasks.result(taskId, { ...this.tasks.get(taskId), waitMs: 0 });
    asked.then(
      (outcome) => {
        if (outcome?.status !== "interrupted") return;
        if (outcome.interruption.call.id !== callId)
          this.environment.violation(`${callId} is another`);
        this.#interrupted(outcome.interruption);
      },
      () => {},
    );
  }

  /** A tool has been invoked. */
  invoked(ctx: ToolContext): void {
    const { callId, attempt } = ctx;
    this.log.push({ type: "invoked", callId });
    this.#attempts.set(getStart(ctx), attempt);
    if (this.refused.has(callId))
      this.environment.violation(`${callId} ran although it was refused`);
  }

  /** Another attempt of the call has begun. */
  isStale(ctx: ToolContext): boolean {
    return (this.#attempts.get(getStart(ctx)) ?? ctx.attempt) > ctx.attempt;
  }

  /** The output of an abandoned attempt is ignored. */
  whileStale(ctx: ToolContext, say: () => void): undefined {
    const before = this.log.length;
    say();
    if (this.isStale(ctx) && this.log.length > before) {
      this.environment.violation(`attempt ${ctx.attempt} of ${ctx.callId} was used after its end`);
    }
  }

  cancel(runId: string): void {
    for (const run of this.runs) if (run.id === runId) run.cancel();
  }

  /** Records the outcome of a call, which must arrive. */
  outcome(
    promise: Promise<ToolOutcome>,
    callId: string,
    what: string,
    resumed = false,
  ): Promise<ToolOutcome> {
    const noted = promise.then((outcome) => {
      this.note(outcome, callId, resumed);
      return outcome;
    });
    return this.environment.expected(`${what} (${callId})`, noted);
  }

  note(outcome: ToolOutcome, callId: string, resumed = false): void {
    this.got.push({ outcome, callId, resumed });
    if (outcome.status === "interrupted") this.#interrupted(outcome.interruption);
  }

  #interrupted(interruption: Interruption): void {
    if (interruption.parentCallId === undefined) this.environment.interruptions.push(interruption);
  }

  /** Tries to resume a call. */
  resuming(callId: string, go: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
    this.resumes.set(callId, (this.resumes.get(callId) ?? 0) + 1);
    return go();
  }

  /** The number of times that something was done, this time included. */
  times(what: string): number {
    const times = (this.#seen.get(what) ?? 0) + 1;
    this.#seen.set(what, times);
    return times;
  }
}

/** The same in all attempts of one start of a call. */
function getStart({ callId, resumed }: ToolContext): unknown {
  return resumed?.answers ?? callId;
}

/** The same without undefined values. */
export function defined<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as never;
}
