import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { catchToolError } from "@toolweave/conformance/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import fc from "fast-check";
import { defineTool, ToolExecutor, ToolRegistry, type ToolEvent } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import {
  eventFile,
  readEvents,
  type EventFile,
  type ReadEventsOptions,
  type RecordedEvent,
  type RecordingPosition,
} from "../src/index.ts";

/** An event in the format of a recorder: `a3` is the third one of the stream `a`. */
function line(name: string, more: Record<string, unknown> = {}): string {
  const event = {
    type: "tool.requested",
    time: 1,
    runId: "run_1",
    callId: "c",
    tool: "t",
    ...more,
  };
  return `${JSON.stringify({ ...event, seq: Number(name.slice(1)), stream: name[0] })}\n`;
}

async function read(path: string, options?: ReadEventsOptions): Promise<string[]> {
  const names: string[] = [];
  for await (const event of readEvents(path, options)) {
    names.push("seq" in event ? `${event.stream}${event.seq}` : event.type);
  }
  return names;
}

function writeEvents(...lines: readonly string[]): string {
  const path = join(tempFolder(), "run.ndjson");
  writeFileSync(path, lines.join(""));
  return path;
}

describe("reading a recording", () => {
  test("returns every event in order, and omits incomplete and foreign lines", async () => {
    const path = writeEvents(
      line("a1"),
      '{"type":"tool.req\n',
      "\n",
      '"text"\n',
      "null\n",
      '{"seq":7}\n',
      line("a2", { __proto__: null, text: "\u2028" }),
      line("b1").trimEnd(),
    );
    expect(await read(path)).toEqual(["a1", "a2"]);
    // The rest of the last line arrives.
    appendFileSync(path, "\n");
    expect(await read(path)).toEqual(["a1", "a2", "b1"]);
  });

  test("returns those of one run, with the notices", async () => {
    const notice = '{"type":"recording.dropped","stream":"a","time":1,"dropped":3}\n';
    const path = writeEvents(line("a1"), line("a2", { runId: "run_2" }), notice, line("a3"));
    expect(await read(path, { runId: "run_1" })).toEqual(["a1", "recording.dropped", "a3"]);
    expect(await read(path, { runId: "run_2" })).toEqual(["a2", "recording.dropped"]);
  });

  test.each<[string, RecordingPosition, string[]]>([
    ["one in the middle", { stream: "a", seq: 2 }, ["b1", "a3", "b2", "c1"]],
    ["the last of its stream", { stream: "a", seq: 3 }, ["b2", "c1"]],
    ["one that was never written", { stream: "a", seq: 9 }, ["b2", "c1"]],
    ["the very last", { stream: "c", seq: 1 }, []],
    ["one before all of its stream", { stream: "a", seq: 0 }, ["a1", "a2", "b1", "a3", "b2", "c1"]],
    [
      "one of a stream that does not exist",
      { stream: "x", seq: 5 },
      ["a1", "a2", "b1", "a3", "b2", "c1"],
    ],
  ])("after %s it continues with the next line", async (_, after, expected) => {
    const path = writeEvents(...["a1", "a2", "b1", "a3", "b2", "c1"].map((name) => line(name)));
    expect(await read(path, { after })).toEqual(expected);
  });

  test("after the last event of an earlier read it continues with what was added", async () => {
    const path = writeEvents(line("a1"), line("b1"), line("a2", { text: "ä".repeat(100) }));
    let last: RecordedEvent | undefined;
    for await (const event of readEvents(path)) if ("seq" in event) last = event;
    expect(last).toMatchObject({ stream: "a", seq: 2 });
    const after = last as RecordedEvent;
    expect(await read(path, { after })).toEqual([]);
    appendFileSync(path, line("b2") + line("a3"));
    expect(await read(path, { after })).toEqual(["b2", "a3"]);
  });

  test.each([
    ["shorter", [line("a1"), line("a2"), line("b1")], ["b1"]],
    ["longer", [line("b1", { text: "x".repeat(500) }), line("a2"), line("b2")], ["b2"]],
    ["without the stream", [line("c1", { text: "x".repeat(500) })], ["c1"]],
  ])(
    "after the last event of an earlier read, a %s file in its place is searched",
    async (_, lines, expected) => {
      const path = writeEvents(line("a1", { text: "x".repeat(99) }), line("a2"));
      let last: RecordedEvent | undefined;
      for await (const event of readEvents(path)) if ("seq" in event) last = event;
      writeFileSync(path, lines.join(""));
      expect(await read(path, { after: last as RecordedEvent })).toEqual(expected);
    },
  );

  test("lines of any length are read, wherever they are in the file", async () => {
    const path = writeEvents(
      line("a1", { text: "ä".repeat(100_000) }),
      line("a2", { text: "x".repeat(65_536) }),
      line("a3"),
      line("a4", { text: "😀".repeat(50_000) }),
    );
    expect(await read(path)).toEqual(["a1", "a2", "a3", "a4"]);
    expect(await read(path, { after: { stream: "a", seq: 2 } })).toEqual(["a3", "a4"]);
  });

  test("a line without an end is skipped and does not fill the memory", async () => {
    const path = writeEvents(line("a1"));
    const part = "x".repeat(8_388_608);
    for (let count = 0; count < 32; count++) appendFileSync(path, part);
    appendFileSync(path, `\n${line("a2")}`);
    const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    const before = used();
    expect(await read(path)).toEqual(["a1", "a2"]);
    // The line has 268 MB; the part that was read is collected at any time.
    expect(used() - before).toBeLessThan(150_000_000);
    expect(await read(path, { after: { stream: "a", seq: 1 } })).toEqual(["a2"]);
  });

  test("a missing file is reported", async () => {
    const path = join(tempFolder(), "none");
    expect((await catchToolError(() => read(path))).code).toBe("store_unavailable");
  });
});

