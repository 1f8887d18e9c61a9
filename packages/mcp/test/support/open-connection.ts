import { fileURLToPath } from "node:url";
import { compileCache } from "@toolweave/test-support";
import { onTestFinished } from "vitest";
import { connect } from "../../src/transport/connect.ts";
import type { ConnectOptions, McpConnection } from "../../src/transport/messages/mcp-connection.ts";
import type { McpServer, McpStdioServer } from "../../src/index.ts";

/** A connection that is closed when the test is done. */
export async function connected(
  server: McpServer,
  options: Partial<ConnectOptions> = {},
): Promise<McpConnection> {
  const connection = await connect(server, {
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    capabilities: {},
    onNotification() {},
    onRequest({ method }) {
      throw new Error(`${method} is not expected`);
    },
    ...options,
  });
  onTestFinished(() => connection.close());
  return connection;
}

/**
 * The server that violates the wire format, created for each test: the findings about it are cached
 * with its options.
 */
export function rawServer(): McpStdioServer {
  const args = [fileURLToPath(new URL("./raw-server.ts", import.meta.url))];
  return { name: "raw", command: process.execPath, args, env: compileCache };
}

/** The text of a tool's answer. */
export async function readText(
  connection: McpConnection,
  name: string,
  args: Record<string, string | number> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<string | undefined> {
  const params = { name, arguments: args };
  const answer = await connection.request("tools/call", params, { signal });
  return (answer as { readonly content: readonly { readonly text?: string }[] }).content[0]?.text;
}
