import { context, metrics, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { suspend, text, ToolError } from "@toolweave/core";
import { openTelemetry } from "@toolweave/core/telemetry";
import { deferred } from "../support/deferred.ts";
import { call, executorFor, guarded, tool } from "../support/executor-for.ts";
import { readCode, completed, getInterruption } from "../support/outcomes.ts";
import { Collected, followContexts } from "./collected.ts";

beforeEach(followContexts);
afterEach(() => {
  context.disable();
  trace.disable();
  metrics.disable();
});

describe("the span of a call", () => {
  test("has the name and the attributes of the conventions", async () => {
    const collected = new Collected();
    const executor = executorFor(
      tool("weather", () => ({ degrees: 7 })),
      {
        hooks: [collected.hook()],
      },
    );
    completed(await executor.execute(call("weather", { secret: "s3cret" }, "call_1")));
    const [span, ...others] = await collected.spans();
    expect(others).toEqual([]);
    expect(span).toMatchObject({ name: "execute_tool weather", kind: SpanKind.INTERNAL });
    expect(span!.status.code).toBe(SpanStatusCode.UNSET);
    expect(span!.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "weather",
      "gen_ai.tool.call.id": "call_1",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.description": "The tool weather.",
    });
  });

  test("is a child of the host's, and the parent of the spans of the tool, its middleware and its nested calls", async () => {
    const collected = new Collected();
    const own = collected.tracers.getTracer("own");
    const executor = executorFor(
      [
        tool("outer", async (_, ctx) => {
          await settled();
          own.startSpan("request").end();
          return (await ctx.scope.execute(call("inner"))).status;
        }),
        tool("inner"),
      ],
      {
        hooks: [
          async (_, next) => {
            own.startSpan("middleware").end();
            return next();
          },
          collected.hook(),
        ],
      },
    );
    await collected.under("host", async () => completed(await executor.execute(call("outer"))));
    const spans = await collected.spans();
    const parents = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
    expect(
      spans.map(({ name, parentSpanContext: parent }) => [
        name,
        parent === undefined ? undefined : parents.get(parent.spanId),
      ]),
    ).toEqual([
      ["middleware", "execute_tool outer"],
      ["request", "execute_tool outer"],
      ["middleware", "execute_tool inner"],
      ["execute_tool inner", "execute_tool outer"],
      ["execute_tool outer", "host"],
      ["host", undefined],
    ]);
  });

  test("is a child of its own call's parent, whichever call's end has released its slot", async () => {
    const collected = new Collected();
    const gates = [deferred<void>(), deferred<void>(), deferred<void>()];
    const executor = executorFor(
      tool("t", ({ at }) => gates[at as number]!.promise),
      { hooks: [collected.hook()], limits: { concurrency: { max: 1 } } },
    );
    const outcomes = gates.map((_, at) =>
      collected.under(`host ${at}`, () => executor.execute(call("t", { at }, `c${at}`))),
    );
    for (const { resolve } of gates) {
      await settled();
      resolve();
    }
    for (const outcome of await Promise.all(outcomes)) completed(outcome);
    const spans = await collected.spans();
    const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
    const calls = spans.filter(({ name }) => name === "execute_tool t");
    expect(
      calls.map(({ parentSpanContext: parent }) => names.get(parent?.spanId ?? "")).toSorted(),
    ).toEqual(["host 0", "host 1", "host 2"]);
    for (const { attributes, parentSpanContext: parent } of calls) {
      const at = String(attributes["gen_ai.tool.call.id"]).slice(1);
      expect(names.get(parent?.spanId ?? "")).toBe(`host ${at}`);
    }
  });

  test("of a task continues with it, after the call has its answer", async () => {
    const collected = new Collected();
    const go = deferred<string>();
    const executor = executorFor(
      tool("t", () => go.promise, { execution: "task" }),
      {
        hooks: [collected.hook()],
      },
    );
    const { result } = completed(await executor.execute(call("t")));
    expect(result.taskId).toBeTypeOf("string");
    expect(await collected.spans()).toEqual([]);
    go.resolve("done");
    await settled();
    await settled();
    expect((await collected.spans()).map(({ name }) => name)).toEqual(["execute_tool t"]);
  });

  test("of a nested call is a child also if contexts are not propagated", async () => {
    context.disable();
    const collected = new Collected();
    const executor = executorFor(
      [
        tool("outer", async (_, ctx) => {
          await settled();
          return (await ctx.scope.execute(call("inner"))).status;
        }),
        tool("inner"),
      ],
      { hooks: [collected.hook()] },
    );
    completed(await executor.execute(call("outer")));
    const [inner, outer] = await collected.spans();
    expect(inner!.parentSpanContext?.spanId).toBe(outer!.spanContext().spanId);
  });

  test.each([
    ["throws", () => Promise.reject(new Error("password hunter2")), "execution_failed"],
    [
      "answers an error",
      () => ({
        content: [text("hunter2")],
        isError: true,
        error: new ToolError("upstream", "hunter2", { status: 404, body: "hunter2" }),
      }),
      "upstream",
    ],
    ["answers badly", () => "hunter2", "invalid_output"],
  ])(
    "of a tool that %s has the code of the error, and nothing else of it",
    async (_, execute, code) => {
      const collected = new Collected();
      const more = code === "invalid_output" ? { output: { type: "number" } as const } : {};
      const executor = executorFor(tool("t", execute, more), { hooks: [collected.hook()] });
      await executor.execute(call("t"));
      const [span] = await collected.spans();
      expect(span!.status).toEqual({ code: SpanStatusCode.ERROR });
      expect(span!.attributes["error.type"]).toBe(code);
      expect(JSON.stringify([span!.attributes, span!.events, span!.status])).not.toContain(
        "hunter2",
      );
      expect(await collected.points("gen_ai.execute_tool.duration")).toMatchObject([
        { attributes: { "gen_ai.tool.name": "t", "error.type": code }, value: { count: 1 } },
      ]);
    },
  );

  test("ends when the call is aborted, though the tool continues", async () => {
    const clock = new FakeClock();
    const collected = new Collected();
    const executor = executorFor(
      tool("t", () => new Promise(() => {}), { timeoutMs: 50 }),
      {
        clock,
        hooks: [collected.hook()],
      },
    );
    const outcome = executor.execute(call("t"));
    await clock.advance(100);
    expect(readCode(await outcome)).toBe("timeout");
    expect((await collected.spans()).map(({ attributes }) => attributes["error.type"])).toEqual([
      "timeout",
    ]);
  });

  test("is one for all attempts; each attempt before the last is an event of it", async () => {
    const collected = new Collected();
    const own = collected.tracers.getTracer("own");
    const executor = executorFor(
      tool(
        "t",
        async (_, { attempt }) => {
          own.startSpan(`attempt ${attempt}`).end();
          if (attempt < 3) throw new ToolError("unavailable", "later");
          return "done";
        },
        { annotations: { idempotentHint: true }, retry: { attempts: 3, initialDelayMs: 0 } },
      ),
      { hooks: [collected.hook()] },
    );
    completed(await executor.execute(call("t")));
    const spans = await collected.spans();
    const span = spans.at(-1)!;
    expect(spans.map(({ name }) => name)).toEqual([
      "attempt 1",
      "attempt 2",
      "attempt 3",
      "execute_tool t",
    ]);
    for (const inner of spans.slice(0, 3)) {
      expect(inner.parentSpanContext?.spanId).toBe(span.spanContext().spanId);
    }
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
    expect(span.events.map(({ name, attributes }) => [name, attributes])).toEqual(
      [1, 2].map((attempt) => [
        "toolweave.tool.retried",
        {
          "error.type": "unavailable",
          "toolweave.tool.attempt": attempt,
          "toolweave.tool.retry_delay": 0,
        },
      ]),
    );
  });

  test("that waits for a person ends, and the span of the resumed call links to it", async () => {
    const collected = new Collected();
    const executor = executorFor(
      tool("t", (_, { resumed }) =>
        resumed === undefined
          ? suspend([{ id: "q", type: "input", message: "?" }], null)
          : "went on",
      ),
      { hooks: [collected.hook()] },
    );
    const interruption = getInterruption(await executor.execute(call("t")));
    completed(await executor.resume(interruption, [{ type: "input", value: 1 }]));
    const [first, second, ...others] = await collected.spans();
    expect(others).toEqual([]);
    expect(first!.status.code).toBe(SpanStatusCode.UNSET);
    expect(first!.events.map(({ name }) => name)).toEqual(["toolweave.tool.suspended"]);
    expect(second!.links.map(({ context }) => context.spanId)).toEqual([
      first!.spanContext().spanId,
    ]);
    const [series] = await collected.points("gen_ai.execute_tool.duration");
    expect(series!.value.count).toBe(1);
  });

  test("of an approved call links to the span in which it was requested", async () => {
    const collected = new Collected();
    const executor = executorFor(guarded(), { hooks: [collected.hook()] });
    const interruption = await collected.under("first request", async () =>
      getInterruption(await executor.execute(call("pay"))),
    );
    await collected.under("second request", async () =>
      completed(await executor.resume(interruption, [{ type: "approve" }])),
    );
    const spans = await collected.spans();
    const [asked, ran, answered] = spans;
    expect(spans.map(({ name }) => name)).toEqual([
      "first request",
      "execute_tool pay",
      "second request",
    ]);
    expect(ran!.parentSpanContext?.spanId).toBe(answered!.spanContext().spanId);
    expect(ran!.links.map(({ context }) => context.spanId)).toEqual([asked!.spanContext().spanId]);
  });

  test("of calls with the same id in two runs of the same id: each has its own, for as long as it takes", async () => {
    const collected = new Collected();
    const own = collected.tracers.getTracer("own");
    const gates = [deferred<void>(), deferred<void>()];
    const executor = executorFor(
      tool("t", async ({ at }) => {
        await gates[at as number]!.promise;
        own.startSpan(`work ${String(at)}`).end();
        if (at === 1) throw new Error("no");
        return "done";
      }),
      { hooks: [collected.hook()] },
    );
    const calls = [0, 1].map((at) =>
      executor.startRun({ id: "run" }).execute(call("t", { at }, "same")),
    );
    gates[1]!.resolve();
    await calls[1];
    gates[0]!.resolve();
    await Promise.all(calls);
    const [work1, second, work0, first] = await collected.spans();
    expect(second!.attributes["error.type"]).toBe("execution_failed");
    expect(first!.attributes["error.type"]).toBeUndefined();
    expect(work1!.parentSpanContext?.spanId).toBe(second!.spanContext().spanId);
    expect(work0!.parentSpanContext?.spanId).toBe(first!.spanContext().spanId);
  });
});