/**
 * The server's work for a user interface that reconnects: first the missed events, then the new
 * ones.
 */
async function* follow(
  executor: ToolExecutor,
  recorder: EventFile,
  path: string,
  after: RecordingPosition,
): AsyncGenerator<ToolEvent> {
  const live: ToolEvent[] = [];
  let wake: (() => void) | undefined;
  const stop = executor.on((event) => {
    live.push(event);
    wake?.();
  });
  try {
    await recorder.flush();
    let last = 0;
    for await (const event of readEvents(path, { after })) {
      if (!("seq" in event)) continue;
      if (event.stream === recorder.stream) last = event.seq;
      yield event;
    }
    for (;;) {
      for (let event = live.shift(); event !== undefined; event = live.shift()) {
        if (event.seq > last) yield event;
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stop();
  }
}

function start(path: string) {
  const wait = defineTool({
    name: "wait",
    description: "Reconnects some turns later.",
    input: { type: "object", properties: { turns: { type: "number" } } },
    execute: async ({ turns }) => {
      for (let turn = 0; turn < Number(turns); turn++) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      return "ok";
    },
  });
  const executor = new ToolExecutor({ registry: new ToolRegistry([wait]) });
  const recorder = eventFile(path);
  executor.on(recorder);
  const work = (count: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: count }, (_entry, id) =>
        executor.execute({ id: `c${id}`, name: "wait", arguments: { turns: id % 7 } }),
      ),
    );
  return { executor, recorder, work };
}

describe("EX17: a subscriber that reconnects", () => {
  test("continues from its number without gap or duplicate, while calls run", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ taken: fc.integer({ min: 1, max: 40 }), missed: fc.nat(15) }), {
          minLength: 1,
          maxLength: 4,
        }),
        async (visits) => {
          const path = join(tempFolder(), "run.ndjson");
          const { executor, recorder, work } = start(path);
          const seen: number[] = [];
          for (const { taken, missed } of visits) {
            const working = work(taken);
            const after = { stream: recorder.stream, seq: seen.at(-1) ?? 0 };
            let left = taken;
            for await (const event of follow(executor, recorder, path, after)) {
              seen.push(event.seq);
              if (--left === 0) break;
            }
            // It is disconnected: the only listener is the recorder.
            await working;
            await work(missed);
          }
          expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => index + 1));
          await recorder.close();
        },
      ),
      { numRuns: 25 },
    );
  });

  test("receives the rest of an ended process's events, and then those of the next one", async () => {
    const path = join(tempFolder(), "run.ndjson");
    const first = start(path);
    await first.work(5);
    await first.recorder.close();
    const recorded: string[] = await read(path);
    const second = start(path);
    const working = second.work(5);
    const after = { stream: first.recorder.stream, seq: 10 };
    const seen: string[] = [];
    for await (const event of follow(second.executor, second.recorder, path, after)) {
      const { stream } = event as RecordedEvent;
      seen.push(`${stream ?? second.recorder.stream}${event.seq}`);
      if (seen.length === recorded.length - 10 + 15) break;
    }
    await working;
    await second.recorder.close();
    expect(seen).toEqual((await read(path)).slice(10, 10 + seen.length));
  });

  test("is notified of dropped events and never has a silent gap", async () => {
    const path = join(tempFolder(), "run.ndjson");
    const recorder = eventFile(path, { maxBytes: 1_000 });
    const tell = (seq: number): void => recorder(JSON.parse(line(`a${seq}`)) as ToolEvent);
    for (let seq = 1; seq <= 20; seq++) tell(seq);
    await recorder.flush();
    expect((await read(path)).at(-1)).toBe("recording.full");
    renameSync(path, `${path}.1`);
    tell(21);
    await recorder.close();
    expect(await read(path, { after: { stream: recorder.stream, seq: 3 } })).toEqual([
      "recording.dropped",
      `${recorder.stream}21`,
    ]);
  });
});
