import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { chromium } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { openServer, type WebServer } from "../support/web-server.ts";
import { browserPath, hasBrowser, openBrowser } from "./support/open-browser.ts";
import {
  hostilePage,
  hostileWorker,
  openTarget,
  type ForbiddenTarget,
} from "./support/hostile-page.ts";

/** The server of the hostile page. */
function openHostile({ server, udpPort }: ForbiddenTarget): Promise<WebServer> {
  return openServer((request, response) => {
    if (request.url === "/redirect") {
      return void response.writeHead(302, { location: `${server.origin}/redirected` }).end();
    }
    const isWorker = request.url === "/worker.js";
    response.setHeader("content-type", isWorker ? "text/javascript" : "text/html");
    response.setHeader(
      "content-security-policy-report-only",
      `img-src 'self'; report-uri ${server.origin}/report`,
    );
    response.end(isWorker ? hostileWorker(server.host) : hostilePage(server.host, udpPort));
  });
}

/** A process can have a network, and a resolver of names, of its own. */
const canIsolate = process.getuid?.() === 0 && existsSync("/usr/bin/bwrap");

/** The ways by which the page reaches its target in a browser without our settings. */
const ways: readonly string[] = [
  ..."audio background beacon download embed events favicon.ico fetch font form iframe img import".split(
    " ",
  ),
  ..."manifest module modulepreload object open payment ping prefetch preload redirected report".split(
    " ",
  ),
  ..."script speculation srcset stylesheet svg video websocket worker-fetch worker-import".split(
    " ",
  ),
  ..."worker-websocket xhr".split(" "),
].map((name) => `/${name}`);

const waiting = { timeout: 30_000, interval: 200 };

describe.runIf(hasBrowser)("a hostile page", () => {
  test("reaches nothing outside the list, in any of the ways in which it reaches it otherwise", async () => {
    // The same page in a browser without our settings, so that the test is known to find what gets through.
    const open = await openTarget();
    const page = await openHostile(open);
    const folder = tempFolder();
    const context = await chromium.launchPersistentContext(folder, {
      executablePath: browserPath,
      chromiumSandbox: false,
    });
    const tab = await context.newPage();
    await tab.goto(page.origin, { waitUntil: "commit" });
    await vi.waitFor(() => {
      expect(open.reached()).toEqual(expect.arrayContaining([...ways]));
      expect(open.datagrams()).toBeGreaterThan(0);
    }, waiting);
    await context.close();

    const target = await openTarget();
    const hostile = await openHostile(target);
    const { look } = openBrowser({ allowPrivate: [hostile.host] });
    await look({ action: "navigate", url: hostile.origin });
    // The attempts are known by their refusals; some of them are seen by the proxy alone.
    const seen = new Set<string>();
    await vi.waitFor(async () => {
      for (const line of (await look({ action: "network" })).split("\n")) seen.add(line);
      expect([...seen]).toEqual(expect.arrayContaining([expect.stringContaining("/download")]));
    }, waiting);
    await look({ action: "wait", seconds: 1 });
    await look({ action: "close" });
    expect(target.reached()).toEqual([]);
    expect(target.server.connections).toBe(0);
    expect(target.datagrams()).toBe(0);
  });

  test.runIf(canIsolate)("makes the browser resolve no name", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "resolv.conf"), "nameserver 127.0.0.1\n");
    const program = new URL("support/resolving-process.ts", import.meta.url).pathname;
    const args = [
      ...["--unshare-net", "--dev-bind", "/", "/"],
      ...["--ro-bind", join(folder, "resolv.conf"), "/etc/resolv.conf"],
      ...[process.execPath, "--conditions=@toolweave/source", program, browserPath],
    ];
    const { stdout } = await promisify(execFile)("bwrap", args);
    const { bare, ours } = JSON.parse(stdout) as {
      readonly bare: string[];
      readonly ours: string[];
    };
    expect(bare).toEqual(
      expect.arrayContaining(["image.test", "preconnected.test", "prefetched.test", "socket.test"]),
    );
    expect(ours).toEqual([]);
  });
});
