import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { catchToolError } from "@toolweave/conformance/stores";
import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type JsonValue,
  type ToolEvent,
} from "@toolweave/core";
import { parseExact, stringifyExact } from "@toolweave/core/adapter";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test } from "vitest";
import { eventFile, readEvents, type RecordedEvent } from "../src/index.ts";
import { startWorker } from "./support/start-worker.ts";

const isLinux = process.platform === "linux";

function event(seq: number, more: Partial<ToolEvent> & Record<string, unknown> = {}): ToolEvent {
  return {
    type: "tool.rejected",
    seq,
    time: 1_700_000_000_000,
    runId: "run_1",
    callId: `call_${seq}`,
    tool: "search",
    code: "not_found",
    message: "There is none.",
    ...more,
  } as ToolEvent;
}

function readLines(path: string): Record<string, unknown>[] {
  const text = readFileSync(path, "utf8");
  expect(text === "" || text.endsWith("\n")).toBe(true);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function seqsIn(path: string): unknown[] {
  return readLines(path).map(({ seq, type }) => seq ?? type);
}

describe("a recording", () => {
  test("has every event of an executor, one per line, as a listener receives it", async () => {
    const path = join(tempFolder(), "run.ndjson");
    const echo = defineTool({
      name: "echo",
      description: "Says it again.",
      input: { type: "object", properties: { text: { type: "string" } } },
      execute: ({ text }) => String(text),
    });
    const executor = new ToolExecutor({ registry: new ToolRegistry([echo]) });
    const received: ToolEvent[] = [];
    executor.on((one) => void received.push(one));
    const recorder = eventFile(path);
    const stop = executor.on(recorder);
    for (const id of ["a", "b", "c"]) {
      await executor.execute({ id, name: "echo", arguments: { text: id } });
    }
    await recorder.flush();
    expect(received.length).toBeGreaterThan(8);
    expect(readLines(path)).toEqual(received.map((one) => ({ ...one, stream: recorder.stream })));
    stop();
    await executor.execute({ id: "d", name: "echo", arguments: {} });
    await recorder.close();
    expect(readLines(path)).toHaveLength(
      received.length - received.filter((one) => "callId" in one && one.callId === "d").length,
    );
    expect(recorder.dropped).toBe(0);
  });

  test("RE13: has a line break with a forged event in a name on one line, for every reader", async () => {
    const path = join(tempFolder(), "run.ndjson");
    const forged = JSON.stringify(event(99, { tool: "forged" }));
    const breaks = [
      "\n",
      "\r",
      "\r\n",
      "\u2028",
      "\u2029",
      "\u0085",
      "\v",
      "\f",
      "\0",
      "\u001b[2J\u009b2J",
      "\u202e",
    ];
    const recorder = eventFile(path);
    for (const [index, one] of breaks.entries()) {
      recorder(event(index + 1, { tool: `x${one}${forged}${one}`, message: one }));
    }
    await recorder.close();
    const bytes = readFileSync(path, "utf8");
    expect(bytes.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/);
    // Node.js's own line reader treats U+2028 as the end of a line.
    const lines: string[] = [];
    for await (const line of createInterface({ input: createReadStream(path) })) lines.push(line);
    expect(lines).toHaveLength(breaks.length);
    for (const [index, line] of lines.entries()) {
      expect(JSON.parse(line)).toMatchObject({
        seq: index + 1,
        tool: `x${breaks[index]}${forged}${breaks[index]}`,
        message: breaks[index],
      });
    }
  });

  test("is continued after a restart, with a separate stream; an incomplete line stays separate", async () => {
    const path = join(tempFolder(), "run.ndjson");
    const first = eventFile(path);
    first(event(1));
    await first.close();
    appendFileSync(path, '{"type":"tool.rej');
    const second = eventFile(path);
    second(event(1));
    await second.close();
    const lines = readFileSync(path, "utf8").split("\n");
    expect(lines).toHaveLength(4);
    expect(JSON.parse(lines[0]!)).toEqual({ ...event(1), stream: first.stream });
    expect(JSON.parse(lines[2]!)).toEqual({ ...event(1), stream: second.stream });
    expect(first.stream).not.toBe(second.stream);
  });

  test("of several processes never mixes lines, and each process keeps its order", async () => {
    const path = join(tempFolder(), "run.ndjson");
    const workers = [1, 2].map(() => startWorker("record", path, "300", "5000"));
    for (const worker of workers) expect(await worker.next()).toBe("ready");
    for (const worker of workers) worker.tell("go");
    const streams = await Promise.all(workers.map((worker) => worker.next()));
    const lines = readLines(path) as unknown as RecordedEvent[];
    expect(lines).toHaveLength(600);
    for (const stream of streams) {
      const seqs = lines.filter((line) => line.stream === stream).map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
    }
  });

  test("has the digits of integers beyond 2^53, and is read with them", async () => {
    const path = join(tempFolder(), "run.ndjson");
    const json = '{"id":12345678901234567890,"in":[{"id":-9007199254740993}]}';
    const recorder = eventFile(path);
    recorder(event(1, { value: parseExact(json) }));
    await recorder.close();
    expect(readFileSync(path, "utf8")).toContain(`"value":${json}`);
    for await (const read of readEvents(path)) {
      expect(stringifyExact((read as unknown as { value: JsonValue }).value)).toBe(json);
    }
  });

  test("has no events after close", async () => {
    const path = join(tempFolder(), "run.ndjson");
    const recorder = eventFile(path);
    {
      await using closing = recorder;
      closing(event(1));
    }
    recorder(event(2));
    await recorder.close();
    await recorder.flush();
    expect(seqsIn(path)).toEqual([1]);
  });

  test.skipIf(process.platform === "win32")(
    "and its folder are only accessible for this user",
    () => {
      const path = join(tempFolder(), "logs", "run.ndjson");
      eventFile(path);
      expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([
        0o600, 0o700,
      ]);
    },
  );
});

describe("limits", () => {
  test("RE13: the file ends at its limit, reports that once, and a new one reports the missing events", async () => {
    const path = join(tempFolder(), "run.ndjson");
    const recorder = eventFile(path, { maxBytes: 2_000 });
    for (let seq = 1; seq <= 100; seq++) recorder(event(seq));
    await recorder.flush();
    for (let seq = 101; seq <= 200; seq++) {
      recorder(event(seq));
      if (seq % 7 === 0) await recorder.flush();
    }
    await recorder.flush();
    const kept = readLines(path);
    const count = kept.length - 1;
    expect(count).toBeGreaterThan(5);
    expect(kept.slice(0, -1).map(({ seq }) => seq)).toEqual(
      Array.from({ length: count }, (_, index) => index + 1),
    );
    expect(kept.at(-1)).toMatchObject({ type: "recording.full", stream: recorder.stream });
    expect(statSync(path).size).toBeLessThan(2_200);
    expect(recorder.dropped).toBe(200 - count);
    renameSync(path, `${path}.1`);
    recorder(event(201));
    await recorder.close();
    expect(readLines(path)).toMatchObject([
      { type: "recording.dropped", dropped: 200 - count },
      { seq: 201 },
    ]);
  });

  test("one event above the limit is missing, and those that fit are not", async () => {
    const path = join(tempFolder(), "run.ndjson");
    const recorder = eventFile(path);
    recorder(event(1));
    recorder(event(2, { message: "x".repeat(9_000_000) }));
    recorder(event(3, { message: "x".repeat(2_000_000) }));
    recorder(event(4));
    await recorder.close();
    expect(seqsIn(path)).toEqual([1, "recording.dropped", 3, 4]);
  });

  test.runIf(isLinux)(
    "a disk that accepts no data costs bounded memory, and a line reports the missing events",
    async () => {
      const path = join(tempFolder(), "slow");
      execFileSync("mkfifo", [path]);
      const recorder = eventFile(path);
      const text = "x".repeat(1_000);
      const before = process.memoryUsage().heapUsed;
      for (let seq = 1; seq <= 50_000; seq++) recorder(event(seq, { message: text }));
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
      const { dropped } = recorder;
      expect(dropped).toBeGreaterThan(35_000);
      // Now it is read. Open for both, the pipe does not end while the recorder opens it again.
      const closing = recorder.close();
      let read = "";
      const reader = await open(path, "r+");
      const buffer = Buffer.alloc(65_536);
      while (!read.slice(-1_000).includes("recording.dropped")) {
        const { bytesRead } = await reader.read(buffer, 0, buffer.length, null);
        read += buffer.toString("latin1", 0, bytesRead);
      }
      await reader.close();
      await closing;
      const lines = read
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { seq?: number; dropped?: number });
      expect(lines.at(-1)?.dropped).toBe(dropped);
      expect(lines).toHaveLength(50_001 - dropped);
    },
  );
});

