import type { Clock, ClockTimer, ToolOutput } from "@toolweave/core";
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { openApi, readTexts } from "../../support/start-api.ts";

const paths = {
  "/events": {
    get: {
      operationId: "watch",
      responses: {
        200: {
          description: "ok",
          headers: { "X-Stream": { schema: { type: "string" } } },
          content: { "text/event-stream": {}, "application/jsonl": {}, "application/json-seq": {} },
        },
      },
    },
  },
};

const event = (data: string): object => ({ data, event: "message" });

function sse(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/event-stream", "x-stream": "7" });
  response.write(text);
}

describe("an answer of server-sent events", () => {
  test("is the list of them, each emitted as it arrives", async () => {
    let finish = (): void => undefined;
    const { call } = await openApi(paths, (_request, response) => {
      sse(response, 'data: {"a":1}\n\ndata: [DO');
      finish = () => void response.end("NE]\n\n");
    });
    const seen: ToolOutput[] = [];
    const outcome = await call(
      "watch",
      {},
      {
        onUpdate: (partial) => {
          seen.push(partial);
          finish();
        },
      },
    );
    expect(outcome).toMatchObject({
      status: "completed",
      result: {
        isError: false,
        value: [event('{"a":1}'), event("[DONE]")],
        details: { status: 200, headers: { "content-type": "text/event-stream", "x-stream": "7" } },
      },
    });
    expect(readTexts(outcome)).toEqual([JSON.stringify([event('{"a":1}'), event("[DONE]")])]);
    expect(seen).toMatchObject([
      { content: [{ text: '{"a":1}' }], value: [event('{"a":1}')], details: { first: 0 } },
      { content: [{ text: "[DONE]" }], value: [event("[DONE]")], details: { first: 1 } },
    ]);
  });

  test("without an event is an empty list", async () => {
    const { call } = await openApi(paths, (_request, response) => {
      sse(response, ": nothing\n\n");
      response.end();
    });
    expect(await call("watch")).toMatchObject({ status: "completed", result: { value: [] } });
  });

  test("that look like content blocks are data", async () => {
    const block = { type: "text", text: "hello" };
    const { call } = await openApi(paths, (_request, response) => {
      response
        .setHeader("content-type", "application/jsonl")
        .end(`${JSON.stringify(block)}\n"b"\n`);
    });
    const outcome = await call("watch");
    expect(outcome).toMatchObject({ result: { value: [block, "b"] } });
    expect(readTexts(outcome)).toEqual([JSON.stringify([block, "b"])]);
  });

  test("waits for a slow listener", async () => {
    const lines = Array.from({ length: 40_000 }, (_, id) => `{"id":${id}}\n`).join("");
    const { call } = await openApi(paths, (_request, response) => {
      response.setHeader("content-type", "application/x-ndjson").end(lines);
    });
    const ids: unknown[] = [];
    let open = 0;
    const outcome = await call(
      "watch",
      {},
      {
        onUpdate: async ({ value }) => {
          expect(++open).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          ids.push(...(value as { id: number }[]).map(({ id }) => id));
          open -= 1;
        },
      },
    );
    expect(outcome.status).toBe("completed");
    // Emitted in part if one update is above the limit of outputs, but in order, and none twice.
    expect(ids).toEqual([...new Set(ids)]);
    expect(outcome).toMatchObject({ result: { artifacts: [{ mediaType: "application/json" }] } });
  });

  test("HT38: that is interrupted is an error with the received items, after they were emitted", async () => {
    const { call } = await openApi(paths, (_request, response) => {
      sse(response, "data: one\n\ndata: two\n\ndata: thr");
      response.write("ee", () => response.destroy());
    });
    const seen: unknown[] = [];
    const outcome = await call("watch", {}, { onUpdate: ({ value }) => void seen.push(value) });
    expect(outcome).toMatchObject({
      status: "completed",
      error: { code: "upstream" },
      result: {
        isError: true,
        value: [event("one"), event("two")],
        details: { status: 200 },
      },
    });
    expect(readTexts(outcome)[0]).toMatch(
      /^\[the answer broke off: The answer of http:\S+ was cut off before its end\.\]$/,
    );
    expect(seen.flat()).toEqual([event("one"), event("two")]);
  });

  test("HT38: with a broken item names it, with the items before it", async () => {
    const { call } = await openApi(paths, (_request, response) => {
      response.setHeader("content-type", "application/jsonl").end('{"a":1}\n{"a":\n');
    });
    const outcome = await call("watch");
    expect(outcome).toMatchObject({
      error: { code: "upstream" },
      result: { isError: true, value: [{ a: 1 }] },
    });
    expect(readTexts(outcome)[0]).toContain("Item 2 of the answer is not valid JSON");
  });

  test("HT38: that is interrupted before the first item is a failed call", async () => {
    const { call } = await openApi(paths, (_request, response) => {
      sse(response, "data: o");
      response.write("ne", () => response.destroy());
    });
    expect(await call("watch")).toMatchObject({ status: "failed", error: { code: "upstream" } });
  });

  test("that never ends is stopped at the call's timeout, and returns the received items", async () => {
    let closed: Promise<unknown> | undefined;
    let time = 0;
    const timers = new Map<ClockTimer, () => void>();
    const clock: Clock = {
      now: () => time,
      setTimeout: (callback) => {
        const timer = {};
        timers.set(timer, callback);
        return timer;
      },
      clearTimeout: (timer) => void timers.delete(timer),
    };
    const { call } = await openApi(
      paths,
      (_request, response) => {
        closed = new Promise((resolve) => response.once("close", resolve));
        sse(response, "data: one\n\n");
      },
      {},
      { clock },
    );
    const pass = (): void => {
      time = 200;
      for (const elapsed of [...timers.values()]) elapsed();
    };
    // Once the emitted item has been taken.
    const onUpdate = (): void => void setImmediate(pass);
    expect(await call("watch", {}, { timeoutMs: 200, onUpdate })).toMatchObject({
      error: { code: "timeout" },
      result: { isError: true, value: [event("one")] },
    });
    await closed;
  });

  test("is closed when the run is cancelled", async () => {
    const controller = new AbortController();
    let closed: Promise<unknown> | undefined;
    const { call } = await openApi(paths, (_request, response) => {
      closed = new Promise((resolve) => response.once("close", resolve));
      sse(response, "data: one\n\n");
    });
    const options = { signal: controller.signal, onUpdate: () => controller.abort() };
    expect(await call("watch", {}, options)).toMatchObject({
      status: "failed",
      error: { code: "cancelled" },
    });
    await closed;
  });

  test("does not reveal a credential that it echoes", async () => {
    const { call } = await openApi(
      paths,
      (_request, response) => {
        sse(response, "data: you are sk-very-");
        response.end("secret-0123456789\n\n");
      },
      { auth: { bearer: "sk-very-secret-0123456789" } },
    );
    const seen: unknown[] = [];
    const outcome = await call("watch", {}, { onUpdate: (partial) => void seen.push(partial) });
    expect(JSON.stringify([outcome, seen])).not.toContain("sk-very");
    expect(outcome).toMatchObject({ result: { value: [event("you are [redacted]")] } });
  });

  test("with a status of failure is an error like any other", async () => {
    const { call } = await openApi(paths, (_request, response) => {
      response.writeHead(400, { "content-type": "text/event-stream" }).end("data: no\n\n");
    });
    const outcome = await call("watch");
    expect(outcome).toMatchObject({ error: { code: "upstream", status: 400 } });
    expect(readTexts(outcome)).toEqual(["400 Bad Request: data: no"]);
  });
});

test("a JSON text sequence is the list of its values", async () => {
  const { call } = await openApi(paths, (_request, response) => {
    response.setHeader("content-type", "application/json-seq").end("\u001e1\n\u001e[2]\n");
  });
  expect(await call("watch")).toMatchObject({ result: { value: [1, [2]] } });
});

test("a JSON text sequence reports its skipped values", async () => {
  const { call } = await openApi(paths, (_request, response) => {
    response.setHeader("content-type", "application/json-seq");
    response.end("\u001e1\n\u001e{x}\n\u001e[2]\n");
  });
  expect(await call("watch")).toMatchObject({
    result: {
      isError: false,
      value: [1, [2]],
      details: {
        status: 200,
        warnings: [
          "Item 2 of the answer is not valid JSON (at position 1 (line 1, column 2)), and was skipped. It begins: {x}",
        ],
      },
    },
  });
});
