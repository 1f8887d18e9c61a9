import { fileURLToPath } from "node:url";
import { compileCache } from "@toolweave/test-support";
import type { McpStdioServer } from "../../src/index.ts";
import type { ServerRequestOptions } from "../../src/options/server-request-options.ts";

/** The press as a child process, in one generation of the protocol. */
export function pressServer(
  era: "modern" | "legacy",
  options: ServerRequestOptions = {},
): McpStdioServer {
  const args = [fileURLToPath(new URL("./requesting-server.ts", import.meta.url)), era];
  return {
    name: "press",
    prefix: false,
    command: process.execPath,
    args,
    env: compileCache,
    ...options,
  };
}
