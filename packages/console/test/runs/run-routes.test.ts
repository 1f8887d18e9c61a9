import { join } from "node:path";
import {
  defineTool,
  text,
  ToolExecutor,
  ToolRegistry,
  type JsonObject,
  type Tool,
} from "@toolweave/core";
import { parseExact } from "@toolweave/core/adapter";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { eventFile, readEvents } from "@toolweave/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import type { ConsoleRecording, RunDetails, RunList, Span } from "../../src/index.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { CheckedConsole, secret } from "../support/checked-console.ts";

const exact = '{"id":12345678901234567890,"in":[{"id":-9007199254740993}]}';

const tools: readonly Tool[] = [
  defineTool({
    name: "echo",
    description: "Returns its arguments.",
    input: { type: "object" },
    execute: (args) => ({ args, secret }),
  }),
  defineTool({
    name: "count",
    description: "Returns integers beyond 2^53.",
    input: { type: "object" },
    execute: () => ({ content: [text("many")], value: parseExact(exact) as JsonObject }),
  }),
  defineTool({
    name: "fail",
    description: "Fails.",
    input: { type: "object" },
    execute: () => {
      throw new Error(`It failed with ${secret}.`);
    },
  }),
  defineTool({
    name: "pay",
    description: "Asks.",
    input: { type: "object" },
    needsApproval: true,
    execute: () => "paid",
  }),
];

function makeRecording(name = "events"): { path: string; recording: ConsoleRecording } {
  const folder = tempFolder();
  const path = join(folder, "events.ndjson");
  return { path, recording: { name, read: (options) => readEvents(path, options) } };
}

/** Calls tools in another process, which has no secrets, and records its events. */
async function record(path: string, names: readonly string[]): Promise<void> {
  const executor = new ToolExecutor({ registry: new ToolRegistry(tools), eventPayloads: true });
  const recorder = eventFile(path);
  executor.on(recorder);
  for (const [index, name] of names.entries()) {
    await executor.execute({ id: `c${index}`, name, arguments: { to: secret } });
  }
  await recorder.close();
}

test("live runs are listed, newest first, by page, tool and failure", async () => {
  const runs = { live: true };
  const clock = new ManualClock();
  const console = new CheckedConsole(tools, { eventPayloads: true, clock }, { runs });
  for (const name of ["echo", "fail", "echo", "pay"]) {
    await console.executor.execute({ id: "1", name, arguments: { to: secret } });
    await clock.advance(1);
  }
  const list = async (query = ""): Promise<RunList> =>
    (await console.send<RunList>(`/api/runs${query}`)).body;
  const { items } = await list();
  expect(items.map((run) => run.tools[0])).toEqual(["pay", "echo", "fail", "echo"]);
  expect(items.map(({ failed, waiting }) => [failed, waiting])).toEqual([
    [0, 1],
    [0, 0],
    [1, 0],
    [0, 0],
  ]);
  const first = await list("?limit=3");
  expect(first.items).toEqual(items.slice(0, 3));
  const second = await list(`?limit=3&cursor=${first.nextCursor}`);
  expect(second).toEqual({ items: items.slice(3) });
  expect((await list("?failed=true")).items).toEqual([items[2]]);
  expect((await list("?tool=echo")).items).toEqual([items[1], items[3]]);
  expect((await console.send("/api/runs?failed=yes")).status).toBe(400);
  const { body } = await console.send<RunDetails>(`/api/runs/${items[3]?.runId}`);
  expect(body.spans).toMatchObject([
    { kind: "call", tool: "echo", state: "ok", arguments: { to: "[redacted]" } },
  ]);
  const bare = await console.send<RunDetails>(`/api/runs/${items[3]?.runId}?payloads=false`);
  expect(Object.keys(bare.body.spans[0] ?? {})).not.toContain("arguments");
  const span = await console.send(`/api/runs/${items[3]?.runId}/spans/${bare.body.spans[0]?.id}`);
  expect(span.body).toEqual(body.spans[0]);
  expect((await console.send(`/api/runs/${items[3]?.runId}/spans/unknown`)).status).toBe(404);
  expect((await console.send("/api/runs/unknown")).status).toBe(404);
});

test("arguments that are no longer in memory are read from the recording again", async () => {
  // 20 Mi characters, of which 16 Mi are kept.
  const payloads = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(1024 * 1024, "."));
  const events = payloads.flatMap((text, index) => {
    const [callId, time] = [String(index), index * 10_000];
    const fields = { stream: "a", runId: "large", callId, tool: "echo", time };
    return [
      { ...fields, type: "tool.requested", seq: 2 * index + 1, arguments: { text } },
      { ...fields, type: "tool.completed", seq: 2 * index + 2 },
    ];
  });
  let reads = 0;
  const recording: ConsoleRecording = {
    name: "large",
    async *read({ after }) {
      reads += 1;
      yield* after === undefined ? events : [];
    },
  };
  const console = new CheckedConsole(tools, {}, { runs: { recordings: [recording] } });
  const bare = await console.send<RunDetails>("/api/runs/large?payloads=false");
  const before = reads;
  const open = async (index: number): Promise<unknown> => {
    const { id = "" } = bare.body.spans[index] ?? {};
    return (await console.send<Span>(`/api/runs/large/spans/${id}`)).body.arguments;
  };
  expect(await open(19)).toEqual({ text: payloads[19] });
  expect(reads).toBe(before);
  expect(await open(0)).toEqual({ text: payloads[0] });
  expect(reads).toBe(before + 1);
});

