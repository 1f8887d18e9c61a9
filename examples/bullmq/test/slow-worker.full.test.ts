import { EventEmitter, once } from "node:events";
import { Redis } from "ioredis";
import { hasRedis, startRedis } from "@toolweave/test-support/redis-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bullmqEngine, type BullmqEngine } from "../src/bullmq-engine.ts";

describe.skipIf(!hasRedis())("a slow worker on BullMQ (needs redis-server)", () => {
  let server: Awaited<ReturnType<typeof startRedis>>;
  let redis: Redis;
  let engine: BullmqEngine;

  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
    engine = bullmqEngine(server.url, 500);
  });
  afterAll(async () => {
    await engine?.close();
    await redis?.quit();
    await server?.stop();
  });

  test("stores nothing once another worker has its job: its step fails, and no other one begins", async () => {
    const events = new EventEmitter();
    const [continued, ended] = [once(events, "continued"), once(events, "ended")];
    const begun: string[] = [];
    const workflow = engine.workflow("slow", async (_, { epoch, step }) => {
      const first = step("first", async () => {
        begun.push(`first ${epoch}`);
        if (epoch === 1) {
          // The lock of its job is lost, as if it had not been renewed in time.
          await redis.del("bull:slow:run_run_1:lock");
          await continued;
        }
        return `of ${epoch}`;
      });
      const end = (result: unknown): unknown => epoch === 1 && events.emit("ended", result);
      first.then(end, end);
      const value = await first;
      return step("second", async () => {
        begun.push(`second ${epoch}`);
        events.emit("continued");
        // The slow worker ends its first step while this one runs.
        await ended;
        return value;
      });
    });
    await workflow.start("run_1", {});
    expect(String(await ended)).toContain("Another worker has taken over the job run_1");
    await workflow.ended("run_1");
    expect(await workflow.status("run_1")).toEqual({ status: "ended", output: "of 2" });
    expect(begun).toEqual(["first 1", "first 2", "second 2"]);
  });
});
