import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { mcpSource, type McpServer, type McpSource } from "../../src/index.ts";
import { forwardToClient, serveMcp, type McpGateway } from "../../src/gateway/index.ts";

/**
 * One server behind a gateway that adds nothing: everything is allowed, and questions are sent to
 * the client.
 */
export function gatewayOver(server: McpServer): {
  readonly source: McpSource;
  readonly gateway: McpGateway;
} {
  const source = mcpSource({ ...server, ...forwardToClient });
  const registry = new ToolRegistry([source]);
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  const gateway = serveMcp(registry, executor, { providers: [source.provider], search: false });
  return { source, gateway };
}

// Over standard input and output: `node equality-gateway.ts '<the server as JSON>'`.
const [, program, given] = process.argv;
if (program === import.meta.filename && given !== undefined) {
  const { source, gateway } = gatewayOver(JSON.parse(given) as McpServer);
  await gateway.stdio().closed;
  await gateway.close();
  await source.close();
}
