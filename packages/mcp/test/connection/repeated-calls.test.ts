import { ToolExecutor, ToolRegistry, type RetryPolicy } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import type { McpHttpServer } from "../../src/index.ts";
import { greets, rawHttp, said, type RawExchange } from "../support/raw-http.ts";
import { opened } from "../support/open-source.ts";

const tool = { name: "pay", inputSchema: { type: "object" } };

/** A server of 2025-11-25 whose tool `pay` runs `run`; `resume` answers a request for the rest. */
async function paying(parts: {
  readonly run: (exchange: RawExchange, runs: number) => unknown;
  readonly resume?: (exchange: RawExchange, asked: number) => unknown;
  readonly annotations?: object;
  readonly auth?: McpHttpServer["auth"];
  readonly session?: false;
  readonly retry?: RetryPolicy;
}) {
  let runs = 0;
  let asked = 0;
  let sessions = 0;
  const url = await rawHttp((exchange) => {
    const { message, request, json } = exchange;
    if (request.method === "GET" && request.headers["last-event-id"] !== undefined) {
      return parts.resume?.(exchange, (asked += 1));
    }
    if (message.method === "initialize") sessions += 1;
    const session = parts.session === false ? undefined : `s-${sessions}`;
    if (request.method !== "GET" && greets(exchange, session)) return undefined;
    if (request.method === "GET" && request.url === "/mcp") {
      return void exchange.response.writeHead(405).end();
    }
    if (message.method === "tools/list") {
      return json({ result: { tools: [{ ...tool, annotations: parts.annotations }] } });
    }
    return parts.run(exchange, (runs += 1));
  });
  const source = opened({
    name: "bank",
    url,
    prefix: false,
    ...(parts.annotations === undefined ? {} : { trustAnnotations: true }),
    ...(parts.auth === undefined ? {} : { auth: parts.auth }),
  });
  await source.ready;
  const executor = new ToolExecutor({
    registry: new ToolRegistry([source]),
    policy: "autonomous",
    ...(parts.retry === undefined ? {} : { retry: parts.retry }),
  });
  return {
    call: () => executor.execute({ id: "1", name: "pay", arguments: {} }),
    runs: () => runs,
    asked: () => asked,
    sessions: () => sessions,
  };
}

/** Accepts a call: a stream with the id of an event, which then ends. */
function accept({ response, stream }: RawExchange): void {
  stream();
  response.end("retry: 5\nid: 1\ndata:\n\n");
}

const mayHaveRun = {
  status: "failed",
  error: { code: "outcome_unknown", message: expect.stringContaining("may have run") },
};

