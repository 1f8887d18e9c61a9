import { setTimeout as delay } from "node:timers/promises";
import { Queue, Worker, type Job } from "bullmq";
import { Redis } from "ioredis";
import type { JsonValue } from "@toolweave/core";
import type {
  DurableEngine,
  EngineWorkflow,
  WorkflowStatus,
  WorkflowSteps,
} from "@toolweave/durable";

type Run = (input: JsonValue, steps: WorkflowSteps) => Promise<JsonValue>;

/** Milliseconds between two looks for a message, a cancellation or an end. */
const pollMs = 100;

/** Stores a field of a run, unless a later start of its job has stored one. */
const storeScript = `
local latest = tonumber(redis.call("HGET", KEYS[1], "epoch") or "0")
if latest > tonumber(ARGV[1]) then return 0 end
redis.call("HSET", KEYS[1], "epoch", ARGV[1], ARGV[2], ARGV[3])
return 1`;

/** An engine whose workflows are jobs of BullMQ. */
export interface BullmqEngine extends DurableEngine {
  close(): Promise<void>;
}

/**
 * Runs workflows as jobs of BullMQ. BullMQ runs the job of a worker that has ended again, and stores nothing of what the
 * job has done: the steps are in a hash of Redis, one for each run, by their numbers.
 *
 * BullMQ cannot know whether a worker has ended or is only slow: then two workers have the same job. It counts the starts
 * of a job, and only the last one stores anything: the step of the slow worker fails, and so does its start of the job.
 *
 * Redis has to store what it has accepted (`appendonly yes`, `appendfsync always`): a step that it forgets is repeated.
 *
 * @param lockMs milliseconds after which a worker that does not renew its lock has ended.
 */
export function bullmqEngine(url: string, lockMs = 30_000): BullmqEngine {
  const newConnection = (): Redis => new Redis(url, { maxRetriesPerRequest: null });
  const redis = newConnection();
  const open: { close(): Promise<void> }[] = [];
  return {
    workflow: (name, run) => {
      const queue = new Queue(name, { connection: newConnection() });
      const worker = new Worker(name, (job) => work(redis, name, run, job), {
        connection: newConnection(),
        concurrency: 20,
        lockDuration: lockMs,
        stalledInterval: lockMs,
        // A run is repeated as often as its process ends.
        maxStalledCount: 1_000_000,
      });
      worker.on("error", () => {});
      open.push(worker, queue);
      return new BullmqWorkflow(redis, queue, name);
    },
    close: async () => {
      for (const one of open) await one.close();
      await redis.quit();
    },
  };
}

/** BullMQ refuses ids of jobs that are whole numbers. */
const jobPrefix = "run_";

async function work(redis: Redis, name: string, run: Run, job: Job): Promise<void> {
  const id = (job.id as string).slice(jobPrefix.length);
  const key = toKey(name, id);
  if ((await redis.hexists(key, "output")) === 1) return;
  const stop = new AbortController();
  const isOver = new AbortController();
  void watchCancellation(redis, key, stop, isOver.signal);
  try {
    const start: Start = { redis, key, id, epoch: job.attemptsStarted };
    // From now on, no earlier start stores anything.
    await storeField(start, "started", 1);
    const output = await run(job.data as JsonValue, toSteps(start, stop.signal));
    await storeField(start, "output", output);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    isOver.abort();
  }
}

/** One start of a job, in one worker. */
interface Start {
  readonly redis: Redis;
  /** The key of the run's hash. */
  readonly key: string;
  readonly id: string;
  /** The number of the start. */
  readonly epoch: number;
}

/** @throws Error if another worker has taken the job over. */
async function storeField({ redis, key, id, epoch }: Start, field: string, value: JsonValue) {
  const stored = await redis.eval(storeScript, 1, key, epoch, field, JSON.stringify(value));
  if (stored !== 1) throw takenOver(id);
}

function takenOver(id: string): Error {
  return new Error(`Another worker has taken over the job ${id}.`);
}

function toSteps(start: Start, signal: AbortSignal): WorkflowSteps {
  const { redis, key, id, epoch } = start;
  let count = 0;
  const step: WorkflowSteps["step"] = async (name, work) => {
    count += 1;
    const field = `step ${count} ${name}`;
    signal.throwIfAborted();
    const [stored, current] = await redis.hmget(key, field, "epoch");
    if (current !== String(epoch)) throw takenOver(id);
    if (typeof stored === "string") return JSON.parse(stored) as Awaited<ReturnType<typeof work>>;
    const value = await work();
    await storeField(start, field, value);
    return value;
  };
  return {
    id,
    epoch,
    signal,
    step,
    message: async (name, expiresAt) => {
      const message = await step(`message ${name}`, async () => {
        while (Date.now() < expiresAt) {
          const sent = await redis.hget(key, `message ${name}`);
          if (sent !== null) return [JSON.parse(sent) as JsonValue];
          await delay(pollMs, undefined, { signal });
        }
        return [];
      });
      return message[0];
    },
    publish: (value) => storeField(start, "published", value),
  };
}

async function watchCancellation(
  redis: Redis,
  key: string,
  stop: AbortController,
  isOver: AbortSignal,
): Promise<void> {
  while (!isOver.aborted) {
    if ((await redis.hexists(key, "cancelled").catch(() => 0)) === 1) stop.abort();
    await delay(pollMs, undefined, { signal: isOver }).catch(() => {});
  }
}

class BullmqWorkflow implements EngineWorkflow {
  readonly #redis: Redis;
  readonly #queue: Queue;
  readonly #name: string;

  constructor(redis: Redis, queue: Queue, name: string) {
    this.#redis = redis;
    this.#queue = queue;
    this.#name = name;
  }

  async start(id: string, input: JsonValue): Promise<void> {
    await this.#redis.hsetnx(toKey(this.#name, id), "started", "1");
    // A job with an id that exists is not added.
    await this.#queue.add(this.#name, input, {
      jobId: jobPrefix + id,
      attempts: 1_000_000,
      backoff: { type: "fixed", delay: 1000 },
    });
  }

  async send(id: string, name: string, message: JsonValue): Promise<void> {
    await this.#redis.hsetnx(toKey(this.#name, id), `message ${name}`, JSON.stringify(message));
  }

  async status(id: string): Promise<WorkflowStatus | undefined> {
    const fields = ["started", "output", "cancelled", "published"];
    const [started, output, cancelled, published] = await this.#redis.hmget(
      toKey(this.#name, id),
      ...fields,
    );
    if (typeof output === "string") return { status: "ended", output: JSON.parse(output) };
    if (typeof cancelled === "string") return { status: "cancelled" };
    if (typeof started !== "string") return undefined;
    return {
      status: "running",
      published: typeof published === "string" ? JSON.parse(published) : undefined,
    };
  }

  async ended(id: string): Promise<void> {
    while ((await this.status(id))?.status === "running") await delay(pollMs);
  }

  async cancel(id: string): Promise<void> {
    const status = await this.status(id);
    if (status?.status === "running") {
      await this.#redis.hset(toKey(this.#name, id), "cancelled", "1");
    }
  }
}

function toKey(name: string, id: string): string {
  return `toolweave:${name}:${id}`;
}
