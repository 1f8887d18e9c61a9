import { describe, expect, test, vi } from "vitest";
import { asked, resolveTo } from "../support/fake-resolver.ts";
import { invalidUrls, loopbackHosts, metadataHosts } from "../support/forbidden-urls.ts";
import { openPages, openServer } from "../support/web-server.ts";
import { hasBrowser, openBrowser } from "./support/open-browser.ts";

vi.mock("node:dns", async (original) => ({
  ...(await original<typeof import("node:dns")>()),
  lookup: (await import("../support/fake-resolver.ts")).lookup,
}));

describe.runIf(hasBrowser)("browser", () => {
  test("SR01, SR02: no spelling of a private host is reached, although every call is allowed", async () => {
    const server = await openPages({ "/": ["text/plain", "reached"] });
    resolveTo("127.0.0.1");
    const { look } = openBrowser({ allow: ["example.com"] });
    for (const host of [...loopbackHosts, "private.example"]) {
      const url = `http://${host}:${server.port}/`;
      expect(`${url} ${await look({ action: "navigate", url })}`).toMatch(/ permission_denied: /);
    }
    expect(server.connections).toBe(0);
  });

  test("SR10, SR11, SR14: what is no URL of the web opens no browser", async () => {
    resolveTo("127.0.0.1");
    const { look } = openBrowser({ allow: ["example.com"] });
    for (const url of invalidUrls) {
      expect(`${url} ${await look({ action: "navigate", url })}`).toMatch(
        / (?:invalid_arguments|permission_denied): /,
      );
    }
    expect(await look({ action: "snapshot" })).toMatch(/^invalid_arguments: No browser is open/);
    expect(asked).toEqual([]);
  });

  test("SR03, SR04: hosts of the list are not reached at private addresses, nor those of a cloud's metadata", async () => {
    const server = await openPages({ "/": ["text/plain", "reached"] });
    resolveTo("127.0.0.1");
    const { look } = openBrowser({
      allow: [`example.com:${server.port}`],
      allowPrivate: metadataHosts.map((host) => `${host}:80`),
    });
    for (const host of [`example.com:${server.port}`, ...metadataHosts]) {
      expect(`${host} ${await look({ action: "navigate", url: `http://${host}/` })}`).toMatch(
        / permission_denied: /,
      );
    }
    expect(server.connections).toBe(0);
  });

  test("a name that leads to a private address the next time is resolved once for a connection", async () => {
    const server = await openPages({ "/": ["text/plain", "reached"] });
    resolveTo("192.0.2.1", "127.0.0.1");
    const { look } = openBrowser({ allow: [`rebind.example:${server.port}`] });
    const url = `http://rebind.example:${server.port}/`;
    expect(await look({ action: "navigate", url })).toMatch(/^permission_denied: /);
    expect(await look({ action: "navigate", url })).toMatch(/^permission_denied: /);
    expect(server.connections).toBe(0);
  });

  test("SR08: a chain of redirects to a private address ends before it, and the result names the host", async () => {
    const target = await openPages({ "/": ["text/plain", "reached"] });
    const server = await openServer((request, response) => {
      const step = Number(request.url?.slice(1));
      const location = step < 3 ? `/${step + 1}` : `http://127.1:${target.port}/`;
      response.writeHead(302, { location }).end();
    });
    const { look } = openBrowser({ allowPrivate: [server.host] });
    expect(await look({ action: "navigate", url: `${server.origin}/1` })).toContain(
      `Refused, because they are not on the list of hosts: 127.0.0.1:${target.port}`,
    );
    expect(target.connections).toBe(0);
  });
});
