import { describe, expect, test } from "vitest";
import {
  text,
  type ArtifactRef,
  type ExecutorOptions,
  type RunOptions,
  type ToolContext,
  type ToolExecutor,
  type ToolOutcome,
} from "@toolweave/core";
import type { ArtifactWriter, StoredContent } from "@toolweave/core/adapter";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readCode, completed, failed } from "../support/outcomes.ts";

type Options = Omit<ExecutorOptions, "registry">;

/** An executor whose tool runs the code of each test. */
class Host {
  work: (ctx: ToolContext) => unknown = () => "nothing";
  readonly executor: ToolExecutor;

  constructor(options: Options = {}) {
    this.executor = executorFor(
      tool("t", (_, ctx) => this.work(ctx)),
      options,
    );
  }

  run(work: (ctx: ToolContext) => unknown, run: RunOptions = {}): Promise<ToolOutcome> {
    this.work = work;
    return this.executor.execute(call("t"), run);
  }

  /** The result of `work` with `ctx.artifacts`. */
  async with<T>(work: (artifacts: ArtifactWriter) => Promise<T>, run: RunOptions = {}): Promise<T> {
    let made: T | undefined;
    const outcome = await this.run(async ({ artifacts }) => {
      made = await work(artifacts);
    }, run);
    completed(outcome);
    return made as T;
  }
}

const plain = { mediaType: "text/plain" };

function chunked(...chunks: (string | Uint8Array)[]): ReadableStream<string | Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function* generated(): AsyncGenerator<string | Uint8Array> {
  yield "日";
  yield Buffer.from("本");
}

describe("ctx.artifacts", () => {
  test.each<[string, Parameters<ArtifactWriter["write"]>[0], string]>([
    ["a text", "日本", "日本"],
    ["bytes", Buffer.from("日本"), "日本"],
    ["a stream", chunked("a", new Uint8Array([0x62]), "c"), "abc"],
    ["an async iterable", generated(), "日本"],
    ["nothing", "", ""],
  ])("stores %s and reads it again", async (_, data, expected) => {
    const read = await new Host().with(async (artifacts) => {
      const ref = await artifacts.write(data, { mediaType: "text/plain", name: "a.txt" });
      const found = await artifacts.read(`artifact:${ref.key}`);
      expect(found.ref).toEqual(ref);
      expect(Buffer.from(await found.bytes()).toString()).toBe(expected);
      return [ref, await (await artifacts.read(ref.key)).text()] as const;
    });
    expect(read).toEqual([
      expect.objectContaining({ size: Buffer.byteLength(expected), name: "a.txt", ...plain }),
      expected,
    ]);
  });

  test("stores a copy: later changes of the tool's buffer have no effect", async () => {
    const data = Buffer.from("before");
    const stored = await new Host().with(async (artifacts) => {
      const writing = artifacts.write(data, plain);
      data.fill("x");
      return (await artifacts.read((await writing).key)).text();
    });
    expect(stored).toBe("before");
  });

  test("stores no secret, however it is split and whatever the artifact is called", async () => {
    const host = new Host({ redact: { secrets: ["hunter2-hunter2"] } });
    const stored = await host.with(async (artifacts) => {
      const text = await artifacts.write(chunked("key=hunter", "2-hunt", "er2."), plain);
      const bytes = await artifacts.write(Buffer.from("\u0000\u0001hunter2-hunter2"), {
        mediaType: "application/zip",
        name: "hunter2-hunter2.zip",
      });
      return Promise.all(
        [text, bytes].map(
          async ({ key, name = "" }) => name + (await (await artifacts.read(key)).text()),
        ),
      );
    });
    expect(stored[0]).toBe("key=[redacted].");
    expect(stored[1]).not.toContain("hunter2");
  });

  test("captures no more than the executor does, reports that, and ends the stream", async () => {
    let ended = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield "0123456789";
      } finally {
        ended = true;
      }
    }
    const host = new Host({ largeOutputs: { maxCapturedBytes: 25 } });
    const ref = await host.with((artifacts) => artifacts.write(endless(), plain));
    expect(ref).toMatchObject({ size: 25, truncated: true });
    expect(ended).toBe(true);
  });

  test("ends with the call: a stream that never yields is cancelled with it", async () => {
    const run = new AbortController();
    let cancelled = false;
    const stream = new ReadableStream<string>({
      pull: () => run.abort(),
      cancel: () => void (cancelled = true),
    });
    const outcome = await new Host().run((ctx) => ctx.artifacts.write(stream, plain), {
      signal: run.signal,
    });
    expect([readCode(outcome), cancelled]).toEqual(["cancelled", true]);
  });

  test("rethrows the error of the stream", async () => {
    async function* broken(): AsyncGenerator<string> {
      yield "a";
      throw new Error("connection reset");
    }
    const outcome = await new Host().run((ctx) => ctx.artifacts.write(broken(), plain));
    expect(failed(outcome).error.message).toContain("connection reset");
  });

  test.each<[unknown, unknown, string]>([
    [{ a: 1 }, plain, "make JSON with JSON.stringify"],
    [undefined, plain, "make JSON with JSON.stringify"],
    ["text", undefined, "needs a media type"],
    ["text", {}, "needs a media type"],
  ])("explains how to repair %o with %o", async (data, options, words) => {
    const outcome = await new Host().run((ctx) =>
      ctx.artifacts.write(data as string, options as typeof plain),
    );
    expect(readCode(outcome)).toBe("internal");
    expect(failed(outcome).error.message).toContain(words);
  });

  test.each([
    ["not a type", "application/octet-stream"],
    ["text/plain\r\nx: y", "application/octet-stream"],
    ["text/csv; header=present", "text/csv; header=present"],
  ])("stores the media type %j as %s", async (mediaType, expected) => {
    const ref = await new Host().with((artifacts) => artifacts.write("x", { mediaType }));
    expect(ref.mediaType).toBe(expected);
  });

  test("displays a name on one line, without characters that reverse text", async () => {
    const name = `a\n\u202e\u0000b${"c".repeat(300)}`;
    const ref = await new Host().with((artifacts) => artifacts.write("x", { ...plain, name }));
    expect(ref.name).toBe(`a b${"c".repeat(195)}`);
  });

  test("cannot be used after the attempt has ended", async () => {
    const host = new Host();
    let kept: ArtifactWriter | undefined;
    let content: StoredContent | undefined;
    await host.with(async (artifacts) => {
      kept = artifacts;
      content = await artifacts.read((await artifacts.write("x", plain)).key);
    });
    const cancelled = { code: "cancelled" };
    await expect(kept?.write("x", plain)).rejects.toMatchObject(cancelled);
    await expect(kept?.read(content?.ref.key ?? "")).rejects.toMatchObject(cancelled);
    await expect(content?.bytes()).rejects.toMatchObject(cancelled);
  });
});