describe("a call that a server over HTTP has accepted", () => {
  it.each([
    ["404", 404, ""],
    ["400 for an unknown session", 400, "Bad Request: No valid session ID provided"],
    ["405", 405, ""],
    ["410", 410, ""],
    ["401", 401, ""],
  ])(
    "and whose rest is refused with %s is not made again, and the error says that it may have run",
    async (_, status, text) => {
      const bank = await paying({
        run: accept,
        resume: ({ response }) => response.writeHead(status).end(text),
      });
      expect(await bank.call()).toMatchObject(mayHaveRun);
      expect([bank.runs(), bank.asked()]).toEqual([1, 1]);
    },
  );

  it("is resumed by a server that was unavailable for a moment, and runs once", async () => {
    let id: RawExchange["message"]["id"];
    const bank = await paying({
      run(exchange) {
        ({ id } = exchange.message);
        accept(exchange);
      },
      resume: ({ response, stream, event }, asked) => {
        if (asked === 1) return response.writeHead(503).end();
        if (asked === 2) return response.destroy();
        stream();
        return response.end(event({ id, result: said("paid") }));
      },
    });
    expect(await bank.call()).toMatchObject({ status: "completed", result: said("paid") });
    expect([bank.runs(), bank.asked()]).toEqual([1, 3]);
  });

  it("is repeated when a trusted source marks its tool as idempotent and the host retries", async () => {
    const bank = await paying({
      annotations: { idempotentHint: true },
      retry: { attempts: 2, initialDelayMs: 0 },
      run: (exchange, runs) =>
        runs === 1 ? accept(exchange) : exchange.json({ result: said("paid") }),
      resume: ({ response }) => response.writeHead(404).end(),
    });
    expect(await bank.call()).toMatchObject({ status: "completed", result: said("paid") });
    expect([bank.runs(), bank.sessions()]).toEqual([2, 1]);
  });

  it.each([
    [401, ""],
    [404, ""],
    [400, "Unknown session"],
  ])(
    "and that is redirected to an address that refuses the GET (%i) is not made again",
    async (status, text) => {
      const bank = await paying({
        auth: { bearer: freshTokens() },
        run({ request, response }) {
          if (request.method === "POST") response.writeHead(303, { location: "/receipt" }).end();
          else response.writeHead(status, { "www-authenticate": "Bearer" }).end(text);
        },
      });
      expect(await bank.call()).toMatchObject(mayHaveRun);
      // The POST, and the GET.
      expect(bank.runs()).toBe(2);
    },
  );

  it.each([
    ["202", 202, undefined, "", "the status 202 and no body"],
    ["204", 204, undefined, "", "the status 204 and no body"],
    ["a page", 200, "text/html; charset=utf-8", "<html>Sign in</html>", "and an HTML page"],
    ["a page as text", 200, "text/plain", "<!DOCTYPE html><p>Sign in", "and an HTML page"],
    ["a text", 200, "text/plain", "ok", "the status 200 and text/plain"],
  ])(
    "and answered with %s is not made again, and the error has the received response",
    async (_, status, type, body, what) => {
      const bank = await paying({
        run: ({ response }) =>
          response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body),
      });
      const outcome = await bank.call();
      expect(outcome).toMatchObject({ status: "failed", error: { code: "upstream" } });
      const { message = "" } = (outcome as { readonly error?: Error }).error ?? {};
      expect(message).toContain(`answered tools/call with `);
      for (const part of [what, "URL", "may have run"]) expect(message).toContain(part);
      expect(bank.runs()).toBe(1);
    },
  );

  it.each([
    [500, "outcome_unknown"],
    [502, "outcome_unknown"],
    [503, "unavailable"],
    [504, "outcome_unknown"],
    [524, "outcome_unknown"],
  ])(
    "and that a proxy or the server answers with %i is not made again, and the error says that it may have run",
    async (status, code) => {
      const bank = await paying({
        retry: { attempts: 2, initialDelayMs: 0 },
        run: ({ response }) =>
          response.writeHead(status, { "content-type": "text/html" }).end("<h1>Timeout</h1>"),
      });
      expect(await bank.call()).toMatchObject({
        status: "failed",
        error: { code, message: expect.stringContaining("may have run") },
      });
      expect(bank.runs()).toBe(1);
    },
  );

  it("and answered with too many values fails with an error that says that it may have run", async () => {
    const values = `[${"0,".repeat(2_000_001)}0]`;
    const bank = await paying({
      run: ({ message, response, stream }, runs) => {
        const answer = `{"jsonrpc":"2.0","id":${message.id},"result":{"content":${values}}}`;
        if (runs === 1) {
          response.writeHead(200, { "content-type": "application/json" }).end(answer);
        } else {
          stream();
          response.end(`data: ${answer}\n\n`);
        }
      },
    });
    for (const _ of ["as JSON", "as an event"]) {
      expect(await bank.call()).toMatchObject({
        status: "failed",
        error: { code: "upstream", message: expect.stringMatching(/larger than .* may have run/s) },
      });
    }
    expect(bank.runs()).toBe(2);
  });

  it.each([
    ["invalid JSON", {}, "{half"],
    ["a wrong content encoding", { "content-encoding": "gzip" }, "plain"],
  ])(
    "and answered with %s has an error that says that it may have run",
    async (_, headers, body) => {
      const bank = await paying({
        run: ({ response }) => {
          response.writeHead(200, { "content-type": "application/json", ...headers });
          response.end(body);
        },
      });
      const outcome = await bank.call();
      expect(outcome).toMatchObject({
        status: "failed",
        error: { message: expect.stringMatching(/may have (?:run|been carried out)/) },
      });
      expect(bank.runs()).toBe(1);
    },
  );

  it.each([
    [-32_001, "The account's session log was not found"],
    [-32_001, "Account not found"],
    [-32_603, "Session not found"],
    [-32_602, "Unknown session"],
  ])("and that fails in its response with %i %s is not repeated", async (code, message) => {
    const bank = await paying({ run: ({ json }) => json({ error: { code, message } }) });
    expect(await bank.call()).toMatchObject({ status: "failed" });
    expect([bank.runs(), bank.sessions()]).toEqual([1, 1]);
  });
});

describe("a call that a server over HTTP has rejected", () => {
  it.each([
    ["404", 404, ""],
    ["400 that mentions the session", 400, "Bad Request: No valid session ID provided"],
  ])(
    "with %s is made once more in a new session, and not a third time",
    async (_, status, text) => {
      const bank = await paying({ run: ({ response }) => response.writeHead(status).end(text) });
      expect(await bank.call()).toMatchObject({ status: "failed" });
      expect([bank.runs(), bank.sessions()]).toEqual([2, 2]);
    },
  );

  it.each([
    ["404, from a server without sessions", false, 404, {}],
    [
      "400, as an error of the call itself",
      undefined,
      400,
      { message: "No training session on Sunday" },
    ],
  ] as const)("with %s, is not made again", async (_, session, status, error) => {
    const bank = await paying({
      ...(session === undefined ? {} : { session }),
      run: ({ message, response }) =>
        response.writeHead(status).end(JSON.stringify({ id: message.id, error })),
    });
    expect(await bank.call()).toMatchObject({ status: "failed" });
    expect([bank.runs(), bank.sessions()]).toEqual([1, 1]);
  });

  it("with 401 is repeated with another token, and no more often than tokens change", async () => {
    const seen: unknown[] = [];
    const bank = await paying({
      auth: { bearer: freshTokens() },
      run({ request, response }) {
        seen.push(request.headers["authorization"]);
        response.writeHead(401).end();
      },
    });
    expect(await bank.call()).toMatchObject({ status: "failed", error: { code: "auth_required" } });
    expect(new Set(seen).size).toBe(2);
    expect(bank.runs()).toBe(2);
  });
});

/** Each request gets its own token. */
function freshTokens(): () => string {
  let tokens = 0;
  return () => `token-number-${(tokens += 1)}`;
}

describe("connecting to a server that is not an MCP server", () => {
  it.each([
    [200, "text/html", "<html></html>", "an HTML page"],
    [202, "text/plain", "", "no body"],
  ])("that answers with %i and %s has an error that says so", async (status, type, body, what) => {
    const url = await rawHttp(({ response }) =>
      response.writeHead(status, { "content-type": type }).end(body),
    );
    const source = opened({ name: "page", url, prefix: false });
    await expect(source.ready).rejects.toThrow(what);
  });
});
