import type { ServerRequestOptions } from "./server-request-options.ts";
import type { McpAuth } from "./auth-options.ts";
import type { Awaitable, JsonValue } from "@toolweave/core";

/** Options for the lifecycle of a connection. */
interface LifecycleOptions {
  /**
   * `eager`: connects at once, and reconnects whenever the connection is lost, with growing delays while that fails.
   * `lazy`: connects for a call, and closes some time after the last one; with a `cache` not even for the first list.
   * Default: `eager`.
   */
  readonly connect?: "eager" | "lazy";
  /**
   * Stores the server's list: the tools of the last list are available at once, and the list is refreshed as soon as
   * there is a connection.
   */
  readonly cache?: ListCache;
  /**
   * Handling of the tools while the server cannot be connected to. `keep`: they stay and are unavailable. `drop`: they
   * are removed, and return with the connection. Default: `keep`.
   */
  readonly whenUnavailable?: "keep" | "drop";
}

/** Selection of what a server offers as tools. */
export interface ToolSelection extends Selection {
  /** Tools that list and read the server's resources: `list_resources`, `list_resource_templates`, `read_resource`. Default: none. */
  readonly resources?: boolean;
  /** Tools that list and get the server's prompts: `list_prompts`, `get_prompt`. Default: none. */
  readonly prompts?: boolean;
}

interface ServerBase extends LifecycleOptions, ToolSelection, ServerRequestOptions {
  /** Name of the source, and the default of `prefix`. */
  readonly name: string;
  /**
   * Prefix of every tool's name: `files` makes `files__read_file`. Default: the server's `name` in canonical form.
   * `false`: the tools have the server's names.
   */
  readonly prefix?: string | false;
  /**
   * The server's annotations may loosen a policy decision: for servers that you wrote or fully trust. Default: false;
   * annotations can only tighten one.
   */
  readonly trustAnnotations?: boolean;
  /**
   * Declaration of the server in its configuration, with references such as `${NAME}` in place of their values. Only
   * its digest is part of the tools' provenance (`program`), so that it is the same on every machine and with every
   * secret. Default: derived from the command and its arguments, else from the URL.
   */
  readonly declaration?: string;
  /**
   * Milliseconds for connecting and the first list, and for one call. 0: no limit. Default: 60,000; for a call the
   * executor's timeout.
   */
  readonly timeoutMs?: number;
}

/** A server that runs as a child process and communicates over its standard input and output. */
export interface McpStdioServer extends ServerBase {
  /** The program. On Windows an executable file: for `npx`, use `cmd` with `/c npx …`. */
  readonly command: string;
  readonly args?: readonly string[];
  /**
   * Environment variables for the server. Of the host's own variables it receives only those that programs need to
   * run: `PATH`, `HOME`, `USER`, `SHELL`, `TERM`, `TMPDIR`, the locale and time zone, and what Windows needs; and those
   * with which they reach the network: `NODE_EXTRA_CA_CERTS`, `SSL_CERT_FILE`, `SSL_CERT_DIR`, `NODE_USE_SYSTEM_CA`,
   * `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`, `NODE_USE_ENV_PROXY`, also in lower case, and
   * `NPM_CONFIG_*` without credentials. A proxy's address may contain a password: set the variable in `env` to
   * withhold it. Values of variables whose names look secret (`…_TOKEN`, `…_KEY`) are redacted.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Working folder of the server. Default: the host's. */
  readonly cwd?: string;
}

/** A server that is reached over Streamable HTTP. */
export interface McpHttpServer extends ServerBase {
  /** `https://mcp.example.com/mcp` */
  readonly url: string | URL;
  /** Sent with every request. Values of headers whose names look secret are redacted. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Credentials of calls, beside `headers`. Default: none; a server that requires a sign-in fails with an error that
   * says so.
   */
  readonly auth?: McpAuth;
  /**
   * Private origins that a sign-in may reach: those of authorization servers in your own network. The server's own
   * origin, that of `auth.oauth.issuer` and public ones need not be listed.
   */
  readonly allowOrigins?: readonly string[];
}

/** A server that the host has connected to itself. */
export interface McpConnectedClient extends ServerBase {
  /**
   * A connected client of the official SDK, 1.x (from 1.20) or 2.x. It stays open when the source is closed, and
   * keeps its handlers.
   */
  readonly client: McpClient;
}

/** An MCP server, and how it is reached. */
export type McpServer = McpStdioServer | McpHttpServer | McpConnectedClient;

/** Selection and names of tools. */
export interface Selection {
  /**
   * Only tools whose name on the server matches one of these globs: `*` is any number of characters, `?` is one.
   * Default: all.
   */
  readonly include?: readonly string[];
  /** Omits tools whose name on the server matches one of these globs. Default: none. */
  readonly exclude?: readonly string[];
  /** New names by the server's names: `{ "get-sum": "add" }`. The prefix is added to them too. */
  readonly rename?: Readonly<Record<string, string>>;
}

/**
 * Stores the lists of servers across processes. A stored list is validated like one from the server. If the cache
 * fails, the list is requested.
 */
export interface ListCache {
  /** Returns the list stored under this key; `undefined`: none. */
  get(key: string): Awaitable<JsonValue | undefined>;
  set(key: string, list: JsonValue): Awaitable<void>;
}

/** Members of a transport that are used. */
export interface HostTransport {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
}

/**
 * A connected `Client` of the official SDK: `@modelcontextprotocol/client` 2.x, or `@modelcontextprotocol/sdk` 1.x
 * from 1.20 on. Only the members in use are declared, so that any copy of either matches.
 */
export interface McpClient {
  readonly transport?: HostTransport | undefined;
  fallbackRequestHandler?:
    | ((request: never, extra: never) => Promise<Record<string, unknown>>)
    | undefined;
  getServerVersion(): { readonly name: string; readonly version: string } | undefined;
  getServerCapabilities(): object | undefined;
  getInstructions(): string | undefined;
  /** Members of 2.x only. */
  getProtocolEra?(): string | undefined;
  getNegotiatedProtocolVersion?(): string | undefined;
  // The parameters of the two SDK generations have nothing in common but their number: see `RequestSender`.
  request(request: never, schema: never, options?: never): Promise<unknown>;
  notification(notification: never): Promise<void>;
}
