import { assertCompleted } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { webEffects } from "../../src/effects.ts";
import { webTools } from "../../src/index.ts";
import { openTools, readText } from "../support/open-tools.ts";
import { openPages, openServer } from "../support/web-server.ts";

/** A server that answers with what it has received. */
const openEcho = () =>
  openServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { method, url, headers } = request;
      response.writeHead(200, { "content-type": "application/json", "set-cookie": "id=s3cret" });
      response.end(JSON.stringify({ method, url, headers, body }));
    });
  });

describe("http_request", () => {
  test("sends method, headers, query and body, and gives status, headers and the body as JSON", async () => {
    const server = await openEcho();
    const { call } = openTools([webTools({ allowPrivate: [server.host] })]);
    const outcome = await call("http_request", {
      method: "POST",
      url: `${server.origin}/items?a=1#part`,
      headers: { "X-Extra": "yes" },
      query: { b: "two words" },
      body: '{"c":3}',
    });
    assertCompleted(outcome);
    const value = outcome.result.value as {
      status: number;
      headers: object;
      json: { headers: object };
    };
    expect(value).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json" },
      json: { method: "POST", url: "/items?a=1&b=two+words", body: '{"c":3}' },
    });
    expect(value.json.headers).toMatchObject({
      "x-extra": "yes",
      "content-type": "application/json",
    });
    expect(value.headers).not.toHaveProperty("set-cookie");
    expect(readText(outcome)).toMatch(
      /^HTTP 200\n\[data .*\]\nHTTP 200 OK\ncontent-type: application\/json\n/,
    );
    expect(JSON.stringify(outcome)).not.toContain("s3cret");
  });

  test("a status that is no success is a result, or an error if the host wants it", async () => {
    const server = await openPages({});
    const results = openTools([webTools({ allowPrivate: [server.host] })]);
    const first = await results.call("http_request", { url: `${server.origin}/x` });
    expect(first.result).toMatchObject({ isError: false, value: { status: 404 } });
    const errors = openTools([webTools({ allowPrivate: [server.host], failOnStatus: true })]);
    const second = await errors.call("http_request", { url: `${server.origin}/x` });
    expect(second).toMatchObject({ error: { code: "upstream", message: "HTTP 404" } });
    expect(JSON.stringify(second.result?.content)).toContain("there is no such page");
  });

  test("a credential is sent by its name, to its hosts only, and comes out of nowhere", async () => {
    const server = await openEcho();
    const other = await openEcho();
    const { call, callText, executor } = openTools([
      webTools({
        allowPrivate: [server.host, other.host],
        credentials: {
          token: { secret: "s3cret-token", hosts: [server.host] },
          key: { secret: "s3cret-key", hosts: [server.host], header: "X-Api-Key" },
        },
      }),
    ]);
    const events: string[] = [];
    executor.on((event) => events.push(JSON.stringify(event)));
    const outcome = await call("http_request", { url: server.origin, auth: "token" });
    await call("http_request", { url: server.origin, auth: "key" });
    expect(
      server.requests.map(({ headers }) => headers.authorization ?? headers["x-api-key"]),
    ).toEqual(["Bearer s3cret-token", "s3cret-key"]);
    expect(JSON.stringify(outcome) + events.join("")).not.toContain("s3cret");
    expect(await callText("http_request", { url: other.origin, auth: "token" })).toBe(
      `permission_denied: The credential "token" is not for ${other.host}. Send the request without it.`,
    );
    expect(other.requests).toEqual([]);
  });

  test("a credential in the arguments is refused, with the name to use", async () => {
    const { callText } = openTools([
      webTools({
        allow: ["example.com"],
        credentials: { token: { secret: "abcdef", hosts: ["example.com"] } },
      }),
    ]);
    const url = "https://example.com/";
    expect(await callText("http_request", { url, headers: { Authorization: "Bearer x" } })).toMatch(
      /^invalid_arguments: .*Set auth to one of: token\./,
    );
  });

  test("a redirect to another host is the answer, also for a request with a credential", async () => {
    const other = await openEcho();
    const server = await openServer((request, response) => {
      response.writeHead(302, { location: request.url === "/a" ? "/b" : `${other.origin}/x` });
      response.end();
    });
    const { call } = openTools([
      webTools({
        allowPrivate: [server.host, other.host],
        credentials: { token: { secret: "s3cret-token", hosts: [server.host] } },
      }),
    ]);
    const outcome = await call("http_request", { url: `${server.origin}/a`, auth: "token" });
    expect(outcome.result?.value).toMatchObject({
      status: 302,
      url: `${server.origin}/b`,
      headers: { location: `${other.origin}/x` },
    });
    expect(other.connections).toBe(0);
  });

  test("bytes, long texts and what is to be saved become artifacts", async () => {
    const png = Buffer.from("89504e470d0a1a0a", "hex");
    const server = await openPages({
      "/a/logo.png": ["image/png", png],
      "/long": ["text/plain", "x".repeat(60_000)],
      "/short": ["text/plain", "hello"],
    });
    const { call, executor } = openTools([webTools({ allowPrivate: [server.host] })]);
    for (const [args, artifact] of [
      [
        { url: `${server.origin}/a/logo.png` },
        { mediaType: "image/png", name: "logo.png", size: 8 },
      ],
      [{ url: `${server.origin}/long` }, { mediaType: "text/plain", size: 60_000 }],
      [
        { url: `${server.origin}/short`, save_to: "greeting.txt" },
        { mediaType: "text/plain", name: "greeting.txt", size: 5 },
      ],
    ] as const) {
      const outcome = await call("http_request", args);
      expect(outcome.result?.artifacts).toMatchObject([artifact]);
      expect(readText(outcome).length).toBeLessThan(3_000);
    }
    expect(executor).toBeDefined();
  });

  test("a host that is not on the list needs a permission of its own, for which a person is asked", async () => {
    const { executor } = openTools([webTools({ allow: ["api.example.com"] })], {
      policy: "supervised",
    });
    const outcome = await executor.execute({
      id: "1",
      name: "web_fetch",
      arguments: { url: "https://other.example.com/a?b=c" },
    });
    expect(outcome).toMatchObject({
      status: "interrupted",
      interruption: {
        requests: [
          { permission: { kind: "custom.unlisted_host", target: "https://other.example.com" } },
        ],
      },
    });
    const listed = await executor.explain({
      name: "web_fetch",
      arguments: { url: "https://api.example.com/a" },
    });
    expect(listed.effect).toBe("allow");
  });
});

describe("http_send", () => {
  test("gives a program the whole answer, without the credentials in its headers", async () => {
    const server = await openEcho();
    const { call } = openTools([webEffects({ allowPrivate: [server.host] })]);
    const outcome = await call("http_send", {
      url: `${server.origin}/items`,
      body: "x",
      method: "PUT",
    });
    expect(outcome.result?.value).toMatchObject({
      status: 200,
      ok: true,
      headers: { "content-type": "application/json" },
      body: expect.stringContaining('"method":"PUT"') as string,
    });
    expect(JSON.stringify(outcome)).not.toContain("s3cret");
  });

  test("needs the same permissions as http_request", async () => {
    const { executor } = openTools([webEffects()], { policy: "supervised" });
    const outcome = await executor.execute({
      id: "1",
      name: "http_send",
      arguments: { url: "https://example.com/a" },
    });
    expect(outcome.interruption?.requests).toMatchObject([
      { permission: { kind: "network", target: "GET https://example.com/a" } },
      { permission: { kind: "custom.unlisted_host" } },
    ]);
  });
});
