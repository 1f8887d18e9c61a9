import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import fc from "fast-check";
import { recordUnhandledRejections } from "@toolweave/test-support/unhandled-rejections";
import { describe, expect, test } from "vitest";
import { suspend, text, ToolError, type ToolEvent, type ToolReturn } from "@toolweave/core";
import {
  call,
  executorFor,
  foreignTool,
  recorded,
  tool,
  listTypes,
} from "../support/executor-for.ts";
import { completed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

describe("the events of a call", () => {
  test("describe its stages, in an envelope with run, call and tool, as plain JSON, without arguments and result", async () => {
    const clock = new FakeClock();
    const executor = executorFor(
      tool("t", () => "the answer"),
      { clock },
    );
    const events = recorded(executor);
    const run = executor.startRun({ id: "r" }).nextTurn();
    completed(await run.execute(call("t", { secret: "s3cret" }, "c")));
    const envelope = { time: clock.now(), runId: "r", turnId: "r:1", callId: "c", tool: "t" };
    expect(events).toEqual([
      { ...envelope, seq: 1, type: "tool.requested" },
      {
        ...envelope,
        seq: 2,
        type: "tool.authorized",
        decision: "allow",
        reason: "supervised: your own functions run",
        rule: "policy preset:supervised",
      },
      { ...envelope, seq: 3, type: "tool.started", attempt: 1 },
      {
        ...envelope,
        seq: 4,
        type: "tool.completed",
        attempt: 1,
        durationMs: 0,
        isError: false,
        outputBytes: 10,
      },
    ]);
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
    expect(JSON.stringify(events)).not.toMatch(/s3cret|the answer/);
  });

  test("of an error result have the flag, and the duration", async () => {
    const clock = new FakeClock();
    const executor = executorFor(
      tool("t", async () => {
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 40));
        return { content: [text("no")], isError: true };
      }),
      { clock },
    );
    const events = recorded(executor);
    const outcome = executor.execute(call("t"));
    await clock.advance(100);
    expect(completed(await outcome).result.durationMs).toBe(40);
    expect(events.at(-1)).toMatchObject({
      type: "tool.completed",
      isError: true,
      code: "execution_failed",
      durationMs: 40,
    });
  });

  test("contain updates and progress while it runs", async () => {
    const executor = executorFor(
      tool("t", (_, { progress, update }) => {
        progress({ message: "half", done: 1, total: 2 });
        update({ content: [text("so far")] });
      }),
    );
    const events = recorded(executor);
    completed(await executor.execute(call("t")));
    expect(listTypes(events).slice(2)).toEqual([
      "tool.started",
      "tool.progressed",
      "tool.updated",
      "tool.completed",
    ]);
    expect(events[3]).toMatchObject({ progress: { message: "half", done: 1, total: 2 } });
    expect(events[4]).not.toHaveProperty("output");
  });

  test("of a nested call name the call that made it", async () => {
    const executor = executorFor([
      tool("outer", async (_, { scope }) => (await scope.execute(call("inner", {}, "i"))).status),
      tool("inner"),
    ]);
    const events = recorded(executor);
    completed(await executor.execute(call("outer", {}, "o")));
    const inner = events.filter((event) => "callId" in event && event.callId === "i");
    expect(listTypes(inner)).toEqual([
      "tool.requested",
      "tool.authorized",
      "tool.started",
      "tool.completed",
    ]);
    for (const event of inner) expect(event).toMatchObject({ parentCallId: "o" });
  });

  test("of one that waits and is resumed are: interrupted, resumed, started", async () => {
    const executor = executorFor(tool("t", undefined, { needsApproval: true }));
    const events = recorded(executor);
    const interruption = getInterruption(await executor.execute(call("t")));
    completed(await executor.resume(interruption, [{ type: "approve" }]));
    expect(listTypes(events)).toEqual([
      "tool.requested",
      "tool.interrupted",
      "tool.resumed",
      "tool.authorized",
      "tool.started",
      "tool.completed",
    ]);
    expect(events[1]).toMatchObject({ interruptionId: interruption.id });
    expect(events[2]).toMatchObject({ interruptionId: interruption.id });
    expect(events[3]).toMatchObject({ decision: "approved" });
  });
});

describe("a listener", () => {
  test("receives changes in the registry, in the same sequence", async () => {
    const source = new TestSource("s", [foreignTool("a")]);
    const executor = executorFor([source, tool("t")]);
    await executor.registry.ready;
    const [one, other] = [recorded(executor), recorded(executor)];
    await executor.execute(call("t"));
    source.set(foreignTool("b"));
    expect(one.at(-1)).toEqual({
      seq: 5,
      time: expect.any(Number),
      type: "registry.changed",
      version: executor.registry.version,
      added: ["b"],
      removed: ["a"],
      changed: [],
    });
    expect(other).toEqual(one);
  });

  test("receives nothing after its removal", async () => {
    const executor = executorFor(tool("t"));
    const events: ToolEvent[] = [];
    const stop = executor.on((event) => events.push(event));
    stop();
    await executor.execute(call("t"));
    expect(events).toEqual([]);
  });

  test("TC23 that throws, at once or later, changes nothing: neither for the call nor for the others", async () => {
    const unhandled = recordUnhandledRejections();
    const executor = executorFor(tool("t"));
    executor.on(() => {
      throw new Error("observer");
    });
    executor.on(async () => {
      throw new Error("observer, later");
    });
    const events = recorded(executor);
    completed(await executor.execute(call("t")));
    await settled();
    expect(events).toHaveLength(4);
    expect(unhandled).toEqual([]);
  });
});

