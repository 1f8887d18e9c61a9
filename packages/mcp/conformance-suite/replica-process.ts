/**
 * One of several gateways that the suite is run against, as a child process. Its arguments are its port, the key and
 * the file of the store. It sends its parent "ready", and what a tool changes; it changes what its parent sends.
 */
import { sqliteStore } from "@toolweave/stores";
import { suiteServer } from "./server.ts";

const [port = "", key = "", file = ""] = process.argv.slice(2);
const { pendingCalls, tasks } = sqliteStore(file);
const server = await suiteServer({
  port: Number(port),
  key,
  stores: { pendingCalls, tasks },
  onChange: (kind) => process.send?.(kind),
});
process.on("message", (kind: "tools" | "prompts") => server.change(kind));
process.once("disconnect", () => process.exit());
process.send?.("ready");
