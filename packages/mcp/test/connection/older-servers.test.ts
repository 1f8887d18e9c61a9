import { describe, expect, it } from "vitest";
import { executorOver, opened } from "../support/open-source.ts";
import { greets, rawHttp, said, type RawExchange } from "../support/raw-http.ts";

/** A server of 2025-11-25 that refuses `server/discover` in its own way. */
async function older(refuse: (exchange: RawExchange) => unknown, timeoutMs?: number) {
  const url = await rawHttp((exchange) => {
    const { message, json } = exchange;
    if (message.method === "server/discover") return refuse(exchange);
    if (greets(exchange)) return undefined;
    if (message.method === "tools/list")
      return json({ result: { tools: [{ name: "a", inputSchema: { type: "object" } }] } });
    return json({ result: said("done") });
  });
  return opened({
    name: "older",
    url,
    prefix: false,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

const answer =
  (status: number, type?: string, body = "") =>
  ({ response }: RawExchange): void =>
    void response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);
const json = "application/json";

describe("a server whose `server/discover` is answered with an error that is not of 2026-07-28 is initialized:", () => {
  it.each<[string, (exchange: RawExchange) => unknown]>([
    [
      "500 with an error of the request",
      ({ response, message: { id } }) =>
        response
          .writeHead(500, { "content-type": json })
          .end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_603, message: "?" } })),
    ],
    ["500 with a text", answer(500, "text/plain", "Internal Server Error")],
    ["501", answer(501)],
    ["502", answer(502, "text/html", "<html>")],
    ["503", answer(503)],
    ["400", answer(400, "text/plain", "Bad Request")],
    ["403", answer(403, "text/plain", "Forbidden")],
    ["404", answer(404)],
    ["405", answer(405)],
    ["406", answer(406)],
    ["415", answer(415)],
    ["422", answer(422, json, "[]")],
    ["429", answer(429)],
    ["202 without a body", answer(202)],
    ["204 without a body", answer(204)],
    ["200 without a body", answer(200)],
    ["200 and a page", answer(200, "text/html", "<!doctype html>")],
    ["200 and a text", answer(200, "text/plain", "ok")],
    ["200 and no valid JSON", answer(200, json, "{half")],
    ["200 and an empty list", answer(200, json, "[]")],
    ["200 and null", answer(200, json, "null")],
    [
      "200 and an error with the id null",
      answer(
        200,
        json,
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}',
      ),
    ],
    ["200 and an empty result", (exchange) => exchange.json({ result: {} })],
    ["200 and the result null", (exchange) => exchange.json({ result: null })],
    [
      "a stream without the answer",
      ({ stream, response }) => {
        stream();
        response.end(": nothing\n\n");
      },
    ],
    [
      "a redirect to a page",
      ({ response }) => response.writeHead(303, { location: "/nowhere" }).end(),
    ],
  ])("%s", async (_, refuse) => {
    const source = await older(refuse);
    await source.ready;
    expect(await executorOver(source).execute({ id: "1", name: "a", arguments: {} })).toMatchObject(
      { result: said("done") },
    );
  });

  it("no answer at all", async () => {
    const source = await older(() => {}, 4_000);
    await source.ready;
    expect(source.tools()).toHaveLength(1);
  });

  it("not after 401, which asks for credentials", async () => {
    const methods: unknown[] = [];
    const url = await rawHttp(({ message, response }) => {
      methods.push(message.method);
      response.writeHead(401).end("a token is missing");
    });
    await expect(opened({ name: "older", url }).ready).rejects.toThrow(
      'answered with the status 401: "a token is missing".',
    );
    expect(methods).toEqual(["server/discover"]);
  });
});

describe("the error of a server that cannot be connected to", () => {
  const refused = (refuse: (exchange: RawExchange) => unknown): Promise<unknown> =>
    rawHttp(refuse).then((url) => opened({ name: "s", url }).ready);

  it.each([
    [
      JSON.stringify({ jsonrpc: "2.0", error: { code: 1, message: "No\u001b[31m luck" } }),
      "No luck",
    ],
    [JSON.stringify({ error: "No luck" }), "No luck"],
    [JSON.stringify({ error: "x", error_description: "No luck" }), "No luck"],
    [JSON.stringify({ message: "No luck" }), "No luck"],
    [JSON.stringify({ detail: "No luck" }), "No luck"],
    ["No luck", "No luck"],
    [`No luck ${"🙂".repeat(1_000)}`, "No luck …"],
  ])("quotes %s", async (body, quoted) => {
    const refusing = refused(({ response }) => response.writeHead(418).end(body));
    await expect(refusing).rejects.toThrow(
      `The MCP server s answered with the status 418: "${quoted}".`,
    );
  });

  it("quotes no page", async () => {
    const refusing = refused(({ response }) => response.writeHead(418).end("<html>No luck"));
    await expect(refusing).rejects.toThrow("The MCP server s answered with the status 418.");
  });

  it("quotes the refusal of notifications/initialized", async () => {
    const refusing = refused((exchange) => {
      if (exchange.message.method === "notifications/initialized")
        exchange.response.writeHead(422).end("Not now");
      else greets(exchange);
    });
    await expect(refusing).rejects.toThrow('answered with the status 422: "Not now".');
  });

  it("names the redirect that has made a GET of the POST", async () => {
    const refusing = refused(({ request, response }) => {
      if (request.method === "POST") response.writeHead(302, { location: "/app?key=1" }).end();
      else response.writeHead(405).end();
    });
    await expect(refusing).rejects.toThrow(
      /status 405, after it redirected the POST to a GET of http:\/\/127\.0\.0\.1:\d+\/app: use the URL/,
    );
  });

  it("has the error of the older transport too", async () => {
    const refusing = refused(({ request, response, stream }) => {
      if (request.method === "POST") return response.writeHead(404).end("No MCP");
      stream();
      return response.end("event: endpoint\ndata: https://other.example/messages\n\n");
    });
    await expect(refusing).rejects.toThrow(
      /status 404: "No MCP"\. Over the older HTTP with SSE: .* another origin, which is not allowed/,
    );
  });
});
