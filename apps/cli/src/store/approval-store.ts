import { existsSync } from "node:fs";
import type {
  ArtifactStore,
  Grant,
  GrantStore,
  PendingCallStore,
  TaskStore,
} from "@toolweave/core";
import type { SqliteStore } from "@toolweave/stores";
import { StoreKey } from "./store-key.ts";
import { storePath } from "./store-path.ts";

/**
 * The calls that wait, the grants, and the tasks and artifacts of a gateway. File and key are made when the first of them has to be kept;
 * until then there is nothing, and nothing is loaded. Whoever makes one closes it.
 */
export class ApprovalStore {
  readonly path: string;
  readonly key: StoreKey;
  readonly pendingCalls: Required<PendingCallStore> = {
    add: async (interruption, owner) => (await this.#made()).pendingCalls.add(interruption, owner),
    claim: (interruption) =>
      this.#writes(
        async () => (await (await this.#existing())?.pendingCalls.claim(interruption)) ?? "unknown",
      ),
    finish: (id, result) =>
      this.#writes(async () => (await this.#existing())?.pendingCalls.finish(id, result)),
    finishedResult: async (id) => (await this.#existing())?.pendingCalls.finishedResult?.(id),
    get: async (id) => (await this.#existing())?.pendingCalls.get(id),
    list: async () => (await (await this.#existing())?.pendingCalls.list()) ?? [],
    now: async () => (await (await this.#existing())?.pendingCalls.now?.()) ?? Date.now(),
  };
  readonly grants: GrantStore = {
    add: async (grant) => {
      await (await this.#made()).grants.add(grant);
      this.saved.push(grant);
    },
    list: async (tool) => (await (await this.#existing())?.grants.list(tool)) ?? [],
    revoke: async (id) => (await (await this.#existing())?.grants.revoke(id)) ?? false,
  };
  readonly tasks: TaskStore = {
    add: async (task) => (await this.#made()).tasks.add(task),
    change: (id, change) =>
      this.#writes(async () => (await (await this.#existing())?.tasks.change(id, change)) ?? false),
    get: async (id) => (await this.#existing())?.tasks.get(id),
    list: async (owner) => (await (await this.#existing())?.tasks.list(owner)) ?? [],
  };
  readonly artifacts: ArtifactStore = {
    put: (artifact, data) =>
      this.#writes(async () => (await this.#made()).artifacts.put(artifact, data)),
    head: async (key) => (await this.#existing())?.artifacts.head(key),
    read: async (key, offset, length) =>
      (await this.#existing())?.artifacts.read(key, offset, length),
    delete: (key) => this.#writes(async () => (await this.#existing())?.artifacts.delete(key)),
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

  /** Waits for what the executor has not waited for: a cancelled call is still to be told as ended. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writing);
    const [store] = await Promise.allSettled([this.#store]);
    if (store.status === "fulfilled") store.value?.close();
  }

  async #made(): Promise<SqliteStore> {
    this.key.save();
    return (this.#store ??= open(this.path));
  }

  async #existing(): Promise<SqliteStore | undefined> {
    if (this.#store === undefined && !this.exists) return undefined;
    return (this.#store ??= open(this.path));
  }

  #writes<T>(write: () => Promise<T>): Promise<T> {
    const writing = write();
    this.#writing.add(writing);
    const end = (): void => void this.#writing.delete(writing);
    writing.then(end, end);
    return writing;
  }
}

async function open(path: string): Promise<SqliteStore> {
  const { sqliteStore } = await import("@toolweave/stores");
  return sqliteStore(path);
}
