import { existsSync } from "node:fs";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { library } from "./library.ts";

// While this file exists the library is closed.
const closed = process.env["LIBRARY_CLOSED"];
if (closed !== undefined) {
  const look = (): void => {
    if (existsSync(closed)) process.exit(1);
  };
  look();
  setInterval(look, 10).unref();
}

const world = { edition: 0 };
// Its own transport supports the older generation only.
if (process.argv.includes("legacy")) await library(world).connect(new StdioServerTransport());
else serveStdio(() => library(world));
