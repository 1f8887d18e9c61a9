import { readCommand } from "./command.ts";
import { openHost } from "./host.ts";
import { startWebServer } from "./web-server.ts";

const usage = `Usage: approver [--folder <path>] [--port <number>]

Shows what the agent has left for a person, on a page for your browser alone, and runs what you
approve. Ends with Ctrl-C; pending calls stay pending.

Options:
  --folder <path>   what the two processes share (default: "data", beside this example's README)
  --port <number>   of 127.0.0.1 (default: any that is free)
  --help`;

const { folder, values } = readCommand(usage, { port: { type: "string", default: "0" } });
const port = Number(values["port"]);
if (!/^\d+$/.test(String(values["port"])) || port > 65_535) {
  process.stderr.write("--port takes a number from 0 to 65535.\n");
  process.exit(2);
}
const host = openHost(folder);
const server = await startWebServer(host, port, process.env["USER"] ?? "you").catch(
  async (error: NodeJS.ErrnoException) => {
    await host.close();
    const why = error.code === "EADDRINUSE" ? "it is in use" : error.message;
    process.stderr.write(`Port ${port} cannot be listened on: ${why}.\n`);
    process.exit(1);
  },
);
process.stdout.write(`Open ${server.startUrl}\n`);

const stop = (): void => void server.close().then(() => host.close());
process.once("SIGINT", stop).once("SIGTERM", stop);
