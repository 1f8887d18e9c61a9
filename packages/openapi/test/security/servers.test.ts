import type { JsonObject } from "@toolweave/core";
import { expect, onTestFinished, test } from "vitest";
import { RecordingServer, respond, type Answer } from "@toolweave/test-support/recording-server";
import { createDocument, opened, modelView } from "../support/open-source.ts";

async function server(answer?: Answer): Promise<RecordingServer> {
  const started = await RecordingServer.start(answer);
  onTestFinished(() => started.close());
  return started;
}

const get = (operationId: string, more: JsonObject = {}): JsonObject => ({
  get: { operationId, responses: { 200: { description: "ok" } }, ...more },
});
const withServer = (url: string): JsonObject =>
  createDocument({ "/a": get("a") }, { servers: [{ url }] });

test.each([
  ["OA05 the cloud's metadata", "http://169.254.169.254/latest"],
  ["OA05 it as a number", "http://2852039166/"],
  ["OA05 it with a port of its own", "http://169.254.169.254:8080"],
  ["OA05 it by IPv6", "http://[fd00:ec2::254]"],
  ["OA05 the loopback interface", "http://localhost:4010"],
  ["OA05 an address of the host's network", "https://10.1.2.3/v1"],
  ["OA05 it within IPv6", "http://[::ffff:10.1.2.3]/"],
])("%s as a document's server is refused, and the error names the line to add", async (_, url) => {
  const { run } = await opened(withServer(url));
  const { error, text } = modelView(await run("a"));
  expect(error.code).toBe("permission_denied");
  const { origin } = new URL(url);
  expect(error.message).toContain(`allowOrigins: ["${origin}"]`);
  expect(text).toContain(JSON.stringify(`allowOrigins: ["${origin}"]`).slice(1, -1));
});

test("OA05 a server without a scheme, and so of another host, is refused, too", async () => {
  const other = await server();
  const web = await server();
  const document = withServer(other.origin.slice("http:".length));
  web.answer = respond(200, "application/json", JSON.stringify(document));
  const { run } = await opened(`${web.origin}/openapi.json`, { auth: { bearer: "s3cret-token" } });
  expect(modelView(await run("a")).error.code).toBe("permission_denied");
  expect(other.requests).toEqual([]);
});

test.each(["javascript:alert(1)", "file:///etc", "ftp://files.example", "data:,x", "http://"])(
  "OA05 %s as a server is invalid: the error asks for baseUrl",
  async (url) => {
    const { run, source } = await opened(withServer(url));
    const { error } = modelView(await run("a"));
    expect(error).toMatchObject({ code: "unavailable", retryable: false });
    expect(error.message).toContain("`baseUrl`");
    source.realize();
    expect(source.problems).toMatchObject([{ subject: "servers", severity: "warning" }]);
  },
);

test("OA05 baseUrl replaces every server, of the document, of a path and of an operation", async () => {
  const api = await server();
  const evil = [{ url: "http://169.254.169.254" }];
  const { run } = await opened(
    createDocument(
      { "/a": { ...get("a"), servers: evil }, "/b": get("b", { servers: evil }), "/c": get("c") },
      { servers: evil },
    ),
    { baseUrl: `${api.origin}/v1` },
  );
  for (const name of ["a", "b", "c"]) expect((await run(name)).status).toBe("completed");
  expect(api.requests.map(({ path }) => path)).toEqual(["/v1/a", "/v1/b", "/v1/c"]);
});

test("OA06 a server of one path or one operation has neither the permission of the others nor the credentials", async () => {
  const api = await server();
  const evil = await server();
  const servers = [{ url: evil.origin }];
  const document = createDocument(
    { "/a": { ...get("a"), servers }, "/b": get("b", { servers }), "/c": get("c") },
    {
      components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
      security: [{ key: [] }],
    },
  );
  api.answer = ({ path }, response) =>
    void response
      .setHeader("content-type", "application/json")
      .end(path === "/openapi.json" ? JSON.stringify(document) : "{}");
  const { run } = await opened(`${api.origin}/openapi.json`, { auth: { bearer: "s3cret-token" } });
  for (const name of ["a", "b"]) {
    const { error } = modelView(await run(name));
    expect(error.code).toBe("permission_denied");
    expect(error.message).toContain(`allowOrigins: ["${evil.origin}"]`);
  }
  expect((await run("c")).status).toBe("completed");
  expect(api.last.headers["authorization"]).toBe("Bearer s3cret-token");
  expect(evil.requests).toEqual([]);
});

test.each([301, 302, 303, 307, 308])(
  "SR08 a redirect with %i to a private address is refused at that hop, and named",
  async (status) => {
    const inner = await server();
    const api = await server(
      (_recorded, response) =>
        void response.writeHead(status, { location: `${inner.origin}/admin?x=1` }).end(),
    );
    const { run } = await opened(createDocument({ "/a": get("a") }), { baseUrl: api.origin });
    const { error, text } = modelView(await run("a"));
    expect(error.code).toBe("permission_denied");
    expect(error.message).toContain(inner.origin);
    expect(text).not.toContain("/admin");
    expect(inner.requests).toEqual([]);
  },
);

test.each([
  "apiKey in a header",
  "apiKey in the query",
  "apiKey in a cookie",
  "bearer",
  "a header of the host's",
])("SE04 %s is not forwarded when the API redirects to another origin", async (kind) => {
  const other = await server();
  const api = await server(
    (_recorded, response) => void response.writeHead(307, { location: `${other.origin}/b` }).end(),
  );
  const place = kind.split(" ").at(-1) ?? "";
  const scheme = kind.startsWith("apiKey")
    ? { type: "apiKey", in: place, name: "X-API-Key" }
    : { type: "http", scheme: "bearer" };
  const { run } = await opened(
    createDocument(
      { "/a": get("a") },
      {
        components: { securitySchemes: { key: scheme } },
        ...(kind.startsWith("a header") ? {} : { security: [{ key: [] }] }),
      },
    ),
    {
      baseUrl: api.origin,
      allowOrigins: [other.origin],
      credentialOrigins: [other.origin],
      ...(kind.startsWith("a header")
        ? { headers: { "X-Api-Key": "s3cret-token" } }
        : { auth: { apiKey: "s3cret-token", bearer: "s3cret-token" } }),
    },
  );
  expect((await run("a")).status).toBe("completed");
  const sent = (of: RecordingServer): string => JSON.stringify([of.last.query, of.last.headers]);
  expect(sent(api)).toContain("s3cret-token");
  expect(sent(other)).not.toContain("s3cret-token");
});

test("SE04 the body of a write is not sent to another origin: the redirect is refused", async () => {
  const other = await server();
  const api = await server(
    (_recorded, response) => void response.writeHead(307, { location: `${other.origin}/b` }).end(),
  );
  const body = { content: { "application/json": { schema: { type: "object" } } } };
  const { run } = await opened(
    createDocument({ "/a": { post: { operationId: "a", requestBody: body, responses: {} } } }),
    { baseUrl: api.origin, allowOrigins: [other.origin] },
  );
  const { error } = modelView(await run("a", { body: { card: "4111" } }));
  expect(error.code).toBe("upstream");
  expect(error.message).toContain(other.origin);
  expect(other.requests).toEqual([]);
});
