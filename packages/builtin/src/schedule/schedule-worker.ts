import type { Clock, ClockTimer, ToolExecutor, ToolOutcome } from "@toolweave/core";
import {
  checkOptions,
  checks,
  specHashOf,
  systemClock,
  type Metadata,
  type OptionChecks,
} from "@toolweave/core/adapter";
import type { ScheduledRun, ScheduleStore, StoredJob } from "@toolweave/core/stores";
import { nextSlot } from "./next-slot.ts";

/** Options of `scheduleWorker`. */
export interface ScheduleWorkerOptions {
  /** Runs the calls. Its policy decides about each, when it is made. */
  readonly executor: ToolExecutor;
  /** The store of the jobs. Several workers may share it. */
  readonly store: ScheduleStore;
  /** Milliseconds between two looks at the store. Default: 1,000. */
  readonly pollMs?: number;
  /** Data for each call, which an interruption of it has too. Default: none. */
  readonly callMetadata?: () => Metadata;
  /** Receives what came of each slot, and the outcome if a call was made. Errors of it are ignored. */
  readonly onRun?: (job: StoredJob, run: ScheduledRun, outcome: ToolOutcome | undefined) => void;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Runs scheduled jobs. */
export interface ScheduleWorker {
  /** Begins to look for due jobs. Idempotent. */
  start(): void;
  /** Runs the jobs that are due, and waits until they have ended. Returns their number. */
  runDue(): Promise<number>;
  /** Takes no more jobs, and waits for those that run. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const optionChecks: OptionChecks<ScheduleWorkerOptions> = {
  executor: checks.required(checks.withMethods("new ToolExecutor({ registry })", "execute")),
  store: checks.required(checks.withMethods('sqliteStore("agent.sqlite").schedules', "claim")),
  pollMs: checks.numberFrom(1),
  callMetadata: checks.callback,
  onRun: checks.callback,
  clock: checks.clock,
};

/** Runs of one worker at the same time. */
const maxAtOnce = 20;
/** A slot is missed when this many milliseconds have passed. */
const graceMs = 60_000;

/**
 * A worker for the jobs of `scheduleTools`. Each slot is run at most once, whatever happens: it is taken in the store
 * before the call is made. If the process is killed while a job runs, its slot is reported as `unfinished`. A call for
 * which the policy asks waits as an interruption of the executor.
 *
 * At most 20 calls run at the same time, and of each job one: while it runs, in this worker or another one, its next slot
 * waits.
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 */
export function scheduleWorker(options: ScheduleWorkerOptions): ScheduleWorker {
  checkOptions("scheduleWorker", options, optionChecks);
  return new Worker(options);
}

class Worker implements ScheduleWorker {
  readonly #executor: ToolExecutor;
  readonly #store: ScheduleStore;
  readonly #clock: Clock;
  readonly #pollMs: number;
  readonly #callMetadata: ScheduleWorkerOptions["callMetadata"];
  readonly #onRun: ScheduleWorkerOptions["onRun"];
  #timer: ClockTimer | undefined;
  #looking: Promise<Look> | undefined;
  /** Resolve when their runs have ended. */
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  constructor({
    executor,
    store,
    pollMs = 1_000,
    callMetadata,
    onRun,
    clock = systemClock,
  }: ScheduleWorkerOptions) {
    this.#executor = executor;
    this.#store = store;
    this.#clock = clock;
    this.#pollMs = pollMs;
    this.#callMetadata = callMetadata;
    this.#onRun = onRun;
  }

