import type { ToolExecutor } from "@toolweave/core";
import type { PendingCallStore } from "@toolweave/core/stores";
import type { ConsoleAuthenticate } from "./authentication/console-caller.ts";
import type { ConsoleSessions } from "./authentication/console-sessions.ts";
import type { ConsoleFile } from "./page/page-files.ts";

/** The stores that the API reads. */
export interface ConsoleStores {
  /** The store of the executor. */
  readonly pendingCalls: PendingCallStore;
}

/** Options of `consoleHandler`. */
export interface ConsoleOptions {
  /** Runs the calls that are approved. Its grants are listed and revoked. */
  readonly executor: ToolExecutor;
  readonly stores: ConsoleStores;
  /**
   * Determines the sender of a request whose token is not that of a session; `bearerTokens` returns such a function.
   * Default: only sessions are accepted.
   */
  readonly authenticate?: ConsoleAuthenticate;
  /** The sessions of browsers. Default: none. */
  readonly sessions?: ConsoleSessions;
  /**
   * The files of the page by path, such as `/assets/page-4f2a.js`. They need no token. `/index.html` is the document of
   * all screens. Default: there is no page.
   */
  readonly files?: ReadonlyMap<string, ConsoleFile>;
  /**
   * The addresses of the server, exactly (scheme, host and port): `https://agents.example.com`. Requests whose `Host`
   * or `Origin` is another one are refused. The first one is in the OpenAPI document.
   */
  readonly origins: readonly string[];
  /** The path under which the handler is mounted, such as `/console`. Default: none. */
  readonly path?: string;
}

/** The names of the options, for the check of unknown ones. */
export const optionNames: readonly string[] = [
  "executor",
  "stores",
  "authenticate",
  "sessions",
  "files",
  "origins",
  "path",
] satisfies readonly (keyof ConsoleOptions)[];
