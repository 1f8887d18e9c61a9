// Answers that are complete and do not match the operation's declaration, through the executor.
import { gzipSync } from "node:zlib";
import { ToolExecutor, ToolRegistry, type Clock, type ToolEvent } from "@toolweave/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { openApiSource } from "../../../src/index.ts";
import { createDocument, opened, modelView } from "../../support/open-source.ts";
import { RecordingServer, respond, type Answer } from "@toolweave/test-support/recording-server";

const schema = {
  type: "object",
  required: ["id"],
  properties: { id: { type: "integer" } },
  additionalProperties: false,
};
const operation = (operationId: string) => ({
  operationId,
  responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
});
const document = createDocument({ "/a": { get: operation("read"), post: operation("write") } });

async function answering(answer: Answer) {
  const server = await RecordingServer.start(answer);
  onTestFinished(() => server.close());
  return { server, ...(await opened(document, { baseUrl: server.origin })) };
}

describe("HT19 a login page instead of JSON", () => {
  const page = `<html><head><title>Sign in</title></head><body>${"x".repeat(5000)}</body></html>`;

  test.each([
    ["read", false],
    ["write", true],
  ])("is not a success of a %s, and the model reads that it is a page", async (name, writes) => {
    const { run } = await answering(respond(200, "text/html; charset=utf-8", page));
    const outcome = await run(name);
    const { error, text } = modelView(outcome);
    expect(outcome).toMatchObject({ status: "completed", result: { isError: true } });
    expect(error).toMatchObject({ code: "upstream", status: 200, retryable: false });
    expect(text).toContain("HTML page");
    expect(text).toContain("Sign in");
    expect(text.length).toBeLessThan(1500);
    expect(text.includes("check before repeating")).toBe(writes);
  });
});

describe("HT22 an answer without a body", () => {
  test.each([
    [204, "No Content"],
    [205, "Reset Content"],
    [304, "Not Modified"],
  ])("of %i is a success that says so", async (status, says) => {
    const { run } = await answering((_recorded, response) => void response.writeHead(status).end());
    const outcome = await run("read");
    expect(outcome).toMatchObject({ status: "completed", result: { isError: false } });
    expect(JSON.stringify(outcome)).toContain(`${status} ${says}`);
  });
});

describe("HT24 an answer that violates its own schema", () => {
  test.each([
    ["lacks a field", {}],
    ["has an extra one", { id: 1, more: true }],
    ["has one of another type", { id: "1" }],
  ])("that %s is returned, with a warning for the host", async (_, value) => {
    const { run, executor } = await answering(
      respond(200, "application/json", JSON.stringify(value)),
    );
    const events: ToolEvent[] = [];
    executor.on((event) => events.push(event));
    const outcome = await run("read");
    expect(outcome).toMatchObject({ status: "completed", result: { isError: false, value } });
    const [completed] = events.filter(({ type }) => type === "tool.completed");
    expect(JSON.stringify(completed)).toMatch(/warnings.*(?:id|more)/);
  });
});

describe("HT25 an answer that cannot be decoded", () => {
  const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20));
  const broken = gzipSync(Buffer.from('{"id":1}'));
  broken.writeUInt32LE(0, broken.length - 8);

  test.each([
    ["a bomb", "gzip", bomb, /larger than|more than/],
    ["a wrong checksum", "gzip", broken, /content-encoding/],
    ["invalid gzip data", "gzip", Buffer.of(1, 2, 3), /content-encoding/],
    ["an unknown encoding", "foo", gzipSync("{}"), /encoded .* "foo"/],
  ])("%s is an error, without a part of it as an answer", async (_, encoding, body, says) => {
    const { run } = await answering((_recorded, response) => {
      response.setHeader("content-type", "application/json");
      response.setHeader("content-encoding", encoding).end(body);
    });
    const before = process.memoryUsage().rss;
    const { error, text } = modelView(await run("read"));
    expect(error.code).toBe("upstream");
    expect(error.message).toMatch(says);
    expect(text).not.toContain('{\\"id\\"');
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
  });
});

/** A clock that advances when code waits, and records the durations. */
function eagerClock(waited: number[]): Clock {
  let now = Date.now();
  return {
    now: () => now,
    setTimeout: (callback, ms) => {
      // The executor's own limits do not matter here.
      if (ms >= 60_000) return {};
      waited.push(ms);
      now += ms;
      const timer = setImmediate(callback);
      return { unref: () => void timer.unref() };
    },
    clearTimeout: () => {},
  };
}

/** The outcome of a call with up to three attempts, and the waits in between. */
async function retried(answer: Answer, name = "read") {
  const server = await RecordingServer.start(answer);
  onTestFinished(() => server.close());
  const registry = new ToolRegistry([openApiSource(document, { baseUrl: server.origin })]);
  onTestFinished(() => registry.close());
  await registry.ready;
  const waited: number[] = [];
  const executor = new ToolExecutor({
    registry,
    policy: "autonomous",
    timeoutMs: 0,
    retry: { attempts: 3, initialDelayMs: 100, maxDelayMs: 20_000 },
    clock: eagerClock(waited),
  });
  const events: ToolEvent[] = [];
  executor.on((event) => events.push(event));
  const outcome = await executor.execute({ id: "1", name, arguments: {} });
  const delays = events.flatMap((event) => (event.type === "tool.retried" ? [event.delayMs] : []));
  return { outcome, delays, requests: server.requests.length };
}

