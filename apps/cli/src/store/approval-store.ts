import { existsSync } from "node:fs";
import type { Grant } from "@toolweave/core";
import type {
  ArtifactStore,
  GrantStore,
  PendingCallStore,
  RateLimitStore,
  TaskStore,
} from "@toolweave/core/stores";
import type { SqliteStore } from "@toolweave/stores";
import { StoreKey } from "./store-key.ts";
import { storePath } from "./store-path.ts";

/**
 * The calls that wait, the grants, and the tasks and artifacts of a gateway. File and key are made when the first of them has to be kept;
 * until then there is nothing, and nothing is loaded. The caller closes it.
 */
export class ApprovalStore {
  readonly path: string;
  readonly key: StoreKey;
  readonly pendingCalls: Required<PendingCallStore> = {
    add: async (interruption, owner) =>
      (await this.#openOrCreate()).pendingCalls.add(interruption, owner),
    claim: (interruption) =>
      this.#trackWrite(
        async () =>
          (await (await this.#openExisting())?.pendingCalls.claim(interruption)) ?? "unknown",
      ),
    finish: (id, result) =>
      this.#trackWrite(async () => (await this.#openExisting())?.pendingCalls.finish(id, result)),
    finishedResult: async (id) => (await this.#openExisting())?.pendingCalls.finishedResult?.(id),
    get: async (id) => (await this.#openExisting())?.pendingCalls.get(id),
    list: async () => (await (await this.#openExisting())?.pendingCalls.list()) ?? [],
    now: async () => (await (await this.#openExisting())?.pendingCalls.now?.()) ?? Date.now(),
  };
  readonly grants: GrantStore = {
    add: async (grant) => {
      await (await this.#openOrCreate()).grants.add(grant);
      this.saved.push(grant);
    },
    list: async (tool) => (await (await this.#openExisting())?.grants.list(tool)) ?? [],
    revoke: async (id) => (await (await this.#openExisting())?.grants.revoke(id)) ?? false,
  };
  readonly rateLimits: RateLimitStore = {
    reserve: async (requests) => (await this.#openOrCreate()).rateLimits.reserve(requests),
    commit: (id) =>
      this.#trackWrite(async () => (await this.#openExisting())?.rateLimits.commit(id)),
    release: (id) =>
      this.#trackWrite(async () => (await this.#openExisting())?.rateLimits.release(id)),
  };
  readonly tasks: TaskStore = {
    add: async (task) => (await this.#openOrCreate()).tasks.add(task),
    change: (id, change) =>
      this.#trackWrite(
        async () => (await (await this.#openExisting())?.tasks.change(id, change)) ?? false,
      ),
    get: async (id) => (await this.#openExisting())?.tasks.get(id),
    list: async (owner) => (await (await this.#openExisting())?.tasks.list(owner)) ?? [],
    watch: async (id, signal) => (await this.#openOrCreate()).tasks.watch?.(id, signal),
    requestCancel: (id, by) =>
      this.#trackWrite(
        async () => (await (await this.#openExisting())?.tasks.requestCancel?.(id, by)) ?? false,
      ),
  };
  readonly artifacts: ArtifactStore = {
    put: (artifact, data) =>
      this.#trackWrite(async () => (await this.#openOrCreate()).artifacts.put(artifact, data)),
    head: async (key) => (await this.#openExisting())?.artifacts.head(key),
    read: async (key, offset, length) =>
      (await this.#openExisting())?.artifacts.read(key, offset, length),
    delete: (key) =>
      this.#trackWrite(async () => (await this.#openExisting())?.artifacts.delete(key)),
  };
  /** The grants that were added here, oldest first. */
  readonly saved: Grant[] = [];
  #store: Promise<SqliteStore> | undefined;
  readonly #writing = new Set<Promise<unknown>>();

  /** @throws UsageError */
  constructor(option: string | undefined, env: Readonly<Record<string, string | undefined>>) {
    this.path = storePath(option, env);
    this.key = new StoreKey(this.path, env);
  }

  /** Something has been kept here before. */
  get exists(): boolean {
    return existsSync(this.path);
  }

  /** Waits for writes that the executor has not awaited, such as that of a cancelled call that has finished. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writing);
    const [store] = await Promise.allSettled([this.#store]);
    if (store.status === "fulfilled") store.value?.close();
  }

  async #openOrCreate(): Promise<SqliteStore> {
    this.key.save();
    return (this.#store ??= open(this.path));
  }

  async #openExisting(): Promise<SqliteStore | undefined> {
    if (this.#store === undefined && !this.exists) return undefined;
    return (this.#store ??= open(this.path));
  }

  #trackWrite<T>(write: () => Promise<T>): Promise<T> {
    const writing = write();
    this.#writing.add(writing);
    const end = (): void => void this.#writing.delete(writing);
    writing.then(end, end);
    return writing;
  }
}

/**
 * Opens a store for `work` and closes it when that has ended.
 *
 * @param option the value of `--store`.
 * @throws UsageError
 */
export async function withApprovalStore<T>(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  work: (store: ApprovalStore) => Promise<T>,
): Promise<T> {
  const store = new ApprovalStore(option, env);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function open(path: string): Promise<SqliteStore> {
  const { sqliteStore } = await import("@toolweave/stores");
  return sqliteStore(path);
}

/**
 * Opens a store with its key, so that calls which wait can be answered by other processes from the beginning.
 *
 * @throws UsageError, ToolError as `ApprovalStore` does.
 */
export function openApprovalStore(
  place: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): ApprovalStore {
  const store = new ApprovalStore(place, env);
  try {
    store.key.save();
    return store;
  } catch (error) {
    // Another process has just made it.
    if (store.key.wasTaken) return new ApprovalStore(place, env);
    throw error;
  }
}
