import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { mcpSource } from "../../src/index.ts";
import { forwardToClient, serveMcp, type McpGateway } from "../../src/gateway/index.ts";
import { answer, httpLibrary } from "./http-library.ts";

/**
 * Libraries behind gateways, in a child process: another gateway with its own library at each path;
 * at those that end in `/asks` the client is asked at once. Returns their URLs; `pause` cuts all
 * connections and accepts none until `resume`.
 */
const gateways = new Map<string, Promise<McpGateway>>();

/** A state that one gateway has signed is accepted by another: they are processes of one host. */
const key = "0123456789abcdef0123456789abcdef";

const openGateway = (path: string, authorization: string): Promise<McpGateway> => {
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
      // Each gateway has its own library, and all of them are the same program.
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
    // The host that uses the gateway as a source shortens its model's descriptions.
    maxOutputBytes: Infinity,
  });
  return serveMcp(registry, executor, { key });
};

const server = createServer((request, response) => {
  const { url = "/", headers } = request;
  const gateway = openGateway(url, `${headers.authorization}`);
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
