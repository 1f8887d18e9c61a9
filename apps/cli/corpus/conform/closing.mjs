// Loaded before a server: while the file at SERVER_CLOSED is there, the server ends, and does not start. As long as it runs
// a file named after its process is in the folder at SERVER_RUNNING.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const { SERVER_CLOSED: closed = "", SERVER_RUNNING: running = "" } = process.env;
const mine = join(running, String(process.pid));
const look = () => {
  if (existsSync(closed)) process.exit(1);
};
// In this order: the code that closes the servers waits for the existing ones.
writeFileSync(mine, "");
process.on("exit", () => rmSync(mine, { force: true }));
look();
setInterval(look, 10).unref();
