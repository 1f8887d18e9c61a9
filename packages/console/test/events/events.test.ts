import { describe, expect, test } from "vitest";
import type { EventView } from "../../src/index.ts";
import { secret, TestConsole, type Sender } from "../support/test-console.ts";

/** Reads server-sent events. */
class Reader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(response: Response) {
    if (response.body === null) throw new Error(`It has the status ${response.status}.`);
    this.#reader = response.body.getReader();
  }

  /** The next event or comment; `undefined`: the end. */
  async block(): Promise<string | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        return block;
      }
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** The next event with its id. */
  async next(): Promise<{ id: string; event: EventView } | undefined> {
    const block = await this.block();
    if (block === undefined) return undefined;
    const [, id = "", data = ""] = /^id: (.+)\ndata: (.+)$/.exec(block) ?? [];
    return { id, event: JSON.parse(data) as EventView };
  }

  async rest(): Promise<EventView[]> {
    const events: EventView[] = [];
    for (let next = await this.next(); next !== undefined; next = await this.next()) {
      events.push(next.event);
    }
    return events;
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }
}

const open = async (console: TestConsole, query = "", as: Sender = "session"): Promise<Reader> =>
  new Reader(await console.fetch(`/api/events${query}`, { as }));

async function call(console: TestConsole, name = "add"): Promise<string> {
  const args = name === "add" ? { a: 1, b: 2 } : {};
  const run = console.executor.startRun();
  await run.execute({ id: crypto.randomUUID(), name, arguments: args });
  return run.id;
}

const types = (events: readonly EventView[]): readonly string[] => events.map(({ type }) => type);

describe("the stream of events", () => {
  test("sends what happens from now on, each with its cursor", async () => {
    const console = new TestConsole();
    await call(console);
    const response = await console.fetch("/api/events");
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const reader = new Reader(response);
    const runId = await call(console);
    const first = await reader.next();
    expect(first?.event).toMatchObject({ type: "tool.requested", runId, tool: "add" });
    expect(first?.id).toBe(`${first?.event.stream}:${first?.event.seq}`);
    expect((await reader.next())?.event).toMatchObject({ type: "tool.authorized" });
    expect((await reader.next())?.event).toMatchObject({ type: "tool.started" });
    expect((await reader.next())?.event).toMatchObject({ type: "tool.completed", isError: false });
    await reader.close();
  });

  test("continues after a cursor, without a gap and without a repetition", async () => {
    const console = new TestConsole();
    await call(console);
    const all = await (await open(console, "?follow=false")).rest();
    expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    const [{ stream = "" } = {}] = all;
    const rest = await (await open(console, `?follow=false&after=${stream}:2`)).rest();
    expect(rest).toEqual(all.slice(2));
    expect(await (await open(console, `?follow=false&after=${stream}:4`)).rest()).toEqual([]);
  });

  test("reports events that the executor no longer has", async () => {
    const console = new TestConsole([], { eventBacklog: 2 });
    await call(console);
    const all = await (await open(console, "?follow=false")).rest();
    expect(all).toMatchObject([{ type: "events.dropped", dropped: 2 }, { seq: 3 }, { seq: 4 }]);
  });

  test("begins again after the cursor of another process", async () => {
    const console = new TestConsole();
    await call(console);
    const events = await (await open(console, "?follow=false&after=live-00000000:3")).rest();
    expect(types(events)).toEqual([
      "events.dropped",
      "tool.requested",
      "tool.authorized",
      "tool.started",
      "tool.completed",
    ]);
    expect(events[0]).toMatchObject({ reset: true });
  });

  test("begins again if the executor stores no events", async () => {
    const console = new TestConsole([], { eventBacklog: 0 });
    const [first] = await (await open(console, "?follow=false&after=live-0:3")).rest();
    expect(first).toMatchObject({ type: "events.dropped", reset: true });
  });

  test("is filtered by run, tool and type, and never hides that events are missing", async () => {
    const console = new TestConsole([], { eventBacklog: 8 });
    const [one, other] = [await call(console), await call(console)];
    const read = async (query: string) => (await open(console, `?follow=false${query}`)).rest();
    expect((await read(`&run=${one}`)).map(({ runId }) => runId)).toEqual([one, one, one, one]);
    expect(types(await read(`&type=tool.started&type=tool.completed&run=${other}`))).toEqual([
      "tool.started",
      "tool.completed",
    ]);
    expect(await read("&tool=pay")).toEqual([]);
    expect(await read("&run=unknown")).toEqual([]);
    await call(console);
    expect(types(await read("&tool=pay"))).toEqual(["events.dropped"]);
  });

  test("has changes of the tools, unless one run or tool is asked for", async () => {
    const console = new TestConsole();
    await console.registry.remove("leak");
    const read = async (query: string) =>
      types(await (await open(console, `?follow=false${query}`)).rest());
    expect(await read("")).toEqual(["registry.changed"]);
    expect(await read("&type=registry.changed")).toEqual(["registry.changed"]);
    expect(await read("&tool=add")).toEqual([]);
    expect(await read("&run=x")).toEqual([]);
  });

  test("sends a comment after 15 seconds without an event", async () => {
    const console = new TestConsole();
    const reader = await open(console, "?type=tool.completed");
    const block = reader.block();
    const due = await console.clock.nextTimer();
    expect(due).toBe(15_000);
    await console.clock.advance(15_000);
    expect(await block).toBe(": heartbeat");
    await call(console);
    expect((await reader.next())?.event.type).toBe("tool.completed");
    await reader.close();
  });

  test("contains no secret", async () => {
    const console = new TestConsole([], { eventPayloads: true });
    await call(console, "leak");
    const events = await (await open(console, "?follow=false")).rest();
    expect(types(events)).toContain("tool.completed");
    expect(JSON.stringify(events)).not.toContain(secret);
  });

  test("reports to a reader that is too slow what it has missed", async () => {
    const console = new TestConsole();
    const reader = await open(console);
    for (let count = 0; count < 400; count++) await call(console);
    const first = await reader.next();
    const second = await reader.next();
    const dropped = [first?.event, second?.event].find((event) => event?.type === "events.dropped");
    expect(dropped?.["dropped"]).toBeGreaterThanOrEqual(500);
    await reader.close();
  });
});

