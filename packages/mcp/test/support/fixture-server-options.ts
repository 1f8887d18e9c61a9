import { fileURLToPath } from "node:url";
import { compileCache } from "@toolweave/test-support";
import type { McpStdioServer } from "../../src/index.ts";

/**
 * The fixture server as a child process; each one has its own state. Compiled once: it is started
 * often.
 */
export const fixtureStdio: McpStdioServer = {
  name: "fixture",
  command: process.execPath,
  args: [fileURLToPath(new URL("./fixture-server.ts", import.meta.url))],
  env: compileCache,
};