describe("the duration of calls", () => {
  test("is measured in seconds, by tool", async () => {
    const collected = new Collected();
    const executor = executorFor([tool("a", () => settled()), tool("b")], {
      hooks: [collected.hook()],
    });
    for (const name of ["a", "a", "b"]) completed(await executor.execute(call(name)));
    const points = await collected.points("gen_ai.execute_tool.duration");
    expect(points.map(({ attributes, value }) => [attributes, value.count])).toEqual(
      [["a", 2] as const, ["b", 1] as const].map(([name, count]) => [
        {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": name,
          "gen_ai.tool.type": "function",
        },
        count,
      ]),
    );
    for (const { value } of points) {
      expect(value.sum).toBeGreaterThan(0);
      expect(value.sum).toBeLessThan(10);
      expect(value.buckets.boundaries[0]).toBe(0.01);
    }
  });
});

describe("payloads", () => {
  const collectPayloads = async (eventPayloads: boolean, payloads: boolean) => {
    const collected = new Collected();
    const executor = executorFor(
      tool("t", () => ({ degrees: 7 })),
      {
        eventPayloads,
        hooks: [collected.hook({ payloads })],
      },
    );
    completed(await executor.execute(call("t", '{"city":"Bern"}')));
    const [span] = await collected.spans();
    return [
      span!.attributes["gen_ai.tool.call.arguments"],
      span!.attributes["gen_ai.tool.call.result"],
    ];
  };

  test("are on spans only if the host enables them there and in its events", async () => {
    expect(await collectPayloads(false, false)).toEqual([undefined, undefined]);
    expect(await collectPayloads(true, false)).toEqual([undefined, undefined]);
    expect(await collectPayloads(false, true)).toEqual([undefined, undefined]);
    expect(await collectPayloads(true, true)).toEqual(['{"city":"Bern"}', '{"degrees":7}']);
  });
});

test("the global providers are used, also if they are registered after the executor was created", async () => {
  const collected = new Collected();
  const executor = executorFor(tool("t"), { hooks: [openTelemetry()] });
  trace.setGlobalTracerProvider(collected.tracers);
  metrics.setGlobalMeterProvider(collected.meters);
  completed(await executor.execute(call("t")));
  expect((await collected.spans()).map(({ name }) => name)).toEqual(["execute_tool t"]);
  expect(await collected.points("gen_ai.execute_tool.duration")).toHaveLength(1);
});

test("without an SDK calls run as usual", async () => {
  const executor = executorFor(tool("t"), { hooks: [openTelemetry()] });
  expect(completed(await executor.execute(call("t"))).result.content).toEqual([text("t ran")]);
});

test.each([
  [{ tracer: {} }, /tracer is none/],
  [{ meter: {} }, /meter is none/],
  [{ payload: true }, /Did you mean payloads\?/],
])("openTelemetry(%j) is refused with the reason", (options, message) => {
  expect(() => openTelemetry(options as never)).toThrow(message);
});