test("a recording of another process is read, and followed while it grows", async () => {
  const { path, recording } = makeRecording();
  await record(path, ["echo", "fail"]);
  const open = (): CheckedConsole =>
    new CheckedConsole(tools, {}, { runs: { recordings: [recording] } });
  const console = open();
  const { body } = await console.send<RunList>("/api/runs");
  expect(body.items.map((run) => [run.tools[0], run.recording])).toEqual([
    ["fail", "events"],
    ["echo", "events"],
  ]);
  const [, echo] = body.items;
  const details = await console.send<RunDetails>(`/api/runs/${echo?.runId}?recording=events`);
  expect(details.body).toMatchObject({
    missingEvents: 0,
    spans: [{ state: "ok", arguments: { to: "[redacted]" }, output: { args: {} } }],
  });
  const [span] = details.body.spans;
  const opened = await console.send(`/api/runs/${echo?.runId}/spans/${span?.id}?recording=events`);
  expect(opened.body).toEqual(span);
  await record(path, ["pay"]);
  const later = await open().send<RunList>("/api/runs?recording=events");
  expect(later.body.items.map((run) => run.tools[0])).toEqual(["pay", "fail", "echo"]);
  const unknown = await console.send("/api/runs?recording=other");
  expect([unknown.status, unknown.body["detail"]]).toEqual([
    404,
    "There is no recording of this name: the server has events.",
  ]);
});

test("integers beyond 2^53 of a result have all their digits, live and from a recording", async () => {
  const { path, recording } = makeRecording();
  await record(path, ["count"]);
  const runs = { live: true, recordings: [recording] };
  const console = new CheckedConsole(tools, { eventPayloads: true, eventBacklog: 10 }, { runs });
  await console.executor.execute({ id: "1", name: "count", arguments: {} });
  const { items } = (await console.send<RunList>("/api/runs")).body;
  expect(items.map((row) => row.recording)).toEqual([undefined, "events"]);
  for (const row of items) {
    const query = row.recording === undefined ? "" : "?recording=events";
    const run = await console.send<RunDetails>(`/api/runs/${row.runId}${query}`);
    const id = run.body.spans.find(({ kind }) => kind === "call")?.id ?? "";
    const span = await console.send(
      `/api/runs/${row.runId}/spans/${encodeURIComponent(id)}${query}`,
    );
    for (const answer of [run, span]) expect(answer.text).toContain(`"output":${exact}`);
  }
  const events = await console.send("/api/events?follow=false");
  expect(events.text).toContain(`"value":${exact}`);
});

test("a recording is read further from its last event, and notices count once", async () => {
  const { recording } = makeRecording();
  const stream = "s";
  const events: object[] = [];
  let seq = 0;
  const add = (type: string, callId: string): void =>
    void events.push({ type, time: 1, seq: ++seq, stream, runId: "r", callId, tool: "t" });
  const afters: unknown[] = [];
  const growing: ConsoleRecording = {
    ...recording,
    async *read({ after, runId }) {
      if (runId === undefined) afters.push(after?.seq);
      const from =
        after === undefined
          ? 0
          : events.findIndex((e) => (e as { seq?: number }).seq === after.seq) + 1;
      yield* events.slice(from) as never[];
    },
  };
  const { RecordingIndex } = await import("../../src/runs/recording.ts");
  let now = 0;
  const index = new RecordingIndex(growing, () => now);
  const missing = async (): Promise<number | undefined> => {
    now += 1000;
    return (await index.details("r", false))?.missingEvents;
  };
  add("tool.requested", "a");
  events.push({ type: "recording.dropped", stream, time: 2, dropped: 2 });
  expect(await missing()).toBe(2);
  expect(await missing()).toBe(2);
  events.push({ type: "recording.dropped", stream, time: 2, dropped: 3 });
  expect(await missing()).toBe(5);
  seq += 5;
  add("tool.completed", "a");
  expect(await missing()).toBe(5);
  expect(await missing()).toBe(5);
  expect(afters).toEqual([undefined, 1, 1, 1, 7]);
});

test("runs of this process that it also records are listed once", async () => {
  const { path, recording } = makeRecording();
  const runs = { live: true, recordings: [recording] };
  const console = new CheckedConsole(tools, { pendingCalls: memoryPendingCalls() }, { runs });
  const recorder = eventFile(path);
  console.executor.on(recorder);
  await console.executor.execute({ id: "1", name: "echo", arguments: {} });
  await recorder.close();
  const { body } = await console.send<RunList>("/api/runs");
  expect(body.items.map((run) => run.recording)).toEqual([undefined]);
  const recorded = await console.send<RunList>("/api/runs?recording=events");
  expect(recorded.body.items.map((run) => run.recording)).toEqual(["events"]);
});

test("without runs every operation says how to add them", async () => {
  const console = new CheckedConsole(tools);
  for (const path of ["/api/runs", "/api/runs/x"]) {
    const { status, body } = await console.send(path);
    expect([status, body["code"]]).toEqual([404, "not_available"]);
    expect(body["detail"]).toContain("option runs");
  }
});