  start(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    const look = (): void => {
      // A look that fails is repeated: the store may be unavailable for a moment. Runs are not awaited: a long one
      // must not delay the slots of other jobs.
      void this.#look(this.#clock.now())
        .catch(() => {})
        .then(() => {
          if (!this.#isStopped) this.#timer = this.#clock.setTimeout(look, this.#pollMs);
        });
    };
    this.#timer = this.#clock.setTimeout(look, 0);
  }

  async runDue(): Promise<number> {
    const now = this.#clock.now();
    const runs: Promise<void>[] = [];
    for (let isMore = true; isMore;) {
      if (this.#running.size >= maxAtOnce) await Promise.race(this.#running);
      const look = await this.#look(now);
      runs.push(...look.runs);
      ({ isMore } = look);
    }
    await Promise.all(runs);
    return runs.length;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    await this.#looking?.catch(() => {});
    await Promise.all(this.#running);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #look(now: number): Promise<Look> {
    this.#looking ??= this.#takeDue(now).finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** Takes the slots that are due, and begins their runs. */
  async #takeDue(now: number): Promise<Look> {
    const limit = maxAtOnce - this.#running.size;
    if (this.#isStopped) return { runs: [], isMore: false };
    if (limit <= 0) return { runs: [], isMore: true };
    const due = await this.#store.due(now, limit);
    const runs: Promise<void>[] = [];
    // If one slot cannot be taken, those that were taken are run all the same.
    await Promise.all(due.map((job) => this.#takeSlot(job, runs)));
    return { runs, isMore: due.length === limit };
  }

  /** Adds the run of a slot to `runs`, unless another worker has taken it. */
  async #takeSlot(job: StoredJob, runs: Promise<void>[]): Promise<void> {
    const { id, nextAt: slot } = job;
    if (slot === undefined) return;
    const startedAt = this.#clock.now();
    const { next, fault } = await findNext(job, Math.max(slot, startedAt));
    if (!(await this.#store.claim(id, slot, next))) return;
    const run = this.#runSlot(job, slot, startedAt, fault);
    runs.push(run);
    const ended = run.catch(() => {}).then(() => void this.#running.delete(ended));
    this.#running.add(ended);
  }

  /** @param fault ends the slot without a call. */
  async #runSlot(
    job: StoredJob,
    slot: number,
    startedAt: number,
    fault: string | undefined,
  ): Promise<void> {
    const { outcome, ...ended } =
      fault === undefined
        ? await this.#endSlot(job, slot, startedAt - slot)
        : ({ status: "failed", detail: fault } as EndedCall);
    const run: ScheduledRun = { slot, startedAt, ...ended };
    await this.#store.finish(job.id, run);
    try {
      this.#onRun?.(job, run, outcome);
    } catch {
      // It only observes.
    }
  }

  async #endSlot(job: StoredJob, slot: number, lateMs: number): Promise<EndedCall> {
    return lateMs > graceMs && job.missed === "skip"
      ? { status: "skipped", detail: `It was ${Math.round(lateMs / 1_000)} s late.` }
      : this.#call(job, slot);
  }

  /** Makes the call. Never rejects. */
  async #call(
    { id, tool: name, arguments: args, caller, specHash }: StoredJob,
    slot: number,
  ): Promise<EndedCall> {
    try {
      const all = caller === undefined ? this.#executor.toolset : this.#executor.registry.toolset();
      const tool = all.callable(name)?.tool;
      if (tool === undefined) return { status: "failed", detail: `There is no tool ${name}.` };
      if ((await specHashOf(tool)) !== specHash) {
        return {
          status: "failed",
          detail: `The tool ${name} has changed since the job was added. Add it again.`,
        };
      }
      const metadata = this.#callMetadata?.();
      const outcome = await this.#executor.execute(
        {
          id: `${id}:${slot}`,
          name,
          arguments: args,
          ...(metadata === undefined ? {} : { metadata }),
        },
        {
          ...(caller === undefined ? {} : { caller }),
          // Nothing but this tool, also for calls that it makes itself.
          toolset: all.filter((entry) => entry.tool === tool),
        },
      );
      return { ...toRun(outcome), outcome };
    } catch (error) {
      return { status: "failed", detail: (error as Error).message };
    }
  }
}

/**
 * The slot after `after`. A job whose schedule is not valid any more, such as one in a time zone that this system does not
 * have, fails and ends: otherwise it would be due forever.
 */
async function findNext(
  { schedule, maxRuns = Infinity, runs }: StoredJob,
  after: number,
): Promise<{ readonly next: number | undefined; readonly fault?: string }> {
  try {
    return { next: runs + 1 >= maxRuns ? undefined : await nextSlot(schedule, after) };
  } catch (error) {
    return { next: undefined, fault: (error as Error).message };
  }
}

/** The runs that a look at the store has begun. */
interface Look {
  readonly runs: readonly Promise<void>[];
  /** Whether more jobs may be due. */
  readonly isMore: boolean;
}

/** The end of a slot, and the outcome of its call if one was made. */
interface EndedCall extends Pick<ScheduledRun, "status" | "detail"> {
  readonly outcome?: ToolOutcome;
}

function toRun(outcome: ToolOutcome): Pick<ScheduledRun, "status" | "detail"> {
  if (outcome.status === "interrupted") {
    return { status: "interrupted", detail: `It waits for a person: ${outcome.interruption.id}.` };
  }
  if (outcome.ok) return { status: "completed" };
  return { status: "failed", detail: `${outcome.error.code}: ${outcome.error.message}` };
}