describe("an API that is busy", () => {
  const busy =
    (status: number, retryAfter?: string): Answer =>
    (_recorded, response) =>
      void response
        .writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter })
        .end();

  test("HT33 is called again a few times, after growing and random delays", async () => {
    const { outcome, delays, requests } = await retried(busy(429));
    expect(modelView(outcome).error).toMatchObject({
      code: "upstream",
      status: 429,
      retryable: true,
    });
    expect(requests).toBe(3);
    expect(delays).toHaveLength(2);
    expect(Math.max(...delays)).toBeLessThanOrEqual(400);
    expect(delays[0]).not.toBe(delays[1]);
  });

  test("HT33 is called again after its Retry-After", async () => {
    const { delays, requests } = await retried(busy(503, "2"));
    expect(requests).toBe(3);
    expect(delays.every((ms) => ms >= 2000)).toBe(true);
  });

  test.each([
    ["in the future", 5000, 4000],
    ["in the past", -60_000, 0],
  ])("HT31 is called again after its Retry-After, an HTTP date %s", async (_, ms, atLeast) => {
    const date = (inMs: number): string => new Date(Date.now() + inMs).toUTCString();
    // Its clock is an hour off, as its own Date shows: the difference counts.
    const { delays } = await retried(
      (_recorded, response) =>
        void response
          .writeHead(429, { date: date(3_600_000), "retry-after": date(3_600_000 + ms) })
          .end(),
    );
    expect(delays).toHaveLength(2);
    for (const delay of delays) {
      expect(delay).toBeGreaterThanOrEqual(atLeast);
      expect(delay).toBeLessThanOrEqual(atLeast + 3000);
    }
  });

  test("HT32 is not awaited if it requests a day", async () => {
    const { outcome, delays, requests } = await retried(busy(429, "86400"));
    expect({ delays, requests }).toEqual({ delays: [], requests: 1 });
    expect(modelView(outcome).error).toMatchObject({
      code: "rate_limited",
      retryAfterMs: 86_400_000,
    });
    expect(modelView(outcome).text).toContain("86400 s");
  });

  test("HT33 receives no second write", async () => {
    expect((await retried(busy(503), "write")).requests).toBe(1);
  });
});

describe("HT37 a status", () => {
  test.each([
    [400, false],
    [404, false],
    [408, true],
    [409, false],
    [410, false],
    [422, false],
    [425, true],
    [429, true],
    [500, false],
    [501, false],
    [502, true],
    [503, true],
    [504, true],
    [520, true],
    [522, true],
    [529, true],
    [599, false],
  ])("of %i is an error of the API; retryable: %s", async (status, retryable) => {
    const { run } = await answering(respond(status, "application/json", '{"why":"so"}'));
    const outcome = await run("read");
    expect(outcome).toMatchObject({ status: "completed", result: { isError: true } });
    const { error, text } = modelView(outcome);
    expect(error).toMatchObject({ code: "upstream", status, retryable, body: { why: "so" } });
    expect(text).toContain(String(status));
    expect(text).toContain("so");
  });

  test.each([401, 403])(
    "of %i reports whether credentials are missing or were refused",
    async (status) => {
      const secured = {
        ...document,
        components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
        security: [{ key: [] }],
      };
      const server = await RecordingServer.start(respond(status, "application/json", "{}"));
      onTestFinished(() => server.close());
      const without = await opened(secured, { baseUrl: server.origin });
      const missing = modelView(await without.run("read"));
      expect(missing.error).toMatchObject({ code: "auth_required", audience: "user", status });
      expect(missing.text).toContain("Credentials are missing");
      const withToken = await opened(secured, {
        baseUrl: server.origin,
        auth: { bearer: "s3cret-token" },
      });
      const refused = modelView(await withToken.run("read"));
      expect(refused.error).toMatchObject({ code: "upstream", status, retryable: false });
      expect(refused.text).not.toContain("s3cret-token");
    },
  );
});

test("HT44 a change of the clock during a request does not end it", async () => {
  const { now } = Date;
  onTestFinished(() => void (Date.now = now));
  let jump = 0;
  Date.now = () => now() + jump;
  const server = await RecordingServer.start((_recorded, response) => {
    jump = jump === 3_600_000 ? -3_600_000 : 3_600_000;
    setImmediate(() => response.setHeader("content-type", "application/json").end('{"id":1}'));
  });
  onTestFinished(() => server.close());
  const { run } = await opened(document, { baseUrl: server.origin, timeoutMs: 20_000 });
  for (let time = 0; time < 3; time++) {
    expect(await run("read")).toMatchObject({ status: "completed", result: { value: { id: 1 } } });
  }
});