describe("EX09: a disk that fails", () => {
  test("never disturbs the executor; waiting events are written when it works again", async () => {
    const path = join(tempFolder(), "logs", "run.ndjson");
    const recorder = eventFile(path);
    rmSync(dirname(path), { recursive: true });
    recorder(event(1));
    expect(await catchToolError(() => recorder.flush())).toMatchObject({
      code: "store_unavailable",
      message: `${path} has no folder: bring it back, then call again.`,
    });
    recorder(event(2));
    mkdirSync(dirname(path));
    recorder(event(3));
    await recorder.close();
    expect(seqsIn(path)).toEqual([1, 2, 3]);
  });

  test.skipIf(!existsSync("/dev/full"))("a full disk fails the flush, and no event", async () => {
    const recorder = eventFile("/dev/full");
    recorder(event(1));
    expect(await catchToolError(() => recorder.close())).toMatchObject({
      code: "store_unavailable",
      message: "/dev/full has no more space on its disk: free some, then call again.",
    });
  });

  test("an event that is not JSON counts as missing", async () => {
    const path = join(tempFolder(), "run.ndjson");
    const recorder = eventFile(path);
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    recorder(event(1, { cyclic }));
    recorder(
      event(2, {
        toJSON: () => {
          throw new Error("no");
        },
      }),
    );
    recorder(undefined as never);
    recorder(event(3));
    await recorder.close();
    expect(readLines(path)[0]).toMatchObject({ type: "recording.dropped", dropped: 2 });
    expect(readLines(path).at(-1)).toMatchObject({ seq: 3 });
  });
});

test("invalid options are refused at once", async () => {
  const path = join(tempFolder(), "run.ndjson");
  for (const work of [
    () => eventFile(""),
    () => eventFile(undefined as never),
    () => eventFile(path, { maxBytes: -1 }),
    () => eventFile(path, { maxByte: 1 } as never),
    () => readEvents(path, { afterSeq: 1 } as never).next(),
    () => readEvents(path, { after: 7 } as never).next(),
  ]) {
    expect((await catchToolError(work as () => unknown)).code).toBe("invalid_configuration");
  }
  expect(await catchToolError(() => eventFile(tempFolder()))).toMatchObject({
    code: "store_unavailable",
  });
});
