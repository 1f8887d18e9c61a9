import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { McpServer, McpStdioServer } from "../../src/index.ts";
import { realServer } from "./real-servers.ts";

const packageName = "@modelcontextprotocol/server-everything";
const preload = fileURLToPath(new URL("./loopback-preload.ts", import.meta.url));

/** The transports of the everything server. */
export const everythingTransports = ["stdio", "Streamable HTTP", "SSE"] as const;

/** One of them. */
export type EverythingTransport = (typeof everythingTransports)[number];

/** The everything server, and the function that stops its process. */
export interface Everything {
  /** For `mcpSource`. */
  readonly server: McpServer;
  stop(): Promise<void>;
}

/** Options of the source, for any transport; `env` is for stdio. */
export type EverythingOptions = Partial<Omit<McpStdioServer, "command" | "args">>;

/** The everything server over one of its transports; over HTTP it is started here, as a child on loopback. */
export async function everything(
  transport: EverythingTransport,
  { env: given, ...options }: EverythingOptions = {},
): Promise<Everything> {
  const more = { name: "everything", prefix: false, ...options } as const;
  if (transport === "stdio") {
    const server = realServer(packageName, [], given === undefined ? {} : { env: given });
    return { server: { ...server, ...more }, stop: async () => {} };
  }
  const { args = [], env } = realServer(packageName);
  const [program = ""] = args;
  const isSse = transport === "SSE";
  const child = fork(program, [isSse ? "sse" : "streamableHttp"], {
    execArgv: ["--import", preload],
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const [port] = (await once(child, "message")) as [number];
  const url = `http://127.0.0.1:${port}/${isSse ? "sse" : "mcp"}`;
  return { server: { url, ...more }, stop: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