describe("an artifact that a tool returns in its output", () => {
  test("is in the result, and mentioned to the model unless the text has it already", async () => {
    const host = new Host();
    let ref: ArtifactRef | undefined;
    const write = async ({ artifacts }: ToolContext): Promise<ArtifactRef> =>
      (ref = await artifacts.write("a,b", { mediaType: "text/csv", name: "rows.csv" }));
    const silent = await host.run(async (ctx) => ({
      content: [text("Done.")],
      artifacts: [await write(ctx)],
    }));
    expect(completed(silent).result.artifacts).toEqual([ref]);
    expect(completed(silent).result.content).toEqual([
      text("Done."),
      text(
        `[artifact ${ref?.key}: "rows.csv" text/csv, 3 bytes; read it with read_artifact {"key":"${ref?.key}"}]`,
      ),
    ]);
    const mentioned = await host.run(async (ctx) => {
      const { key } = await write(ctx);
      return { content: [text(`See ${key}.`)], artifacts: [{ key, mediaType: "x/y", size: -1 }] };
    });
    expect(completed(mentioned).result.content).toEqual([text(`See ${ref?.key}.`)]);
    expect(completed(mentioned).result.artifacts).toEqual([ref]);
  });

  test.each<[string, unknown]>([
    ["a key that does not exist", [{ key: `art_${"0".repeat(32)}`, mediaType: "a/b", size: 1 }]],
    ["no key", [{}, null, undefined, 7, { key: "../../x" }]],
    ["no list", "artifacts"],
  ])("is omitted if it is %s", async (_, artifacts) => {
    const outcome = await new Host().run(() => ({ content: [text("x")], artifacts }));
    expect(completed(outcome).result.artifacts ?? []).toEqual([]);
  });

  test("is omitted if it belongs to another caller", async () => {
    const host = new Host();
    const ref = await host.with((artifacts) => artifacts.write("x", plain), { sessionId: "a" });
    const outcome = await host.run(() => ({ content: [text("x")], artifacts: [ref] }), {
      sessionId: "b",
    });
    expect(completed(outcome).result).toMatchObject({ artifacts: [], content: [text("x")] });
  });
});
