import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { library } from "./library.ts";

const world = { edition: 0 };
serveStdio(() => library(world));
