import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { text, type ToolReturn } from "@toolweave/core";
import { call, executorFor, foreignTool, recorded, tool } from "../support/executor-for.ts";
import { readCode, completed } from "../support/outcomes.ts";

async function getResult(returned: () => unknown, largeOutputs = {}) {
  const executor = executorFor(
    tool("t", () => returned() as never),
    { largeOutputs },
  );
  return completed(await executor.execute(call("t"))).result;
}

async function* generated(...pieces: readonly unknown[]) {
  yield* pieces;
}

/** The same, and not a generator: for `defineTool`, the yields of a generator are updates. */
const iterable = (...pieces: readonly unknown[]) => ({
  [Symbol.asyncIterator]: () => generated(...pieces),
});

const stream = (...pieces: readonly unknown[]) => ReadableStream.from(pieces);
const bytes = (...values: readonly number[]) => Uint8Array.from(values);
const png = bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0);

describe("TC15: a stream is converted to its content", () => {
  test.each<[string, () => unknown, { content: unknown; value?: unknown }]>([
    ["a web stream of texts", () => stream("one ", "two"), { content: [text("one two")] }],
    ["an async iterable", () => iterable("one ", "two"), { content: [text("one two")] }],
    ["a promise of one", async () => stream("one"), { content: [text("one")] }],
    ["a Node.js stream", () => Readable.from(["one ", "two"]), { content: [text("one two")] }],
    ["an iterator", () => ["one ", "two"].values(), { content: [text("one two")] }],
    [
      "bytes, with a character in two pieces",
      () => stream(bytes(0xe6, 0x97), bytes(0xa5)),
      { content: [text("日")] },
    ],
    ["texts and bytes", () => stream("a", bytes(0x62)), { content: [text("ab")] }],
    ["bytes and texts", () => stream(bytes(0x61), "b"), { content: [text("ab")] }],
    [
      "bytes that are an image",
      () => stream(png.subarray(0, 4), png.subarray(4)),
      { content: [{ type: "image", mimeType: "image/png", data: "iVBORw0KGgoA" }] },
    ],
    [
      "objects",
      () => stream({ a: 1 }, { b: 2n }),
      { content: [text('[{"a":1},{"b":"2"}]')], value: [{ a: 1 }, { b: "2" }] },
    ],
    [
      "texts and objects",
      () => stream("a", { b: 1 }, "c"),
      { content: [text('["a",{"b":1},"c"]')], value: ["a", { b: 1 }, "c"] },
    ],
    [
      "bytes and objects",
      () => stream(bytes(1, 2), null, bytes(3)),
      { content: [text('["AQI=",null,"Aw=="]')], value: ["AQI=", null, "Aw=="] },
    ],
    ["content blocks", () => stream(text("a"), text("b")), { content: [text("a"), text("b")] }],
    ["nothing", () => stream(), { content: [text("")] }],
    ["promises of pieces", () => [Promise.resolve("a")].values(), { content: [text("a")] }],
  ])("%s", async (_, returned, { content, value }) => {
    const result = await getResult(returned);
    expect(result.content).toEqual(content);
    expect(result.value).toEqual(value);
    expect(result.isError).toBe(false);
  });

  test("a generator of a tool that is not the host's function is a stream, too", async () => {
    const executor = executorFor(
      foreignTool("t", { invoke: () => generated("a", "b") as unknown as ToolReturn }),
      { policy: { preset: "autonomous" } },
    );
    expect(completed(await executor.execute(call("t"))).result.content).toEqual([text("ab")]);
  });

  test("the yields of a generator are updates, and its return value may be a stream", async () => {
    const executor = executorFor(
      tool("t", async function* () {
        yield "update";
        return stream("the ", "answer");
      }),
    );
    const events = recorded(executor);
    const { result } = completed(await executor.execute(call("t")));
    expect(result.content).toEqual([text("the answer")]);
    expect(events.filter(({ type }) => type === "tool.updated")).toHaveLength(1);
  });

  test("a file is its content", async () => {
    const { content } = await getResult(() => createReadStream(import.meta.filename));
    expect(content).toEqual([{ type: "text", text: expect.stringContaining("is its content") }]);
  });

  test("is validated against its output schema like any answer", async () => {
    const output = { type: "array", items: { type: "number" } };
    const executor = executorFor([
      tool("good", () => stream(1, 2), { output }),
      tool("bad", () => stream(1, "x"), { output }),
      tool("json", () => Response.json([1]), { output }),
      tool("broken", () => Response.json("x", { status: 500 }), { output }),
    ]);
    expect(completed(await executor.execute(call("good"))).result.value).toEqual([1, 2]);
    expect(readCode(await executor.execute(call("bad")))).toBe("invalid_output");
    expect(completed(await executor.execute(call("json"))).result.value).toEqual([1]);
    expect(completed(await executor.execute(call("broken"))).result.isError).toBe(true);
  });

  test("is read one piece at a time: no piece is requested before it is needed", async () => {
    let asked = 0;
    let given = 0;
    const lazy = new ReadableStream(
      {
        pull(controller) {
          asked += 1;
          expect(asked - given).toBe(1);
          given += 1;
          if (given === 100) controller.close();
          else controller.enqueue("x");
        },
      },
      { highWaterMark: 0 },
    );
    expect((await getResult(() => lazy)).content).toEqual([text("x".repeat(99))]);
  });
});

