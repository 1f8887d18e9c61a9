import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { eventFile, readEvents } from "@toolweave/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test } from "vitest";
import { SpanBuilder, type RunDetails, type SpanEvent } from "../../src/spans.ts";

/** The events of a test, numbered. */
class Feed {
  readonly events: SpanEvent[] = [];
  #seq = 0;
  readonly #stream: string | undefined;

  constructor(stream?: string) {
    this.#stream = stream;
  }

  /** Adds an event of the call `callId` in the run `runId`. */
  add(time: number, type: string, callId: string, more: object = {}, runId = "r"): this {
    const stream = this.#stream === undefined ? {} : { stream: this.#stream };
    this.events.push({
      ...{ type, time, seq: ++this.#seq, runId, callId, tool: "t", ...more },
      ...stream,
    } as SpanEvent);
    return this;
  }

  call(from: number, to: number, callId: string, runId = "r"): this {
    return this.add(from, "tool.requested", callId, {}, runId)
      .add(from, "tool.started", callId, { attempt: 1 }, runId)
      .add(to, "tool.completed", callId, { attempt: 1, isError: false }, runId);
  }

  /** The next event does not arrive. */
  lose(): this {
    this.#seq += 1;
    return this;
  }
}

function build(events: readonly SpanEvent[], options = {}): SpanBuilder {
  const spans = new SpanBuilder(options);
  for (const event of events) spans.add(event);
  return spans;
}

const details = (feed: Feed, now: number, options = {}): RunDetails =>
  build(feed.events, options).details("r", now) as RunDetails;

describe("gaps", () => {
  test("are periods of a second and more in which no call runs", () => {
    const feed = new Feed().call(0, 100, "a").call(1200, 2000, "b").call(2999, 3500, "c");
    expect(details(feed, 9000).gaps).toEqual([{ from: 100, to: 1200 }]);
  });

  test("contain the time in which all calls wait for a person", () => {
    const feed = new Feed()
      .add(0, "tool.requested", "a")
      .add(10, "tool.interrupted", "a", { interruptionId: "i" })
      .call(100, 5000, "b")
      .add(9000, "tool.resumed", "a", { interruptionId: "i", by: "ada" })
      .add(9100, "tool.completed", "a", { isError: false });
    expect(details(feed, 20_000).gaps).toEqual([{ from: 5000, to: 9000 }]);
  });

  test("last until now while a call waits", () => {
    const feed = new Feed()
      .add(0, "tool.requested", "a")
      .add(10, "tool.interrupted", "a", { interruptionId: "i" });
    const run = details(feed, 5010);
    expect(run.gaps).toEqual([{ from: 10, to: 5010 }]);
    expect(run.endedAt).toBe(undefined);
  });
});

describe("missing events", () => {
  test("are counted by the numbers of the stream, in the runs of that time", () => {
    const feed = new Feed().call(0, 100, "a", "early").call(200, 300, "a").lose().lose();
    feed.call(400, 500, "b").call(600, 700, "c", "late");
    const spans = build(feed.events);
    const missing = (id: string): number | undefined => spans.details(id, 9000)?.missingEvents;
    expect([missing("early"), missing("r"), missing("late")]).toEqual([0, 2, 0]);
  });

  test("of a reader that was too slow do not contain replaced updates", () => {
    const feed = new Feed().add(0, "tool.requested", "a");
    const dropped = { type: "events.dropped", seq: 9, time: 50, dropped: 3, replaced: 5 };
    feed.events.push(dropped as SpanEvent);
    feed.events.push({
      type: "tool.completed",
      seq: 10,
      time: 60,
      runId: "r",
      callId: "a",
    } as never);
    expect(details(feed, 100)).toMatchObject({ missingEvents: 3, spans: [{ state: "ok" }] });
  });

  test("at the end of a recording are known by its notice", () => {
    const feed = new Feed("s").call(0, 100, "a");
    const notice = { type: "recording.dropped", stream: "s", time: 120, dropped: 7 };
    feed.events.push(notice as SpanEvent);
    expect(details(feed, 200).missingEvents).toBe(7);
    feed.lose().lose().call(300, 400, "b");
    expect(details(feed, 500).missingEvents).toBe(2);
  });

  test("make a call whose beginning is missing begin with its first event", () => {
    const feed = new Feed().add(50, "tool.completed", "a", { isError: true, code: "upstream" });
    expect(details(feed, 100)).toMatchObject({
      missingEvents: 1,
      failed: 1,
      spans: [{ callId: "a", from: 50, to: 50, state: "error", code: "upstream" }],
    });
  });
});

describe("calls without an end", () => {
  const feed = new Feed("s").add(0, "tool.requested", "a").add(10, "tool.started", "a");

  test("are running as long as their stream is not silent, and unknown afterwards", () => {
    expect(details(feed, 600_010)).toMatchObject({ spans: [{ state: "running" }] });
    expect(details(feed, 600_010).endedAt).toBe(undefined);
    expect(details(feed, 600_011)).toMatchObject({ endedAt: 10, spans: [{ state: "unknown" }] });
  });

  test("are running for ever in the process that reports them", () => {
    const run = details(feed, 10 ** 12, { maxSilenceMs: Infinity });
    expect(run).toMatchObject({ spans: [{ state: "running" }] });
  });

  test("of another stream of the same recording are not affected", () => {
    const other = new Feed("other").add(700_000, "tool.requested", "b");
    const run = build([...feed.events, ...other.events]).details("r", 700_001) as RunDetails;
    expect(run.spans.map(({ callId, state }) => [callId, state])).toEqual([
      ["a", "unknown"],
      ["b", "running"],
    ]);
  });

  test("that wait for a person still wait", () => {
    const waiting = new Feed("s").add(0, "tool.requested", "a");
    waiting.add(1, "tool.interrupted", "a", { interruptionId: "i" });
    expect(details(waiting, 10 ** 12)).toMatchObject({
      waiting: 1,
      spans: [{ state: "waiting" }, {}],
    });
  });
});

describe("a call that was retried", () => {
  const retried = (): Feed =>
    new Feed()
      .add(0, "tool.requested", "a")
      .add(5, "tool.started", "a", { attempt: 1 })
      .add(10, "tool.retried", "a", { attempt: 1, code: "unavailable", delayMs: 90 });

  test("has its attempts and the delays between them", () => {
    const feed = retried().add(150, "tool.completed", "a", { attempt: 2, isError: false });
    const { spans } = details(feed, 200);
    expect(
      spans.map(({ kind, from, to, state, attempt }) => [kind, from, to, state, attempt]),
    ).toEqual([
      ["call", 0, 150, "ok", undefined],
      ["attempt", 5, 10, "error", 1],
      ["retry", 10, 100, "ok", 2],
      ["attempt", 100, 150, "ok", 2],
    ]);
  });

  test("and cancelled in the delay has no further attempt", () => {
    const feed = retried().add(50, "tool.failed", "a", { attempt: 1, code: "cancelled" });
    const { spans } = details(feed, 200);
    expect(spans.map(({ kind, from, to, state }) => [kind, from, to, state])).toEqual([
      ["call", 0, 50, "cancelled"],
      ["attempt", 5, 10, "error"],
      ["retry", 10, 50, "cancelled"],
    ]);
  });
});

test("a call that is resumed in another run has ended in the first one", () => {
  const feed = new Feed()
    .add(0, "tool.requested", "a")
    .add(1, "tool.interrupted", "a", { interruptionId: "i" })
    .add(90, "tool.resumed", "a", { interruptionId: "i", by: "ada" }, "second")
    .add(95, "tool.completed", "a", { isError: false }, "second");
  const spans = build(feed.events);
  expect(spans.details("r", 100)).toMatchObject({ endedAt: 1, waiting: 0, missingEvents: 0 });
  expect(spans.details("r", 100)?.spans[1]).toMatchObject({ kind: "wait", to: 90, by: "ada" });
  expect(spans.details("second", 100)).toMatchObject({
    missingEvents: 0,
    spans: [{ state: "ok" }],
  });
});

test("a replayed call ends as it was stored", () => {
  const feed = new Feed()
    .add(0, "tool.requested", "a")
    .add(1, "tool.replayed", "a", { status: "failed", code: "upstream" })
    .add(2, "tool.requested", "b")
    .add(3, "tool.replayed", "b", { status: "completed" });
  expect(details(feed, 9).spans.map(({ state, code }) => [state, code])).toEqual([
    ["error", "upstream"],
    ["ok", undefined],
  ]);
});

test("unknown events, and events with invalid members, change nothing", () => {
  const feed = new Feed().call(0, 10, "a");
  const before = details(feed, 20);
  feed.add(20, "tool.invented", "z").add(20, "store.failed", "a", {}, "other");
  feed.events.push({ type: "tool.requested", time: "now", runId: "r", callId: "q" } as never);
  feed.events.push({ type: "tool.requested", time: 20, runId: 7, callId: "q" } as never);
  feed.events.push({ type: "toString", time: 20, runId: "r2", callId: "q" } as never);
  expect(details(feed, 20)).toEqual(before);
  expect(build(feed.events).size).toBe(1);
});

describe("the bounds", () => {
  test("drop the oldest runs that have ended, and keep those with open calls", () => {
    const spans = new SpanBuilder({ maxSpans: 100 });
    const open = new Feed().add(0, "tool.requested", "a", {}, "open");
    for (const event of open.events) spans.add(event);
    for (let run = 0; run < 1000; run++) {
      for (const event of new Feed().call(run, run, "a", `run ${run}`).events) spans.add(event);
    }
    const ids = spans.runs(2000).map(({ runId }) => runId);
    expect(ids.length).toBeLessThanOrEqual(100);
    expect(ids[0]).toBe("run 999");
    expect(ids.at(-1)).toBe("open");
  });

  test("drop the oldest calls of a run that alone has too many, and count them as missing", () => {
    const feed = new Feed();
    for (let call = 0; call < 1000; call++) feed.call(call, call, `c${call}`);
    const run = details(feed, 2000, { maxSpans: 100 });
    expect(run.spans.length).toBeLessThanOrEqual(100);
    expect(run.spans.at(-1)?.callId).toBe("c999");
    expect(run.calls).toBe(1000);
    expect(run.missingEvents).toBe(1000 - run.spans.length);
  });

  test("drop the oldest arguments and outputs", () => {
    const feed = new Feed();
    const text = "x".repeat(1000);
    for (let call = 0; call < 50; call++) {
      feed.add(call, "tool.requested", `c${call}`, { arguments: { text } });
    }
    const { spans } = details(feed, 100, { maxPayloadLength: 10_000 });
    const kept = spans.flatMap(({ arguments: args, callId }) =>
      args === undefined ? [] : [callId],
    );
    expect(kept).toEqual(spans.slice(-kept.length).map(({ callId }) => callId));
    expect([kept.length > 5, kept.length < 10]).toEqual([true, true]);
  });
});

test("binary content is replaced by its size", () => {
  const feed = new Feed().add(0, "tool.requested", "a").add(1, "tool.completed", "a", {
    isError: false,
    content: [
      { type: "image", data: "AAAAAA==", mimeType: "image/png" },
      { type: "resource", resource: { uri: "file:///a", blob: "AAAA" } },
    ],
  });
  expect(details(feed, 9).spans[0]?.output).toEqual([
    { type: "image", mediaType: "image/png", bytes: 4 },
    { type: "resource", resource: { uri: "file:///a", bytes: 3 } },
  ]);
});

test("a recording is read with its run, and another recorder may continue it", async () => {
  const folder = tempFolder();
  const path = join(folder, "events.ndjson");
  const key = "0123456789abcdef0123456789abcdef";
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: { type: "object" },
    needsApproval: true,
    execute: () => "paid",
  });
  const pendingCalls = memoryPendingCalls();
  const first = new ToolExecutor({ registry: new ToolRegistry([pay]), key, pendingCalls });
  const recorder = eventFile(path);
  first.on(recorder);
  const outcome = await first.execute({ id: "1", name: "pay", arguments: {} });
  if (outcome.status !== "interrupted") throw new Error(`It is ${outcome.status}.`);
  await recorder.close();
  const second = new ToolExecutor({ registry: new ToolRegistry([pay]), key, pendingCalls });
  const other = eventFile(path);
  second.on(other);
  await second.resume(outcome.interruption, [{ type: "approve", by: "ada" }]);
  await other.close();
  const spans = new SpanBuilder();
  for await (const event of readEvents(path)) spans.add(event);
  const [row] = spans.runs();
  expect(row).toMatchObject({ calls: 1, failed: 0, waiting: 0, tools: ["pay"] });
  expect(spans.details(row?.runId ?? "")).toMatchObject({
    missingEvents: 0,
    spans: [
      { kind: "call", state: "ok", by: "ada" },
      { kind: "wait", state: "ok", by: "ada" },
    ],
  });
});

test("the module and its imports use no module of Node or of another package", () => {
  const seen = new Set<string>();
  const others: string[] = [];
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const [, isType, name = ""] of readFileSync(path, "utf8").matchAll(
      /^(?:import|export) (type )?[^;]*? from "([^"]+)"/gm,
    )) {
      if (name.startsWith("./")) visit(join(dirname(path), name));
      else if (isType === undefined) others.push(`${path}: ${name}`);
    }
  };
  visit(fileURLToPath(import.meta.resolve("../../src/spans.ts")));
  expect(others).toEqual([]);
  expect(seen.size).toBeGreaterThan(4);
});
