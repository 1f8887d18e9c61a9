import type { Recorder } from "../history/recorder.ts";
import type { HeldUp, SentRequest, WorkerReply, WorkerSettings } from "../worker/messages.ts";
import { startChild, stopFor, type Child } from "./child-processes.ts";
import type { Random } from "./random.ts";

/** How the worker of a slot is started. */
export interface WorkerProgram {
  readonly program: string;
  readonly settings: Omit<WorkerSettings, "name">;
  readonly env?: Readonly<Record<string, string>>;
}

interface Slot {
  readonly index: number;
  generation: number;
  worker: RunningWorker | undefined;
}

/** Gives a request its reply; `undefined`: there is none. */
type Settle = (reply: WorkerReply | undefined) => void;

interface RunningWorker {
  readonly name: string;
  readonly child: Child;
  readonly waiting: Map<string, Settle>;
  /** It was ended by a fault, or by the end of the run. */
  isExpectedToEnd: boolean;
}

/** A request that was sent to a worker. */
export interface SentToWorker {
  readonly worker: string;
  /** `undefined`: the worker has ended before it replied. */
  readonly reply: Promise<WorkerReply | undefined>;
}

/** The workers of a run: replicas that share one store. A worker that ends is replaced. */
export class Cluster {
  /** Workers that have ended by themselves, with their last words. */
  readonly crashes: string[] = [];
  readonly #slots: readonly Slot[];
  readonly #programs: (slot: number, generation: number) => WorkerProgram;
  readonly #recorder: Recorder;
  readonly #starting = new Set<Promise<void>>();
  #isEnding = false;
  #kills = 0;

  constructor(
    count: number,
    programs: (slot: number, generation: number) => WorkerProgram,
    recorder: Recorder,
  ) {
    this.#slots = Array.from({ length: count }, (_, index) => ({
      index,
      generation: 0,
      worker: undefined,
    }));
    this.#programs = programs;
    this.#recorder = recorder;
  }

  /** The number of workers that were killed. */
  get kills(): number {
    return this.#kills;
  }

  /** The names of the workers that take requests. */
  get names(): readonly string[] {
    return this.#slots.flatMap(({ worker }) => worker?.name ?? []);
  }

  /** The name of the worker of a slot, if it runs. */
  nameAt(index: number): string | undefined {
    return this.#slots[index]?.worker?.name;
  }

  async start(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => this.#start(slot)));
  }

  /** Sends a request to a worker, if possible not to the one of the name `avoid`. */
  async send(request: SentRequest, random: Random, avoid?: string): Promise<SentToWorker> {
    while (this.names.length === 0) {
      if (this.#starting.size === 0) throw new Error("There is no worker.");
      await Promise.race(this.#starting);
    }
    const workers = this.#slots.flatMap(({ worker }) => worker ?? []);
    const others = workers.filter(({ name }) => name !== avoid);
    const worker = random.pick(others.length > 0 ? others : workers);
    const reply = new Promise<WorkerReply | undefined>((resolve) => {
      worker.waiting.set(request.attempt, resolve);
      worker.child.process.send(request, (error) => {
        if (error !== null) settle(worker, request.attempt, undefined);
      });
    });
    return { worker: worker.name, reply };
  }

  /** Kills the worker of a slot (SIGKILL), and starts another one in its place. */
  async kill(index: number): Promise<void> {
    const slot = this.#slots[index] as Slot;
    const { worker } = slot;
    if (worker === undefined) return;
    const end = this.#recorder.beginFault("kill", worker.name);
    this.#kills++;
    worker.isExpectedToEnd = true;
    worker.child.process.kill("SIGKILL");
    await worker.child.ended;
    end();
    await this.#start(slot);
  }

  /** Stops the worker of a slot for a time: when it continues, others have taken over its work. */
  async stop(index: number, ms: number): Promise<void> {
    const worker = this.#slots[index]?.worker;
    const pid = worker?.child.process.pid;
    if (worker === undefined || pid === undefined) return;
    const end = this.#recorder.beginFault("stop", worker.name);
    await stopFor(pid, ms);
    end();
  }

  /** Ends all workers (SIGKILL). */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.allSettled(this.#starting);
    for (const { worker } of this.#slots) {
      if (worker === undefined) continue;
      worker.isExpectedToEnd = true;
      worker.child.process.kill("SIGKILL");
      await worker.child.ended;
    }
  }

  #start(slot: Slot): Promise<void> {
    const starting = this.#startWorker(slot).finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
    return starting;
  }

  async #startWorker(slot: Slot): Promise<void> {
    if (this.#isEnding) return;
    const { program, settings, env } = this.#programs(slot.index, slot.generation);
    const name = `worker ${slot.index + 1}.${++slot.generation}`;
    const child = await startChild(program, [], {
      ...env,
      CHAOS_WORKER: JSON.stringify({ ...settings, name } satisfies WorkerSettings),
    });
    const worker: RunningWorker = { name, child, waiting: new Map(), isExpectedToEnd: false };
    child.process.on("message", (message: WorkerReply | HeldUp) => {
      if ("attempt" in message) return settle(worker, message.attempt, message);
      const until = Date.now();
      this.#recorder.faults.push({ kind: "stop", worker: name, from: until - message.ms, until });
    });
    slot.worker = worker;
    void child.ended.then(() => {
      slot.worker = undefined;
      for (const attempt of worker.waiting.keys()) settle(worker, attempt, undefined);
      if (worker.isExpectedToEnd) return;
      const lines = child.errors().trim().split("\n").slice(0, 12);
      this.crashes.push(`${name} has ended by itself: ${lines.join("\n    ")}`);
      void this.#start(slot);
    });
  }
}

function settle({ waiting }: RunningWorker, attempt: string, reply: WorkerReply | undefined): void {
  waiting.get(attempt)?.(reply);
  waiting.delete(attempt);
}
