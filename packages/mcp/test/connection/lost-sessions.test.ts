import { describe, expect, it } from "vitest";
import { describesLostSession } from "../../src/transport/messages/session-refusal.ts";
import { executorOver, opened } from "../support/open-source.ts";
import { greets, rawHttp, said, type RawExchange } from "../support/raw-http.ts";

const call = { id: "1", name: "pay", arguments: {} };

/** A server that forgets its sessions, and then answers every request with `refuse` until `initialize`. */
async function forgetful(
  refuse: (exchange: RawExchange) => void,
  more: { readonly auth?: { readonly bearer: string } } = {},
) {
  let inits = 0;
  let runs = 0;
  let known = "";
  const url = await rawHttp((exchange) => {
    const { message, request, json } = exchange;
    if (message.method === "initialize") known = `s-${(inits += 1)}`;
    else if (
      message.method !== "server/discover" &&
      request.headers["mcp-session-id"] !== known &&
      request.method === "POST"
    )
      return refuse(exchange);
    if (greets(exchange, known)) return;
    if (message.method === "tools/list") {
      return json({ result: { tools: [{ name: "pay", inputSchema: { type: "object" } }] } });
    }
    if (message.method === "ping") return json({ result: {} });
    runs += 1;
    json({ result: said("paid") });
  });
  const source = opened({ name: "bank", url, prefix: false, ...more });
  await source.ready;
  return {
    source,
    forget: () => (known = "none"),
    counts: () => [inits, runs],
    call: () => executorOver(source).execute(call),
  };
}

const status =
  (code: number, body: object | string, headers = {}) =>
  ({ response, message }: RawExchange): void => {
    const json = typeof body === "string" ? body : JSON.stringify({ id: message.id, ...body });
    const type = typeof body === "string" ? "text/plain" : "application/json";
    response.writeHead(code, { "content-type": type, ...headers }).end(json);
  };
const error = (message: string, code = -32_000, more = {}): object => ({
  jsonrpc: "2.0",
  error: { code, message },
  ...more,
});

describe("a session that the server no longer knows is opened anew, and the call runs once, after", () => {
  it.each<[string, (exchange: RawExchange) => void]>([
    ["404", status(404, "")],
    ["404 with an error of the request", status(404, error("Session not found", -32_001))],
    ["410", status(410, "")],
    ["400 with the request's id", status(400, error("Bad Request: No valid session ID provided"))],
    ["400, not initialized", status(400, error("Server not initialized"))],
    [
      "400 with the id null",
      status(400, error("Bad Request: unknown client", -32_000, { id: null })),
    ],
    ["400 with a text", status(400, "Unknown session")],
    ["400 with an error text", status(400, { error: "Invalid session ID" })],
    ["401", status(401, error("Unauthorized: Session expired"))],
    ["403", status(403, { message: "Session has expired" })],
    ["409", status(409, error("Session terminated"))],
    ["422", status(422, { detail: "Missing session ID" })],
    ["500", status(500, error("Session 4f2-a1 does not exist", -32_603))],
    ["503", status(503, "No transport found for sessionId")],
    ["200 with -32001", status(200, error("Session not found", -32_001))],
    ["200 with -32002", status(200, error("Server not initialized", -32_002))],
    ["200 without an id", status(200, { id: undefined, error: "Session not found" })],
    [
      "200 with an event",
      ({ stream, response }) => {
        stream();
        response.end('data: {"error":"Session not found"}\n\n');
      },
    ],
    [
      "200 with -32001 in an event",
      ({ stream, response, event, message: { id } }) => {
        stream();
        response.end(event({ id, error: { code: -32_001, message: "Session not found" } }));
      },
    ],
  ])("%s", async (_, refuse) => {
    const server = await forgetful(refuse);
    server.forget();
    expect(await server.call()).toMatchObject({ status: "completed", result: said("paid") });
    expect(server.counts()).toEqual([2, 1]);
    server.forget();
    await server.source.refresh();
    expect(server.source.tools()).toHaveLength(1);
  });

  it("401 of a server with a token", async () => {
    const refuse = status(401, error("Session expired"));
    const server = await forgetful(refuse, { auth: { bearer: "a-token-of-the-host" } });
    server.forget();
    expect(await server.call()).toMatchObject({ status: "completed" });
    expect(server.counts()).toEqual([2, 1]);
  });
});

describe("a refusal that has another reason opens no session, and the call is not repeated:", () => {
  it.each<[string, (exchange: RawExchange) => void]>([
    ["a challenge", status(401, "Session expired", { "www-authenticate": "Bearer" })],
    ["403", status(403, "No access to the session archive")],
    ["an error of a tool", status(500, error("Database session expired while paying"))],
    ["an invalid argument", status(400, error("Session not found", -32_602))],
    ["400 of the call itself", status(400, error("No training session on Sunday"))],
    ["503", status(503, "Maintenance until noon")],
  ])("%s", async (_, refuse) => {
    let isRefusing = false;
    let inits = 0;
    let runs = 0;
    const url = await rawHttp((exchange) => {
      const { message, json } = exchange;
      if (message.method === "initialize") inits += 1;
      if (greets(exchange, "s")) return;
      if (message.method === "tools/list")
        return json({ result: { tools: [{ name: "pay", inputSchema: { type: "object" } }] } });
      runs += 1;
      if (isRefusing) refuse(exchange);
    });
    const source = opened({ name: "bank", url, prefix: false });
    await source.ready;
    isRefusing = true;
    expect(await executorOver(source).execute(call)).toMatchObject({ status: "failed" });
    expect([inits, runs]).toEqual([1, 1]);
  });
});

it("a server that refuses every session is asked twice, and the error quotes it", async () => {
  const server = await forgetful(status(401, error("Unauthorized: Session expired")));
  let runs = 0;
  const url = await rawHttp((exchange) => {
    const { message, json } = exchange;
    if (greets(exchange, "s")) return;
    if (message.method === "tools/list")
      return json({ result: { tools: [{ name: "pay", inputSchema: { type: "object" } }] } });
    runs += 1;
    status(401, error("Unauthorized: Session expired"))(exchange);
  });
  await server.source.close();
  const source = opened({ name: "bank", url, prefix: false });
  await source.ready;
  expect(await executorOver(source).execute(call)).toMatchObject({
    error: {
      code: "auth_required",
      message: expect.stringMatching(
        /^The MCP server bank answered with the status 401: "Unauthorized: Session expired"\. It does not accept the session, although a new one was opened\./,
      ),
    },
  });
  expect(runs).toBe(2);
});

describe("a message about a lost session", () => {
  it.each([
    "Session not found",
    "session_id is required",
    "Bad Request: No valid session ID provided",
    "Bad Request: Mcp-Session-Id header is required",
    "Invalid or missing session ID",
    "Error: Invalid session",
    "Unknown session: 1-2-3",
    "Missing Mcp-Session-Id header",
    "The session has expired.",
    'Session "a b" does not exist',
    "MCP session 12 is no longer valid",
    "Received request before initialization was complete",
    "Server is not yet initialized",
    "Client must initialize first",
    "No server connection for this session",
    "JSON-RPC error -32001: Session terminated",
  ])("is recognized: %s", (message) => expect(describesLostSession(message)).toBe(true));

  it.each([
    "No training session on Sunday",
    "The database session was lost while the payment was made",
    "There is no room for another session",
    "Too many sessions",
    "The list of sessions is empty",
    `Session not found ${"a".repeat(300)}`,
    "",
  ])("is not recognized: %s", (message) => expect(describesLostSession(message)).toBe(false));
});