type Behaviour =
  | "returns"
  | "returns later"
  | "throws"
  | "throws later"
  | "answers an error"
  | "hangs"
  | "suspends"
  | "suspends later"
  | "nests"
  | "is refused"
  | "is blocked"
  | "needs approval"
  | "answers badly"
  | "is tried again"
  | "hangs again"
  | "is unknown";

const behaviours: readonly Behaviour[] = [
  ...(["returns", "returns later", "throws", "throws later", "answers an error", "hangs"] as const),
  ...([
    "suspends",
    "suspends later",
    "nests",
    "is refused",
    "is blocked",
    "needs approval",
  ] as const),
  ...(["answers badly", "is unknown", "is tried again", "hangs again"] as const),
];

function makeExecutor(clock: FakeClock) {
  const later = (ms: number): Promise<void> =>
    new Promise((resolve) => clock.setTimeout(resolve, ms));
  const question = () => suspend([{ id: "q", type: "input", message: "?" }], { at: 1 });
  const again = {
    annotations: { idempotentHint: true },
    retry: { attempts: 3, initialDelayMs: 20 },
  };
  const behave = (name: Behaviour, work: () => ToolReturn | Promise<ToolReturn>, more = {}) =>
    tool(name.replaceAll(" ", "_"), (_, ctx) => (ctx.resumed === undefined ? work() : "went on"), {
      timeoutMs: 100,
      ...more,
    });
  return executorFor(
    [
      behave("returns", () => "x"),
      behave("returns later", async () => (await later(30), "x")),
      behave("throws", () => {
        throw new Error("x");
      }),
      behave("throws later", async () => {
        await later(150);
        throw new Error("x");
      }),
      behave("answers an error", () => ({ content: [], isError: true })),
      behave("hangs", () => new Promise(() => {})),
      behave("suspends", question),
      behave("suspends later", async () => (await later(20), question())),
      tool("nests", async (_, { scope }) => {
        const outcomes = await Promise.all([
          scope.execute(call("returns_later", {}, "n1")),
          scope.execute(call("hangs", {}, "n2")),
        ]);
        return outcomes.map(({ status }) => status);
      }),
      behave("is refused", () => "x", { input: { type: "object", required: ["missing"] } }),
      behave("is blocked", () => "x"),
      behave("needs approval", () => "x", { needsApproval: true }),
      behave("answers badly", () => "x", { output: { type: "number" } }),
      behave("is tried again", () => Promise.reject(new ToolError("unavailable", "x")), again),
      behave("hangs again", () => new Promise(() => {}), again),
    ],
    {
      clock,
      hooks: [
        {
          beforeCall: async ({ spec }) =>
            spec.name === "is_blocked" ? { block: "no" } : undefined,
        },
      ],
    },
  );
}

/**
 * The meaning of an event for its call: its start, its end, an exit before the start, anything
 * else.
 */
function letter(type: ToolEvent["type"]): string {
  if (type === "tool.started") return "s";
  if (ends.includes(type)) return "e";
  return type === "tool.rejected" || type === "tool.interrupted" ? "x" : "";
}

const ends = ["tool.completed", "tool.failed", "tool.suspended"];
const step = fc.record({
  does: fc.constantFrom(...behaviours),
  wait: fc.constantFrom(0, 0, 10, 40, 200),
  next: fc.constantFrom("nothing", "nothing", "nothing", "cancel", "approve", "reject"),
});

test("each start ends exactly once, and each call that never starts is rejected or interrupted once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const clock = new FakeClock();
      const executor = makeExecutor(clock);
      const events = recorded(executor);
      const outcomes: Promise<unknown>[] = [];
      const interruptions: ReturnType<typeof getInterruption>[] = [];
      let run = executor.startRun();
      let resumed = 0;
      for (const [at, { does, wait, next }] of steps.entries()) {
        outcomes.push(
          run.execute(call(does.replaceAll(" ", "_"), {}, `c${at}`)).then((outcome) => {
            if (outcome.status === "interrupted") interruptions.push(outcome.interruption);
          }),
        );
        await clock.advance(wait);
        await settled();
        const interruption = interruptions.shift();
        if (next === "cancel") {
          run.cancel();
          run = executor.startRun();
        } else if (next !== "nothing" && interruption !== undefined) {
          resumed += 1;
          const type = interruption.requests[0]?.type === "input" ? "input" : "approve";
          const answer = next === "reject" ? { type: next } : { type, value: 1 };
          outcomes.push(executor.resume(interruption, [answer as never]));
        }
      }
      await clock.advance(1000);
      await settled();
      await clock.advance(1000);
      await Promise.all(outcomes);
      await clock.advance(1000);

      const calls = events.filter((event) => "callId" in event);
      const count = (type: string): number => calls.filter((event) => event.type === type).length;
      const started = count("tool.started");
      expect(ends.reduce((sum, type) => sum + count(type), 0)).toBe(started);
      expect(count("tool.requested") + resumed).toBe(
        started + count("tool.rejected") + count("tool.interrupted"),
      );
      // A call whose run has ended by then is rejected, and stays pending.
      expect(count("tool.resumed")).toBeLessThanOrEqual(resumed);
      for (const id of new Set(calls.map(({ callId }) => callId))) {
        // Nested calls of several tools share their ids.
        if (/^n[12]$/.test(id)) continue;
        // A call runs, ends, and may run again; while it runs it is neither rejected nor
        // interrupted.
        const way = calls.filter(({ callId }) => callId === id).map(({ type }) => letter(type));
        expect(way.join("")).toMatch(/^(se|x)*$/);
      }
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
      expect(clock.timers).toBe(0);
    }),
    { numRuns: 60 },
  );
});
