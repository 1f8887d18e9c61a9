import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { conformance } from "@toolweave/conformance/vitest";
import { isFullRun } from "@toolweave/test-support";
import { afterAll, describe } from "vitest";
import { browserTools } from "../../src/index.ts";
import { hasBrowser } from "../browser/support/open-browser.ts";

const server = createServer((request, response) => {
  if (request.url === "/slow") return;
  response.setHeader("content-type", "text/html");
  response.end("<h1>Hello</h1>");
});
server.listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
const url = `http://${host}`;

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

// Each test starts a browser.
describe.skipIf(!hasBrowser || !isFullRun)("in chromium (a full run, needs chromium)", () => {
  conformance({
    name: "the tools for a browser",
    create: () => browserTools({ allowPrivate: [host], sandbox: process.getuid?.() !== 0 }),
    samples: {
      succeedingCalls: [{ tool: "browser", arguments: { action: "navigate", url } }],
      failingCalls: [
        { tool: "browser", arguments: { action: "navigate", url: "file:///etc/passwd" } },
        { tool: "browser", arguments: { action: "snapshot" } },
        { tool: "browser_act", arguments: { action: "click", ref: "e1" } },
      ],
      slowCalls: [{ tool: "browser", arguments: { action: "navigate", url: `${url}/slow` } }],
    },
    knownFailing: {
      "TW-CONC-007": "calls of one session wait for each other, since they share a page",
    },
    without: {
      state: "the state is a page, which other calls display",
      effectCalls: "an action needs a page that an earlier call has opened",
      largeCalls: "a page is read in parts",
      secrets: "a browser has no credentials",
      outage: "a page that cannot be opened is a failing call",
      suspendingCalls: "a tool for a browser does not ask a person itself",
      updatingCalls: "an answer is given when it is complete",
      generatedCalls: "any text could be the URL of a host that others run",
      change: "the tools for a browser are always the same",
    },
  });
});