describe("TC15: a response is converted to its body", () => {
  const json = { "content-type": "application/json; charset=utf-8" };

  test.each<[string, () => unknown, object]>([
    ["text", () => new Response("hello"), { content: [text("hello")] }],
    [
      "JSON",
      () => new Response('{ "a": 1 }', { headers: json }),
      { content: [text('{ "a": 1 }')], value: { a: 1 } },
    ],
    ["invalid JSON", () => new Response("{", { headers: json }), { content: [text("{")] }],
    [
      "data that looks like an output",
      () => Response.json({ content: [text("x")], isError: true }),
      { isError: false, value: { content: [text("x")], isError: true } },
    ],
    [
      "an image",
      () => new Response(png),
      { content: [{ type: "image", mimeType: "image/png", data: "iVBORw0KGgoA" }] },
    ],
    [
      "binary content",
      () => new Response(bytes(1, 2), { headers: { "content-type": "application/zip" } }),
      { artifacts: [{ mediaType: "application/zip", size: 2 }] },
    ],
    [
      "text in another character set",
      () =>
        new Response(bytes(0xe9), { headers: { "content-type": "text/plain; charset=latin1" } }),
      { content: [text("é")] },
    ],
    ["nothing", () => new Response(null, { status: 204 }), { content: [text("204")] }],
    ["a blob", () => new Blob(["hello"]), { content: [text("hello")] }],
    [
      "a file of JSON",
      () => new File(["[1]"], "a.json", { type: "application/json" }),
      { content: [text("[1]")], value: [1] },
    ],
    [
      "an error",
      () => new Response("no such pet", { status: 404, statusText: "Not Found" }),
      { content: [text("404 Not Found: no such pet")], isError: true },
    ],
    [
      "an error without a body",
      () => new Response(null, { status: 500 }),
      { content: [text("500")], isError: true },
    ],
    [
      "an error with an image",
      () => new Response(png, { status: 500 }),
      { content: [text("500"), { type: "image" }], isError: true },
    ],
  ])("%s", async (_, returned, expected) => {
    expect(await getResult(returned)).toMatchObject(expected);
  });

  test("an error has its status", async () => {
    const executor = executorFor(tool("t", () => new Response("busy", { status: 503 })));
    const { error } = completed(await executor.execute(call("t")));
    expect([error?.code, error?.status, error?.retryable]).toEqual(["upstream", 503, true]);
    expect(error?.message).toBe("t answered 503");
  });

  test("from a server, compressed or in pieces", async () => {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "application/json");
      response.write('{"pets":');
      response.end("[1,2]}");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expect((await getResult(() => fetch(url))).value).toEqual({ pets: [1, 2] });
    } finally {
      server.close();
    }
  });

  test("whose body was already read fails the call", async () => {
    const read = new Response("x");
    await read.text();
    const locked = stream("x");
    locked.getReader();
    const executor = executorFor([tool("read", () => read), tool("locked", () => locked)]);
    expect(readCode(await executor.execute(call("read")))).toBe("execution_failed");
    expect(readCode(await executor.execute(call("locked")))).toBe("execution_failed");
  });
});
