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

/** An engine whose workflows are jobs of BullMQ. */
export interface BullmqEngine extends DurableEngine {
  close(): Promise<void>;
}

/**
 * Runs workflows as jobs of BullMQ. BullMQ runs the job of a worker that has ended again, and stores nothing of what the
 * job has done: the steps are in a hash of Redis, one for each run, by their numbers.
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

async function work(redis: Redis, name: string, run: Run, job: Job): Promise<void> {
  const id = job.id as string;
  const key = toKey(name, id);
  if ((await redis.hexists(key, "output")) === 1) return;
  const stop = new AbortController();
  const isOver = new AbortController();
  void watchCancellation(redis, key, stop, isOver.signal);
  try {
    const epoch = await redis.hincrby(key, "epoch", 1);
    const output = await run(job.data as JsonValue, toSteps(redis, key, id, epoch, stop.signal));
    await redis.hset(key, "output", JSON.stringify(output));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    isOver.abort();
  }
}

function toSteps(
  redis: Redis,
  key: string,
  id: string,
  epoch: number,
  signal: AbortSignal,
): WorkflowSteps {
  let count = 0;
  const step: WorkflowSteps["step"] = async (name, work) => {
    count += 1;
    const field = `step ${count} ${name}`;
    signal.throwIfAborted();
    const stored = await redis.hget(key, field);
    if (stored !== null) return JSON.parse(stored) as Awaited<ReturnType<typeof work>>;
    const json = JSON.stringify(await work());
    // The first value counts: a process that was paused may store one later.
    await redis.hsetnx(key, field, json);
    const first = await redis.hget(key, field);
    return JSON.parse(first ?? json) as Awaited<ReturnType<typeof work>>;
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
    publish: async (value) => {
      await redis.hset(key, "published", JSON.stringify(value));
    },
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
      jobId: id,
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
