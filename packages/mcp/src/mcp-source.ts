import { loadedSource, type LoadedSource, type ToolSource } from "@toolweave/core";
import { checkServer } from "./check-server.ts";
import type { McpServer } from "./mcp-options.ts";
import { secretsOf } from "./server-secrets.ts";
import { ServerSession } from "./server-session.ts";

/** The tools of an MCP server. */
export type McpSource = ToolSource;

/**
 * The tools of an MCP server. Returns at once and connects; `ready` rejects with a `ToolError`
 * (`unavailable`, `auth_required`, `timeout`, …) when that fails. Follows the server's changes.
 *
 * @throws ToolError `internal` when an option cannot be meant.
 * @example
 * ```ts
 * const files = mcpSource({ name: "files", command: "my-file-server", args: ["."] });
 * const registry = new ToolRegistry([files]);
 * ```
 */
export function mcpSource(server: McpServer): McpSource {
  checkServer(server);
  let session: ServerSession | undefined;
  const source: LoadedSource = loadedSource({
    id: server.name,
    load: (signal) => {
      session ??= new ServerSession(server, signal, () => void source.refresh());
      return session.list();
    },
    trustAnnotations: server.trustAnnotations === true,
    secrets: secretsOf(server),
    close: () => session?.close(),
  });
  return source;
}
