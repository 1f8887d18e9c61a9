import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { chromium } from "playwright-core";
import { browserTools } from "../../../src/index.ts";

// In a network of its own, whose name server is this process: opens a page that makes a browser resolve names, and prints
// those that were asked for, once by a browser without our settings and once by ours.
const [, , executablePath = ""] = process.argv;
let asked: string[] = [];
const resolver = createSocket("udp4");
resolver.on("message", (query) => {
  // The name of the question: RFC 1035, section 4.1.2.
  const labels: string[] = [];
  for (let at = 12; (query[at] ?? 0) > 0; at += (query[at] ?? 0) + 1) {
    labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)));
  }
  asked.push(labels.join("."));
});
resolver.bind(53, "127.0.0.1");
await once(resolver, "listening");
const server = createServer((_, response) => {
  response.setHeader("content-type", "text/html");
  response.end(
    `<link rel="dns-prefetch" href="http://prefetched.test/"><link rel="preconnect" href="http://preconnected.test/">
     <a href="http://linked.test/">link</a><img src="http://image.test/x.png"><script>new WebSocket("ws://socket.test/");</script>`,
  );
}).listen(0, "127.0.0.1");
await once(server, "listening");
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

const context = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), "bare-")), {
  executablePath,
  chromiumSandbox: false,
});
await context.newPage().then((page) => page.goto(`http://${host}/`, { waitUntil: "commit" }));
await new Promise((resolve) => setTimeout(resolve, 2_000));
await context.close();
const bare = [...new Set(asked)].toSorted();
asked = [];

const registry = new ToolRegistry([browserTools({ allowPrivate: [host], sandbox: false })]);
const executor = new ToolExecutor({ registry, policy: "autonomous" });
for (const args of [
  { action: "navigate", url: `http://${host}/` },
  { action: "wait", seconds: 2 },
]) {
  const outcome = await executor.execute({ id: args.action, name: "browser", arguments: args });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
}
await registry.close();
process.stdout.write(JSON.stringify({ bare, ours: [...new Set(asked)].toSorted() }));
process.exit();
