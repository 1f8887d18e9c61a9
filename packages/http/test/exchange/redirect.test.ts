import { MockAgent } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { GuardedHttpClient } from "../../src/http-client.ts";
import { httpClient } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { readBody, serve } from "../support/servers.ts";

const secrets = {
  authorization: "Bearer s3cret",
  cookie: "session=s3cret",
  "x-api-key": "s3cret",
  "X-Custom-Token": "s3cret",
};

describe("redirects", () => {
  it("one that the request does not follow is the answer", async () => {
    const targets: string[] = [];
    const server = await serve((request, response) => {
      const location = request.url === "/one" ? "/two" : "https://example.com/three";
      response.writeHead(302, { location }).end(request.url);
    });
    const client = httpClient({ givenOrigins: [server.origin] });
    const response = await client.request({
      method: "POST",
      url: `${server.origin}/one`,
      body: "x",
      follows: ({ href, origin }) => targets.push(href) > 0 && origin === server.origin,
    });
    expect([response.status, response.text(), response.url]).toEqual([
      302,
      "/two",
      `${server.origin}/two`,
    ]);
    expect(response.headers["location"]).toBe("https://example.com/three");
    expect(targets).toEqual([`${server.origin}/two`, "https://example.com/three"]);
  });

  it.each([301, 302, 303, 307, 308])("%d is followed for a GET", async (status) => {
    const server = await serve((request, response) => {
      if (request.url === "/new?a=1") return response.end("here");
      return response.writeHead(status, { location: "/new?a=1#part" }).end("elsewhere");
    });
    const client = httpClient({ givenOrigins: [server.origin] });
    const response = await client.request({ method: "GET", url: `${server.origin}/old` });
    expect(response.status).toBe(200);
    expect(response.text()).toBe("here");
    expect(response.url).toBe(`${server.origin}/new?a=1`);
  });

  it.each([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "POST", "GET", ""],
    [303, "DELETE", "GET", ""],
    [307, "POST", "POST", "body"],
    [308, "POST", "POST", "body"],
    [301, "PUT", "PUT", "body"],
    [302, "PATCH", "PATCH", "body"],
    [303, "HEAD", "HEAD", ""],
  ])("HT28: %d turns a %s into a %s at the same origin", async (status, method, next, body) => {
    const bodies: string[] = [];
    const server = await serve((request, response) => {
      void readBody(request).then((text) => {
        bodies.push(text);
        if (request.url === "/old") response.writeHead(status, { location: "new" });
        response.end();
      });
    });
    const client = httpClient({ givenOrigins: [server.origin] });
    await client.request({
      method,
      url: `${server.origin}/old`,
      headers: { "content-type": "text/plain", authorization: "Bearer s3cret" },
      ...(method === "HEAD" ? {} : { body: "body" }),
    });
    expect(server.requests.map((request) => request.method)).toEqual([method, next]);
    expect(bodies[1]).toBe(body);
    const headers = server.requests[1]?.headers;
    expect(headers?.["content-type"]).toBe(next === "GET" ? undefined : "text/plain");
    expect(headers?.authorization).toBe("Bearer s3cret");
  });

  it("SE04: drops every header except harmless ones at another origin, and does not restore them", async () => {
    const other = await serve((_request, response) =>
      response.writeHead(302, { location: `${first.origin}/back` }).end(),
    );
    const first = await serve((request, response) => {
      if (request.url === "/back") return response.end("done");
      return response.writeHead(302, { location: `${other.origin}/away` }).end();
    });
    const client = httpClient({ givenOrigins: [first.origin, other.origin] });
    const response = await client.request({
      method: "GET",
      url: `${first.origin}/start`,
      headers: { ...secrets, accept: "application/json", "user-agent": "me" },
    });
    expect(response.text()).toBe("done");
    expect(first.requests[0]?.headers["x-custom-token"]).toBe("s3cret");
    for (const request of [other.requests[0], first.requests[1]]) {
      expect(request?.rawHeaders.join(" ")).not.toContain("s3cret");
      expect(request?.headers).toMatchObject({ accept: "application/json", "user-agent": "me" });
    }
  });

  it("SE04: a host on another port is another origin", async () => {
    const other = await serve((_request, response) => response.end());
    const first = await serve((_request, response) =>
      response.writeHead(307, { location: other.origin }).end(),
    );
    await httpClient({ givenOrigins: [first.origin, other.origin] }).request({
      method: "GET",
      url: first.origin,
      headers: secrets,
    });
    expect(other.requests[0]?.rawHeaders.join(" ")).not.toContain("s3cret");
  });

  it("SE04: drops the caller's credentials from query and safe headers too", async () => {
    const other = await serve((_request, response) => response.end());
    const first = await serve((_request, response) =>
      response.writeHead(302, { location: `${other.origin}/?key=s3cret&q=a%20b` }).end(),
    );
    await httpClient({ givenOrigins: [first.origin, other.origin] }).request({
      method: "GET",
      url: `${first.origin}/?key=s3cret`,
      headers: { "accept-language": "s3cret" },
      credentials: ["key", "Accept-Language"],
    });
    expect(other.requests[0]?.url).toBe("/?q=a+b");
    expect(other.requests[0]?.headers["accept-language"]).toBeUndefined();
  });

  it.each([307, 308])("SE04: %d never sends a body to another origin", async (status) => {
    const other = await serve((_request, response) => response.end());
    const first = await serve((_request, response) =>
      response.writeHead(status, { location: `${other.origin}/in` }).end(),
    );
    const client = httpClient({ givenOrigins: [first.origin, other.origin] });
    for (const request of [{ method: "POST", body: "s3cret" }, { method: "DELETE" }]) {
      const error = await failure(client.request({ ...request, url: first.origin }));
      expect(error).toMatchObject({ code: "upstream", status });
      expect(error.message).toContain(other.origin);
      expect(error.message).not.toContain("s3cret");
    }
    expect(other.sockets).toEqual([]);
  });

  it("SR08: a redirect to an address that is not allowed is refused and named", async () => {
    const inside = await serve((_request, response) => response.end());
    const targets = ["http://169.254.169.254/latest", `${inside.origin}/admin`, "http://[::1]/"];
    for (const location of targets) {
      const first = await serve((_request, response) =>
        response.writeHead(302, { location }).end(),
      );
      const client = httpClient({ givenOrigins: [first.origin] });
      const error = await failure(client.request({ method: "GET", url: first.origin }));
      expect(error.code).toBe("permission_denied");
      expect(error.message).toContain(`allowOrigins: ["${new URL(location).origin}"]`);
    }
    expect(inside.sockets).toEqual([]);
  });

  it("SR08: the refusal states that a redirect chose the address", async () => {
    const first = await serve((_request, response) =>
      response.writeHead(302, { location: "http://10.0.0.1/x?y" }).end(),
    );
    const client = httpClient({ givenOrigins: [first.origin] });
    const error = await failure(client.request({ method: "GET", url: first.origin }));
    expect(error.message).toBe(
      'http://10.0.0.1 is a private address that a redirect chose, not you. To allow it: allowOrigins: ["http://10.0.0.1"].',
    );
  });

  it("SR08: a redirect to an allowed private origin is followed", async () => {
    const inside = await serve((_request, response) => response.end("inside"));
    const first = await serve((_request, response) =>
      response.writeHead(302, { location: inside.origin }).end(),
    );
    const client = httpClient({ givenOrigins: [first.origin], allowOrigins: [inside.origin] });
    const response = await client.request({ method: "GET", url: first.origin });
    expect(response.text()).toBe("inside");
  });

  it("SR09: https to http is refused, http to https is not", async () => {
    const agent = new MockAgent();
    agent.disableNetConnect();
    onTestFinished(() => agent.close());
    const answer = (origin: string, location?: string): void => {
      const reply = location === undefined ? {} : { headers: { location } };
      agent
        .get(origin)
        .intercept({ path: "/", method: "GET" })
        .reply(location === undefined ? 200 : 302, "", reply);
    };
    answer("https://a.example", "http://a.example/");
    answer("http://b.example", "https://b.example/");
    answer("https://b.example");
    const client = new GuardedHttpClient({}, () => agent);
    const error = await failure(client.request({ method: "GET", url: "https://a.example/" }));
    expect(error).toMatchObject({ code: "upstream", status: 302 });
    expect(error.message).toContain("http://a.example, which is not encrypted");
    const response = await client.request({ method: "GET", url: "http://b.example/" });
    expect(response.url).toBe("https://b.example/");
  });

  it.each([
    ["SR09", "file:///etc/passwd", "file: URL"],
    ["SR09", "ftp://example.com/", "ftp: URL"],
    ["SR09", "data:text/plain,hi", "data: URL"],
    ["SR09", "gopher://example.com/", "gopher: URL"],
    ["SR11", "http://user:s3cret@example.com/", "user name or password"],
    ["HT29", "http://[", "not a URL"],
    ["HT29", undefined, "without a location"],
  ])("%s: a redirect to %s is refused", async (_id, location, reason) => {
    const server = await serve((_request, response) =>
      response.writeHead(302, location === undefined ? {} : { location }).end(),
    );
    const client = httpClient({ givenOrigins: [server.origin] });
    const error = await failure(client.request({ method: "GET", url: server.origin }));
    expect(error).toMatchObject({ code: "upstream", status: 302 });
    expect(error.message).toContain(reason);
    expect(error.message).not.toContain("s3cret");
  });

  it("SR13: a redirect to a port other than the web's is refused", async () => {
    const server = await serve((_request, response) =>
      response.writeHead(302, { location: "http://example.com:25/" }).end(),
    );
    const client = httpClient({ givenOrigins: [server.origin] });
    const error = await failure(client.request({ method: "GET", url: server.origin }));
    expect(error.code).toBe("permission_denied");
    expect(error.message).toContain("a redirect chose it");
  });

  it("HT27: a loop ends after maxRedirects", async () => {
    const server = await serve((request, response) =>
      response.writeHead(302, { location: request.url === "/a" ? "/b" : "/a" }).end(),
    );
    const client = httpClient({ givenOrigins: [server.origin], maxRedirects: 3 });
    const error = await failure(client.request({ method: "GET", url: `${server.origin}/a` }));
    expect(error.code).toBe("upstream");
    expect(error.message).toContain("more than 3 times (maxRedirects)");
    expect(server.requests).toHaveLength(4);
  });

  it("a redirect's own body counts against maxBytes", async () => {
    const server = await serve((_request, response) =>
      response.writeHead(302, { location: "/next" }).end("x".repeat(100_000)),
    );
    const client = httpClient({ givenOrigins: [server.origin], maxBytes: 1000 });
    const error = await failure(client.request({ method: "GET", url: server.origin }));
    expect(error.message).toContain("more than 1000 bytes (maxBytes)");
    expect(server.requests).toHaveLength(1);
  });

  it("300 and 304 are answers, not redirects", async () => {
    for (const status of [300, 304]) {
      const server = await serve((_request, response) =>
        response.writeHead(status, { location: "/other" }).end(),
      );
      const client = httpClient({ givenOrigins: [server.origin] });
      const response = await client.request({ method: "GET", url: server.origin });
      expect(response.status).toBe(status);
    }
  });

  it("reads a location in UTF-8", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/") {
        return response
          .writeHead(302, { location: Buffer.from("/caf\u00e9").toString("latin1") })
          .end();
      }
      return response.end(request.url);
    });
    const client = httpClient({ givenOrigins: [server.origin] });
    const response = await client.request({ method: "GET", url: server.origin });
    expect(response.text()).toBe("/caf%C3%A9");
  });
});
