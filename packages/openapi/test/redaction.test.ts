import { ToolExecutor, ToolRegistry, type JsonObject, type ToolEvent } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openApiSource, type OpenApiOptions } from "../src/index.ts";
import { RecordingServer, type Answer } from "@toolweave/test-support/recording-server";

let server: RecordingServer;
beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server.close());

const token = "tok/4f9a+0c2b==7d1e";
const document = {
  openapi: "3.1.0",
  info: { title: "Echo", version: "1" },
  paths: {
    "/x": {
      get: { operationId: "x", parameters: [{ name: "q", in: "query" }], responses: {} },
    },
  },
  components: { securitySchemes: { key: { type: "apiKey", in: "query", name: "k" } } },
};

/** Everything that an executor emits for calls with this answer of the server. */
async function emittedBy(
  answer: Answer,
  auth: NonNullable<OpenApiOptions["auth"]>,
  more: JsonObject = {},
  calls = 1,
): Promise<string> {
  server.answer = answer;
  const source = openApiSource({ ...document, ...more }, { baseUrl: server.origin, auth });
  const registry = new ToolRegistry([source]);
  await registry.ready;
  const executor = new ToolExecutor({ registry, eventPayloads: true });
  const events: ToolEvent[] = [];
  executor.on((event) => events.push(event));
  const outcomes: unknown[] = [];
  for (let count = 0; count < calls; count++) {
    const outcome = await executor.execute({ id: "1", name: "x", arguments: {} });
    outcomes.push(outcome, outcome.status === "failed" && String(outcome.error.stack));
  }
  await registry.close();
  return JSON.stringify([outcomes, events]);
}

const findWholeSecrets = (text: string): readonly string[] => {
  const base64 = Buffer.from(text).toString("base64");
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    text.replaceAll("/", "\\/"),
    encodeURIComponent(text),
    encodeURIComponent(text).toLowerCase(),
    base64,
    Buffer.from(text).toString("base64url"),
    encodeURIComponent(base64),
  ];
};

const echo =
  (status: number, header = "link"): Answer =>
  ({ headers, query }, response) => {
    const all = [headers["authorization"] ?? "", decodeURIComponent(query.slice(2))];
    const said = all.flatMap((one) => {
      const bare = one.replace(/^(?:Bearer|Basic) /, "");
      return [
        ...findWholeSecrets(one),
        ...findWholeSecrets(bare),
        ...findWholeSecrets(`user:${bare}`),
      ];
    });
    response
      .writeHead(status, {
        "content-type": "application/json",
        [header]: encodeURI(`/elsewhere/${all.join("")}`),
      })
      .end(JSON.stringify({ said, [said[0] as string]: 1, text: JSON.stringify(said) }));
  };

describe("SE02: an API that echoes a credential", () => {
  test.each<[string, Answer]>([
    ["in an answer", echo(200)],
    ["in the body of a 401", echo(401)],
    ["in a header", echo(200, "etag")],
    ["in the location of a created resource", echo(201, "location")],
    ["in the body of a 500", echo(500)],
  ])("%s does not reveal it", async (_, answer) => {
    const seen = await emittedBy(answer, { bearer: token });
    for (const secret of findWholeSecrets(token)) expect(seen).not.toContain(secret);
    expect(seen).toContain("[redacted]");
  });

  test("in a redirect does not reveal it", async () => {
    const seen = await emittedBy(echo(302, "location"), { bearer: token });
    expect(seen).toContain("redirected");
    for (const secret of findWholeSecrets(token)) expect(seen).not.toContain(secret);
  });

  test("of a function, which differs each time", async () => {
    let count = 0;
    const seen = await emittedBy(echo(401), { bearer: async () => `${token}${++count}` }, {}, 3);
    expect(count).toBeGreaterThanOrEqual(3);
    for (let one = 1; one <= count; one++) {
      for (const secret of findWholeSecrets(`${token}${one}`)) expect(seen).not.toContain(secret);
    }
  });

  test("of a user, whose password is not revealed either", async () => {
    const password = "pass-w0rd-of-ada";
    const seen = await emittedBy(echo(403), { basic: { username: "ada", password } });
    for (const secret of [...findWholeSecrets(password), btoa(`ada:${password}`)]) {
      expect(seen).not.toContain(secret);
    }
  });

  test("of a key in the query", async () => {
    const seen = await emittedBy(echo(400), { apiKey: token }, { security: [{ key: [] }] });
    for (const secret of findWholeSecrets(token)) expect(seen).not.toContain(secret);
  });
});

describe("URLs in events are without user, password and secret parameters", () => {
  const secret = "7f3a9b2c";
  const url = `https://ada:${secret}@files.example/a?token=${secret}&page=2`;

  /** The events of a call, as JSON. */
  async function collectEvents(args: JsonObject | string, answer: Answer): Promise<string> {
    server.answer = answer;
    const registry = new ToolRegistry([openApiSource(document, { baseUrl: server.origin })]);
    onTestFinished(() => registry.close());
    await registry.ready;
    const events: unknown[] = [];
    const executor = new ToolExecutor({ registry, eventPayloads: true });
    executor.on((event) => events.push(event));
    const outcome = await executor.execute({ id: "1", name: "x", arguments: args });
    expect(outcome.status).toBe("completed");
    return JSON.stringify(events);
  }

  test("if they are in an answer", async () => {
    const seen = await collectEvents({}, (_, response) =>
      response
        .writeHead(200, {
          "content-type": "application/json",
          location: `/a?sig=${secret}`,
          link: `</a?access_token=${secret}&page=2>; rel="next"`,
        })
        .end(JSON.stringify({ url, [`see ${url}`]: [url] })),
    );
    expect(seen).toContain("files.example");
    expect(seen).not.toContain(secret);
  });

  test("if they are in an item of a stream", async () => {
    const seen = await collectEvents({}, (_, response) =>
      response
        .writeHead(200, { "content-type": "application/x-ndjson" })
        .end(`${JSON.stringify({ url, [`see ${url}`]: [url] })}\n`),
    );
    expect(seen).toContain('"type":"tool.updated"');
    expect(seen).not.toContain(secret);
  });

  test.each<[string, JsonObject | string]>([
    ["as an object", { q: url }],
    ["as text", JSON.stringify({ q: url })],
  ])("if they are in arguments, sent %s", async (_, args) => {
    const seen = await collectEvents(args, (_recorded, response) => response.writeHead(204).end());
    expect(seen).toContain("files.example");
    expect(seen).not.toContain(secret);
  });
});

test("a source reports its secrets, and of a renewed one only the latest", async () => {
  server.answer = (_, response) => response.writeHead(204).end();
  let count = 0;
  const source = openApiSource(document, {
    baseUrl: server.origin,
    auth: { bearer: () => `renewed-token-${++count}` },
    headers: {
      "X-Api-Key": "host-key-1",
      "X-Functions-Key": "host-key-2",
      "X-Auth": "host-key-3",
      Cookie: "sid=cookie-1; other=cookie-2",
      "X-Author": "unknown-1",
    },
  });
  const keys = ["host-key-1", "host-key-2", "host-key-3", "cookie-1", "cookie-2"];
  expect([...(source.secrets ?? [])]).toEqual(keys);
  const registry = new ToolRegistry([source]);
  await registry.ready;
  const executor = new ToolExecutor({ registry });
  for (let call = 0; call < 110; call++)
    await executor.execute({ id: "1", name: "x", arguments: {} });
  const held = [...(source.secrets ?? [])];
  expect(held).toHaveLength(105);
  expect(held).toContain("renewed-token-110");
  expect(held).not.toContain("renewed-token-10");
  await registry.close();
});
