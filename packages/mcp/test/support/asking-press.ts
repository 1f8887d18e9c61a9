import { fileURLToPath } from "node:url";
import { compileCache } from "@toolweave/test-support";
import type { McpStdioServer } from "../../src/index.ts";
import type { AskOptions } from "../../src/options/ask-options.ts";

/** The press as a child process, in one generation of the protocol. */
export function pressServer(era: "modern" | "legacy", options: AskOptions = {}): McpStdioServer {
  const args = [fileURLToPath(new URL("./asking-server.ts", import.meta.url)), era];
  return {
    name: "press",
    prefix: false,
    command: process.execPath,
    args,
    env: compileCache,
    ...options,
  };
}
