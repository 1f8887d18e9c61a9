import { once } from "node:events";
import { hasRedis, startRedis } from "@toolweave/test-support/redis-server";
import { Queue, Worker } from "bullmq";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { watchStalledJobs } from "../src/scenarios/stalled-jobs.ts";

describe.skipIf(!hasRedis())("the jobs that BullMQ takes from workers (needs redis-server)", () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());

  test("are read with the number of the start that has not renewed its lock, and no others", async () => {
    const connection = { host: "127.0.0.1", port: redis.port };
    const queue = new Queue("agent", { connection });
    const worker = new Worker("agent", undefined, {
      ...{ connection, autorun: false, maxStalledCount: 10 },
      ...{ lockDuration: 20, stalledInterval: 20 },
    });
    const stalled = await watchStalledJobs("agent", redis.port);
    try {
      await queue.add("agent", {}, { jobId: "run_1" });
      await queue.add("agent", {}, { jobId: "run_2" });
      const starts: (number | undefined)[] = [];
      const start = async (): Promise<void> => {
        const taken = once(worker, "stalled");
        const job = await worker.getNextJob("a token");
        starts.push(job?.attemptsStarted);
        await taken;
      };
      const checks = worker.startStalledCheckTimer();
      await start();
      await start();
      await checks;
      expect(starts).toEqual([1, 2]);
      expect(await stalled.read()).toMatchObject([
        { runId: "run_1", epoch: 1 },
        { runId: "run_1", epoch: 2 },
      ]);
    } finally {
      await stalled.close();
      await worker.close();
      await queue.close();
    }
  });
});
