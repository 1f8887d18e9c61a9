import { checks, type OptionChecks } from "@toolweave/core/adapter";
import type { JsonObject, ToolExecutor } from "@toolweave/core";
import type { AuditReader, MemoryStore, PendingCallStore } from "@toolweave/core/stores";
import type { ConsoleAuthenticate } from "./authentication/console-caller.ts";
import type { ConsoleSessions } from "./authentication/console-sessions.ts";
import type { ConsoleOwners } from "./authentication/visibility.ts";
import type { ConsoleLock } from "./lock/lock-difference.ts";
import type { ConsoleRecording } from "./runs/recording.ts";
import type { ConsoleFile } from "./page/page-files.ts";

/** The stores that the API reads. */
export interface ConsoleStores {
  /** The store of the executor. */
  readonly pendingCalls: PendingCallStore;
  /** The memory of agents, if the store can search that of all owners. Default: none. */
  readonly memory?: Pick<MemoryStore, "findAcrossOwners">;
}

/** The runs that the API displays. */
export interface ConsoleRuns {
  /**
   * Listens to the executor from now on, and keeps the latest runs in memory: 100,000 spans, and 16 Mi characters of
   * arguments and outputs, which the executor emits with `eventPayloads`. Default: false.
   */
  readonly live?: boolean;
  /** Recorded events, also of other processes. Default: none. */
  readonly recordings?: readonly ConsoleRecording[];
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
  /** Runs and their spans. Default: none. */
  readonly runs?: ConsoleRuns;
  /**
   * The records of the audit: the `audit` of `postgresStore`, or `{ read: (options) => readAudit(path, options) }` for a
   * file. Default: none.
   */
  readonly audit?: AuditReader;
  /** The lock of the tools. Default: none. */
  readonly lock?: ConsoleLock;
  /**
   * Whose tasks, artifacts and memory people see: only those of their own calls, in any session, or all. Programs see
   * their own only. Default: `own`.
   */
  readonly owners?: ConsoleOwners;
  /** Metadata of each call that is started here, for hooks and for who resumes it. Default: none. */
  readonly callMetadata?: () => JsonObject;
  /**
   * The addresses of the server, exactly (scheme, host and port): `https://agents.example.com`. Requests whose `Host`
   * or `Origin` is another one are refused. The first one is in the OpenAPI document.
   */
  readonly origins: readonly string[];
  /** The path under which the handler is mounted, such as `/console`. Default: none. */
  readonly path?: string;
}

export const optionChecks: OptionChecks<ConsoleOptions> = {
  executor: checks.required(checks.withMethods("new ToolExecutor({ registry })", "startRun")),
  stores: checks.required(
    checks.nested<ConsoleStores>({
      pendingCalls: checks.required(
        checks.withMethods("the pendingCalls of the executor's store", "add", "claim", "finish"),
      ),
      memory: checks.object,
    }),
  ),
  authenticate: checks.checkedElsewhere,
  sessions: checks.checkedElsewhere,
  files: checks.withMethods("a Map", "get"),
  runs: checks.object,
  audit: checks.withMethods("a reader of the audit", "read"),
  lock: checks.object,
  owners: checks.oneOf("own", "all"),
  callMetadata: checks.callback,
  origins: checks.required(checks.checkedElsewhere),
  path: checks.checkedElsewhere,
};
