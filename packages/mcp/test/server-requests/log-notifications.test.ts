import { fileURLToPath } from "node:url";
import type { Clock, ToolEvent, ToolExecutor } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import type { LogMessage } from "../../src/options/server-request-options.ts";
import { pressExecutor, pressOverHttp, saidIn } from "../support/requesting-server-executor.ts";
import { executorOver, opened } from "../support/open-source.ts";

const eras = ["modern", "legacy"] as const;
const deliver = { id: "call_1", name: "deliver", arguments: {} };

function collectEvents(executor: ToolExecutor): ToolEvent[] {
  const events: ToolEvent[] = [];
  executor.on((event) => events.push(event));
  return events;
}

describe.each(eras)("a server of the %s protocol that writes a log", (era) => {
  it("is passed to the listener with its call", async () => {
    const received: [LogMessage, string | undefined][] = [];
    const onLog = (message: LogMessage, call: { callId: string } | undefined): void => {
      received.push([message, call?.callId]);
      throw new Error("of no consequence");
    };
    const executor = await pressExecutor(era, { onLog });
    expect(saidIn(await executor.execute(deliver))).toBe("delivered");
    expect(received).toEqual([
      [{ server: "press", level: "debug", data: "wheels turn" }, "call_1"],
      [{ server: "press", level: "warning", logger: "stock", data: { paper: "low" } }, "call_1"],
    ]);
  });

  it("becomes progress of the call from info on", async () => {
    const executor = await pressExecutor(era, { onLog: () => {} });
    const events = collectEvents(executor);
    await executor.execute(deliver);
    expect(events.filter(({ type }) => type === "tool.progressed")).toMatchObject([
      { callId: "call_1", progress: { message: 'warning stock: {"paper":"low"}' } },
    ]);
  });

  it("is not asked for logs without a listener", async () => {
    const executor = await pressExecutor(era);
    const events = collectEvents(executor);
    await executor.execute(deliver);
    // The older protocol sends logs without a request.
    const progress = events.filter(({ type }) => type === "tool.progressed");
    expect(progress).toHaveLength(era === "modern" ? 0 : 1);
  });
});

describe.each([
  ["modern", "stdio", pressExecutor],
  ["legacy", "stdio", pressExecutor],
  ["modern", "HTTP", pressOverHttp],
  ["legacy", "HTTP", pressOverHttp],
] as const)("a call of the %s protocol over %s", (era, _, createExecutor) => {
  it("times out in spite of progress", async () => {
    const timers = new Map<object, () => void>();
    const clock: Clock = {
      now: Date.now,
      setTimeout(callback) {
        const timer = {};
        timers.set(timer, callback);
        return timer;
      },
      clearTimeout: (timer) => void timers.delete(timer),
    };
    const executor = await createExecutor(era, {}, { timeoutMs: 300, clock });
    const events = collectEvents(executor);
    const countProgress = (): number =>
      events.filter(({ type }) => type === "tool.progressed").length;
    // The time passes when the call has reported progress twice, however busy the machine is.
    executor.on(({ type }) => {
      if (type === "tool.progressed" && countProgress() === 2)
        for (const end of timers.values()) end();
    });
    expect(await executor.execute({ id: "call_1", name: "bind", arguments: {} })).toMatchObject({
      status: "failed",
      error: { code: "timeout" },
    });
    expect(countProgress()).toBeGreaterThan(1);
    // The server was notified, and the connection is unchanged.
    expect(saidIn(await executor.execute({ id: "call_2", name: "stopped", arguments: {} }))).toBe(
      1,
    );
  });
});

describe("MF27: a call whose result and cancellation cross", () => {
  it.each(["at once", "when it is cancelled"])(
    "ends once if the server answers %s",
    async (answer) => {
      const file = fileURLToPath(new URL("../support/late-response-server.ts", import.meta.url));
      const source = opened({
        name: "late",
        prefix: false,
        command: process.execPath,
        args: [file],
      });
      await source.ready;
      const executor = executorOver(source);
      const ends = new Map<string, number>();
      executor.on((event) => {
        if (event.type !== "tool.completed" && event.type !== "tool.failed") return;
        ends.set(event.callId, (ends.get(event.callId) ?? 0) + 1);
      });
      const calls = Array.from({ length: 50 }, async (_, index) => {
        const stop = new AbortController();
        executor.on((event) => {
          // Stopped at increasing delays after the call was sent.
          if (event.type === "tool.started" && event.callId === `${index}`)
            later(index, () => stop.abort());
        });
        return executor.execute(
          { id: `${index}`, name: "late", arguments: { answer } },
          { signal: stop.signal },
        );
      });
      const outcomes = await Promise.all(calls);
      expect(outcomes.every(({ status }) => status === "completed" || status === "failed")).toBe(
        true,
      );
      expect([...ends.values()]).toEqual(Array.from({ length: 50 }, () => 1));
      const args = { answer: "at once" };
      expect(saidIn(await executor.execute({ id: "end", name: "late", arguments: args }))).toBe(
        "done",
      );
    },
  );
});

/** Runs code after a number of turns of the event loop. */
function later(turns: number, what: () => void): void {
  if (turns === 0) what();
  else setImmediate(() => later(turns - 1, what));
}
