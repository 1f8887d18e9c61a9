import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, test } from "vitest";
import type { ToolEvent } from "@toolweave/core";
import { publishDiagnostics } from "@toolweave/core/diagnostics";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";

/** The messages of a channel while `work` runs. */
async function receivedOn(channel: string, work: () => Promise<unknown>): Promise<ToolEvent[]> {
  const received: ToolEvent[] = [];
  const listener = (message: unknown): void => void received.push(message as ToolEvent);
  subscribe(channel, listener);
  await work();
  unsubscribe(channel, listener);
  return received;
}

test("events are published on the channel for all events and on the channel of their type", async () => {
  const executor = executorFor(tool("t"));
  const stop = publishDiagnostics(executor);
  const run = async (): Promise<unknown> => completed(await executor.execute(call("t")));
  const all = await receivedOn("toolweave.event", run);
  expect(listTypes(all)).toEqual([
    "tool.requested",
    "tool.authorized",
    "tool.started",
    "tool.completed",
  ]);
  expect(listTypes(await receivedOn("toolweave.tool.completed", run))).toEqual(["tool.completed"]);
  stop();
  expect(await receivedOn("toolweave.event", run)).toEqual([]);
});

test("without a subscriber no event is created: the sequence number does not change", async () => {
  const executor = executorFor(tool("t"));
  publishDiagnostics(executor);
  await executor.execute(call("t"));
  await executor.execute(call("t"));
  const events = recorded(executor);
  await executor.execute(call("t"));
  expect(events[0]!.seq).toBe(1);
});

test("a subscriber that throws changes nothing for the call", async () => {
  const executor = executorFor(tool("t"));
  publishDiagnostics(executor);
  const thrown: unknown[] = [];
  const uncaught = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => void thrown.push(error));
  const failing = (): void => {
    throw new Error("subscriber");
  };
  subscribe("toolweave.tool.started", failing);
  const outcome = await executor.execute(call("t"));
  await new Promise((resolve) => setImmediate(resolve));
  unsubscribe("toolweave.tool.started", failing);
  process.removeAllListeners("uncaughtException");
  for (const listener of uncaught) process.on("uncaughtException", listener);
  expect(outcome.status).toBe("completed");
  // Node rethrows it so that the host sees it.
  expect(thrown).toHaveLength(1);
});
