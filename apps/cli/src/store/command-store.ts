import type { ExecutorOptions, Grant, ToolError } from "@toolweave/core";
import type {
  AuditReader,
  AuditSink,
  GrantStore,
  MemoryStore,
  PendingCallStore,
} from "@toolweave/core/stores";

/** The stores that an executor takes. */
export type ExecutorStores = Required<
  Pick<ExecutorOptions, "pendingCalls" | "rateLimits" | "tasks" | "artifacts">
> &
  Pick<ExecutorOptions, "ledger"> & { readonly grants: GrantStore };

/** The secret that encrypts the calls that wait, and signs the grants. */
export interface CommandKey {
  /** For the executor. Until `save`, one that no other process has, if there was none. */
  readonly value: string;
  /** Keys of before, which only decrypt. */
  readonly former: readonly string[];
  /** The path of its file; undefined: it is in the environment. */
  readonly path: string | undefined;
  /** The error, if the key, and the store with it, cannot be used. */
  readonly problem: ToolError | undefined;
  /** There was none. */
  readonly isNew: boolean;
  /** Another process has made one meanwhile: with that everything works. */
  readonly wasTaken: boolean;
  /**
   * Makes sure that later processes have the key.
   *
   * @throws ToolError `store_unavailable`, `invalid_configuration`
   */
  save(): void;
}

/** The open store of a command: a file of this machine, or a database that several machines use. */
export interface CommandStore extends ExecutorStores {
  readonly pendingCalls: Required<PendingCallStore>;
  /** The memory of agents, to be listed and searched. */
  readonly memory: Pick<MemoryStore, "findAcrossOwners">;
  readonly audit: AuditSink & AuditReader;
  readonly key: CommandKey;
  /** The grants that were added here, oldest first. */
  readonly saved: readonly Grant[];
  /** For people: the path of the file, or the host, port and name of the database. */
  readonly location: string;
  /** The words of a command line that lead to the store; none: it is found without. */
  readonly option: readonly string[];
  /** The conditions under which another process finds the store, one sentence each. */
  readonly notes: readonly string[];
  /** The path where nothing has been stored yet; undefined: there is a store. */
  readonly missingAt: string | undefined;
  /**
   * Calls a listener with what is wrong and where, for the operator, when an operation fails: what clients read does not
   * name the place. Absent: the errors themselves name it.
   */
  onUnavailable?(listener: (cause: Error) => void): () => void;
  /**
   * Fails now if the store cannot be used, in place of the first call that needs it.
   *
   * @throws ToolError `store_unavailable`, `invalid_configuration`
   */
  prepare(): Promise<void>;
  /** Waits for writes that the executor has not awaited, such as that of a cancelled call that has finished. */
  close(): Promise<void>;
}

/** The members of a store that an executor takes, without the audit: not every executor of a command makes calls. */
export function executorStores(store: ExecutorStores): ExecutorStores {
  const { pendingCalls, grants, rateLimits, tasks, artifacts, ledger } = store;
  return {
    pendingCalls,
    grants,
    rateLimits,
    tasks,
    artifacts,
    ...(ledger === undefined ? {} : { ledger }),
  };
}