describe("a session", () => {
  test("has at most 16 streams, and a closed one makes room", async () => {
    const console = new TestConsole();
    const readers: Reader[] = [];
    for (let count = 0; count < 16; count++) readers.push(await open(console));
    const refused = await console.send("/api/events");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
    const other = { authorization: `Bearer ${console.startSession()}` };
    const another = await console.fetch("/api/events", { as: null, headers: other });
    expect(another.status).toBe(200);
    await another.body?.cancel();
    await readers.pop()?.close();
    readers.push(await open(console));
    for (const reader of readers) await reader.close();
  });

  test("that ends takes its streams with it", async () => {
    const console = new TestConsole();
    const reader = await open(console);
    const next = reader.next();
    await console.send("/session", { method: "DELETE" });
    expect(await next).toBeUndefined();
  });

  test("that is idle for 12 hours ends although a stream is open", async () => {
    const console = new TestConsole();
    const reader = await open(console, "?type=none");
    const rest = (async () => {
      let blocks = 0;
      while ((await reader.block()) !== undefined) blocks += 1;
      return blocks;
    })();
    await console.clock.nextTimer();
    await console.clock.advance(12 * 3_600_000);
    await rest;
    expect((await console.send("/api/status")).status).toBe(401);
  });
});

test("the tokens of one caller have at most 16 streams", async () => {
  const console = new TestConsole();
  const readers: Reader[] = [];
  for (let count = 0; count < 16; count++) readers.push(await open(console, "", "agent"));
  expect((await console.fetch("/api/events", { as: "agent" })).status).toBe(429);
  const reader = await open(console, "", "reader");
  for (const one of [...readers, reader]) await one.close();
});

test.each(["after=5", "after=a:b", "after=%0A:1", "after=live:9999999999999999", "follow=1"])(
  "the query %s is 400",
  async (query) => {
    const { status, body } = await new TestConsole().send(`/api/events?${query}`);
    expect([status, body["code"]]).toEqual([400, "invalid_query"]);
  },
);
