import { once } from "node:events";
import { QueueEvents, QueueEventsProducer } from "bullmq";
import type { HandOver } from "../history/hand-overs.ts";

/** The jobs of a queue of BullMQ that were taken from their worker, because it had not renewed its lock in time. */
export interface StalledJobs {
  /** All of them until now. */
  read(): Promise<readonly HandOver[]>;
  close(): Promise<void>;
}

/**
 * Reads the events of a queue of BullMQ, from the first one. `stalled` names the job, and not the worker that had it: that
 * follows from the number of times that the job was `active`, as BullMQ counts its starts. The id of an event has its time
 * (https://docs.bullmq.io/guide/events).
 *
 * @param port the port of Redis on loopback.
 */
export async function watchStalledJobs(queue: string, port: number): Promise<StalledJobs> {
  const connection = { host: "127.0.0.1", port };
  const events = new QueueEvents(queue, { connection, lastEventId: "0" });
  const producer = new QueueEventsProducer(queue, { connection });
  const found: HandOver[] = [];
  const starts = new Map<string, number>();
  events.on("active", ({ jobId }) => void starts.set(jobId, (starts.get(jobId) ?? 0) + 1));
  events.on("stalled", ({ jobId }, id) => {
    found.push({ runId: jobId, epoch: starts.get(jobId) ?? 0, time: Number(id.split("-")[0]) });
  });
  await events.waitUntilReady();
  return {
    read: async () => {
      // Events are read in their order: when this one arrives, all earlier ones have been read.
      const marker = `read ${crypto.randomUUID()}`;
      const arrived = once(events, marker);
      await producer.publishEvent({ eventName: marker });
      await arrived;
      return [...found];
    },
    close: async () => {
      await events.close();
      await producer.close();
    },
  };
}
