import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { mcpSource } from "../../src/index.ts";
import { forwardToClient, serveMcp, type McpGateway } from "../../src/gateway/index.ts";
import { answer, httpLibrary } from "./http-library.ts";

/**
 * Libraries behind gateways, in a process of their own: another gateway with a library of its own at each path; at those
 * that end in `/asks` the client is asked at once. Says where they are; `pause` cuts all connections and takes none until
 * `resume`.
 */
const gateways = new Map<string, Promise<McpGateway>>();

/** What one gateway has signed another one takes: they are the processes of one host. */
const key = "0123456789abcdef0123456789abcdef";

const gatewayOf = (path: string, authorization: string): Promise<McpGateway> => {
  const known = gateways.get(path) ?? begin(path, authorization);
  gateways.set(path, known);
  return known;
};

const begin = async (path: string, authorization: string): Promise<McpGateway> => {
  const library = await httpLibrary();
  const registry = new ToolRegistry([
    mcpSource({
      name: "library",
      prefix: false,
      url: library.url,
      // Each gateway has a library of its own, and all of them are the same program.
      declaration: "library",
      headers: { authorization },
      ...(path.endsWith("/asks") ? forwardToClient : {}),
    }),
  ]);
  await registry.ready;
  const executor = new ToolExecutor({
    registry,
    policy: "autonomous",
    key,
    // Whoever the gateway is a source of shortens what its model is shown.
    maxOutputBytes: Infinity,
  });
  return serveMcp(registry, executor, { key });
};

const server = createServer((request, response) => {
  const { url = "/", headers } = request;
  const gateway = gatewayOf(url, `${headers.authorization}`);
  void answer(async (asked) => (await gateway).fetch(asked), request, response);
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;

process.on("message", async (said) => {
  if (said === "pause") {
    const closed = once(server.close(), "close");
    server.closeAllConnections();
    await closed;
  } else await once(server.listen(port, "127.0.0.1"), "listening");
  process.send?.(said);
});
process.once("disconnect", () => process.exit());
process.send?.(`http://127.0.0.1:${port}`);
