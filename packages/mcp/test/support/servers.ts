import { fileURLToPath } from "node:url";
import type { McpStdioServer } from "../../src/index.ts";

const cache = new URL("../../node_modules/.cache/compiled", import.meta.url);

/** The library as a child process. Compiled once: it is started often. */
export const libraryServer: McpStdioServer = {
  name: "library",
  command: process.execPath,
  args: [fileURLToPath(new URL("./library-server.ts", import.meta.url))],
  env: { NODE_COMPILE_CACHE: fileURLToPath(cache) },
};
