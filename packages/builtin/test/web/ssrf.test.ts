import { describe, expect, test, vi } from "vitest";
import { webTools } from "../../src/index.ts";
import { asked, resolveTo } from "../support/fake-resolver.ts";
import { invalidUrls, loopbackHosts, metadataHosts } from "../support/forbidden-urls.ts";
import { openTools } from "../support/open-tools.ts";
import { openPages, openServer, type WebServer } from "../support/web-server.ts";

vi.mock("node:dns", async (original) => ({
  ...(await original<typeof import("node:dns")>()),
  lookup: (await import("../support/fake-resolver.ts")).lookup,
}));

const tools = ["http_request", "web_fetch"] as const;

/** A server that nothing may reach. */
const openTarget = (): Promise<WebServer> => openPages({ "/": ["text/plain", "reached"] });

describe.each(tools)("%s", (name) => {
  test.each(loopbackHosts)(
    "SR01, SR02: %s reaches nothing, although every call is allowed",
    async (host) => {
      const server = await openTarget();
      resolveTo("127.0.0.1");
      const { callText } = openTools([webTools({ allow: ["example.com"] })]);
      expect(await callText(name, { url: `http://${host}:${server.port}/` })).toMatch(
        /^permission_denied: /,
      );
      expect(server.connections).toBe(0);
    },
  );

  test.each(invalidUrls)(
    "SR10, SR11, SR14: %j is refused before anything is resolved",
    async (url) => {
      resolveTo("127.0.0.1");
      const { callText } = openTools([webTools({ allow: ["example.com"] })]);
      expect(await callText(name, { url })).toMatch(/^(?:invalid_arguments|permission_denied): /);
      expect(asked).toEqual([]);
    },
  );

  test("SR04: a name on the list that leads to a private address is refused", async () => {
    const server = await openTarget();
    resolveTo("127.0.0.1");
    const { callText } = openTools([webTools({ allow: [`example.com:${server.port}`] })]);
    expect(await callText(name, { url: `http://example.com:${server.port}/` })).toMatch(
      /^permission_denied: /,
    );
    expect(server.connections).toBe(0);
  });

  test("a name that leads to a private address the next time is resolved once for a connection", async () => {
    const server = await openTarget();
    resolveTo("192.0.2.1", "127.0.0.1");
    const { callText } = openTools([webTools()]);
    const url = `http://rebind-${name.replace("_", "-")}.example:${server.port}/`;
    expect(await callText(name, { url })).toMatch(/^permission_denied: /);
    expect(asked.length).toBe(1);
    expect(await callText(name, { url })).toMatch(/^permission_denied: /);
    expect(server.connections).toBe(0);
  });

  test("SR08: a chain of redirects to a private address ends before it", async () => {
    const target = await openTarget();
    const server = await openServer((request, response) => {
      const step = Number(request.url?.slice(1));
      const location = step < 3 ? `/${step + 1}` : `http://127.1:${target.port}/`;
      response.writeHead(302, { location }).end();
    });
    const { callText } = openTools([webTools({ allowPrivate: [server.host] })]);
    const text = await callText(name, { url: `${server.origin}/1` });
    expect(text).toMatch(new RegExp(`http://127(?:\\.0\\.0)?\\.1:${target.port}/`));
    expect(server.requests.length).toBe(3);
    expect(target.connections).toBe(0);
  });

  test.each(metadataHosts)("SR03: %s is refused, even if the host has listed it", async (host) => {
    const { callText } = openTools([webTools({ allowPrivate: [`${host}:80`] })]);
    expect(await callText(name, { url: `http://${host}/latest/meta-data` })).toMatch(
      /^permission_denied: /,
    );
  });
});
