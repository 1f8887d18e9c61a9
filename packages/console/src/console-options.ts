import type { ToolExecutor } from "@toolweave/core";
import type { PendingCallStore } from "@toolweave/core/stores";
import type { ConsoleAuthenticate } from "./authentication/console-caller.ts";

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
  /** Determines the sender of each request; `bearerTokens` returns one. */
  readonly authenticate: ConsoleAuthenticate;
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
  "origins",
  "path",
] satisfies readonly (keyof ConsoleOptions)[];
