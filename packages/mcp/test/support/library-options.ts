import { fileURLToPath } from "node:url";
import { compileCache } from "@toolweave/test-support";
import type { McpStdioServer } from "../../src/index.ts";

/** The library as a child process. Compiled once: it is started often. */
export const libraryServer: McpStdioServer = {
  name: "library",
  command: process.execPath,
  args: [fileURLToPath(new URL("./library-server.ts", import.meta.url))],
  env: compileCache,
};
