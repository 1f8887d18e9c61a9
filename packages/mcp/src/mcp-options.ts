import type { McpClient } from "./connection.ts";

interface ServerBase {
  /** Names the source among others, and its tools: see `prefix`. */
  readonly name: string;
  /**
   * Before every tool's name: `files` makes `files__read_file`. Default: the server's `name`, made
   * canonical. `false`: the names are the server's own.
   */
  readonly prefix?: string | false;
  /**
   * What the server says of its tools may loosen a decision: for servers that you wrote, or trust as
   * if you had. Default: false; its hints can only tighten one.
   */
  readonly trustAnnotations?: boolean;
  /** Milliseconds for connecting and the first list, and for one call. 0: no limit. Default: 60,000; for a call the executor's. */
  readonly timeoutMs?: number;
}

/** A server that runs as a child process and speaks over its standard input and output. */
export interface McpStdioServer extends ServerBase {
  /** The program. On Windows an executable file: for `npx`, use `cmd` with `/c npx …`. */
  readonly command: string;
  readonly args?: readonly string[];
  /**
   * Environment variables for the server. Of the host's own it gets only those that programs need to
   * run: `PATH`, `HOME`, `USER`, `SHELL`, `TERM`, `TMPDIR`, the locale and time zone, and what Windows
   * needs. Values of names that look secret (`…_TOKEN`, `…_KEY`) come out of no executor.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Where the server runs. Default: the host's folder. */
  readonly cwd?: string;
}

/** A server that is reached over Streamable HTTP. */
export interface McpHttpServer extends ServerBase {
  /** `https://mcp.example.com/mcp` */
  readonly url: string | URL;
  /** Sent with every request. Those whose names say that they hold credentials never come out. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server that the host has connected to by itself. */
export interface McpConnectedClient extends ServerBase {
  /** A connected client of the SDK, from version 2. It stays open when the source closes. */
  readonly client: McpClient;
}

/** An MCP server, and how to reach it. */
export type McpServer = McpStdioServer | McpHttpServer | McpConnectedClient;
