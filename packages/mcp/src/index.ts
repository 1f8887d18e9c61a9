export { mcpSource } from "./mcp-source.ts";
export type { McpSource } from "./mcp-source.ts";
export type { McpClient } from "./connection.ts";
export type {
  McpConnectedClient,
  McpHttpServer,
  McpServer,
  McpStdioServer,
} from "./mcp-options.ts";
