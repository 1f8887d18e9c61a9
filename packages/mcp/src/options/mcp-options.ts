import type { AskOptions } from "./ask-options.ts";
import type { McpAuth } from "./auth-options.ts";
import type { Awaitable, JsonValue } from "@toolweave/core";

/** How the connection to a server lives. */
interface LifecycleOptions {
  /**
   * `eager`: connects at once, and again whenever the connection is lost: later and later while that fails. `lazy`:
   * connects for a call, and ends a while after the last one; with a `cache` not even for the first list. Default: `eager`.
   */
  readonly connect?: "eager" | "lazy";
  /** Keeps what the server lists: the tools of last time are there at once, and the list is asked for as soon as there is a connection. */
  readonly cache?: ListCache;
  /**
   * What becomes of the tools while there is no connection and none can be made. `keep`: they stay, and are unavailable.
   * `drop`: they go, and come back. Default: `keep`.
   */
  readonly whenUnavailable?: "keep" | "drop";
}

/** What of a server is offered as tools. */
export interface OfferOptions extends Selection {
  /** Tools that list and read the server's resources: `list_resources`, `list_resource_templates`, `read_resource`. Default: none. */
  readonly resources?: boolean;
  /** Tools that list and fill in the server's prompts: `list_prompts`, `get_prompt`. Default: none. */
  readonly prompts?: boolean;
}

interface ServerBase extends LifecycleOptions, OfferOptions, AskOptions {
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
  /**
   * How the server is declared where it is configured, with references such as `${NAME}` in place of their values. Its
   * digest, and no other part of it, is in the provenance of the tools (`program`), so that it is the same on every
   * machine and with every secret. Default: made of the command and its arguments, else of the URL.
   */
  readonly declaration?: string;
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
  /** What calls are authorised with, beside `headers`. Default: nothing; a server that wants a sign-in says so in an error. */
  readonly auth?: McpAuth;
  /**
   * Origins that a sign-in may reach although they are private: those of authorization servers on your own network.
   * The server's own origin, that of `auth.oauth.issuer` and public ones need not stand here.
   */
  readonly allowOrigins?: readonly string[];
}

/** A server that the host has connected to by itself. */
export interface McpConnectedClient extends ServerBase {
  /** A connected client of the official SDK, 1.x (from 1.20) or 2.x. It stays open when the source closes, and keeps its handlers. */
  readonly client: McpClient;
}

/** An MCP server, and how to reach it. */
export type McpServer = McpStdioServer | McpHttpServer | McpConnectedClient;

/** Which tools are wanted, and what they are called here. */
export interface Selection {
  /**
   * Only the tools whose own name, as the server has it, one of these globs fits: `*` is any run of characters, `?` is
   * one. Default: all.
   */
  readonly include?: readonly string[];
  /** Without the tools whose own name one of these globs fits. Default: none. */
  readonly exclude?: readonly string[];
  /** Names of ours by the server's own: `{ "get-sum": "add" }`. The prefix comes before them, too. */
  readonly rename?: Readonly<Record<string, string>>;
}

/**
 * Keeps what servers list from one process to the next. What comes out of it is treated as what a server says. One that
 * fails changes nothing but that the list has to be asked for.
 */
export interface ListCache {
  /** The list that was kept last under this key; `undefined`: none. */
  get(key: string): Awaitable<JsonValue | undefined>;
  set(key: string, list: JsonValue): Awaitable<void>;
}

/** As much of a transport as is listened to. */
export interface HostTransport {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
}

/**
 * A connected `Client` of the official SDK: `@modelcontextprotocol/client` 2.x, or `@modelcontextprotocol/sdk` 1.x from
 * 1.20 on. Only what is used of it is named, so that any copy of either fits.
 */
export interface McpClient {
  readonly transport?: HostTransport | undefined;
  fallbackRequestHandler?:
    | ((request: never, extra: never) => Promise<Record<string, unknown>>)
    | undefined;
  getServerVersion(): { readonly name: string; readonly version: string } | undefined;
  getServerCapabilities(): object | undefined;
  getInstructions(): string | undefined;
  /** Of 2.x only. */
  getProtocolEra?(): string | undefined;
  getNegotiatedProtocolVersion?(): string | undefined;
  // The parameters of the two lines have nothing in common but their number: see `Sending`.
  request(request: never, schema: never, options?: never): Promise<unknown>;
  notification(notification: never): Promise<void>;
}
