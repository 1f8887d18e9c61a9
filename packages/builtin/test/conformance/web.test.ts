import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { conformance } from "@toolweave/conformance/vitest";
import { afterAll } from "vitest";
import { webTools } from "../../src/index.ts";

let changes = 0;
let isDown = false;
const server = createServer((request, response) => {
  if (isDown) return void request.socket.destroy();
  if (request.method === "POST") changes += 1;
  if (request.url === "/slow") return;
  response.setHeader("content-type", "text/html");
  response.end(
    request.url === "/large" ? "<p>A line of text.</p>".repeat(4_000) : "<h1>Hello</h1>",
  );
});
server.listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
const url = `http://${host}`;

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

conformance({
  name: "the tools for the web",
  create: () =>
    webTools({
      allowPrivate: [host],
      credentials: { key: { secret: "s3cret-of-the-host", hosts: [host] } },
    }),
  samples: {
    succeedingCalls: [
      { tool: "http_request", arguments: { url } },
      { tool: "web_fetch", arguments: { url } },
    ],
    failingCalls: [
      { tool: "http_request", arguments: { url: "http://127.0.0.1:1/" } },
      { tool: "web_fetch", arguments: { url: "file:///etc/passwd" } },
    ],
    slowCalls: [
      { tool: "http_request", arguments: { url: `${url}/slow` } },
      { tool: "web_fetch", arguments: { url: `${url}/slow` } },
    ],
    effectCalls: [
      {
        tool: "http_request",
        arguments: { url, method: "POST", body: "x" },
        count: () => changes,
      },
    ],
    largeCalls: [{ tool: "web_fetch", arguments: { url: `${url}/large` }, bytes: 50_000 }],
  },
  secrets: ["s3cret-of-the-host"],
  state: () => changes,
  outage: {
    begin: () => {
      isDown = true;
      server.closeAllConnections();
    },
    end: () => void (isDown = false),
  },
  without: {
    suspendingCalls: "a tool for the web does not ask a person itself",
    updatingCalls: "an answer is given when it is complete",
    generatedCalls: "any text could be the URL of a host that others run",
    change: "the tools for the web are always the same",
  },
});
