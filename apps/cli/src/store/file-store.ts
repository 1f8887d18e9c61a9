import { existsSync } from "node:fs";
import type { Grant } from "@toolweave/core";
import type {
  ArtifactStore,
  AuditReader,
  AuditSink,
  GrantStore,
  MemoryStore,
  PendingCallStore,
  RateLimitStore,
  TaskStore,
} from "@toolweave/core/stores";
import type { SqliteStore } from "@toolweave/stores";
import type { CommandStore } from "./command-store.ts";
import { maxAuditBytes } from "./open-audit.ts";
import { StoreKey } from "./store-key.ts";
import { auditPath, builtinFile, isHomeStore } from "./store-place.ts";

/**
 * A store in a file of this machine, beside its key. Both are made when something has to be stored; until then there is
 * nothing, and nothing is loaded.
 */
export class FileStore implements CommandStore {
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
    listLatest: async (max) => (await (await this.#openExisting())?.tasks.listLatest?.(max)) ?? [],
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
  readonly memory: Pick<MemoryStore, "findAcrossOwners"> = {
    findAcrossOwners: async (query) =>
      (await (await this.#openBuiltin())?.memory.findAcrossOwners?.(query)) ?? [],
  };
  readonly audit: AuditSink & AuditReader = {
    write: (record) => this.#trackWrite(async () => (await this.#openAudit()).write(record)),
    read: async (options) => {
      const { readAudit } = await import("@toolweave/stores");
      return readAudit(auditPath(this.location), options);
    },
  };
  readonly saved: Grant[] = [];
  readonly location: string;
  readonly option: readonly string[];
  readonly notes: readonly string[];
  #store: Promise<SqliteStore> | undefined;
  /** The data of built-in tools, which is in a file beside it. */
  #builtin: Promise<SqliteStore> | undefined;
  #audit: Promise<AuditSink> | undefined;
  readonly #writing = new Set<Promise<unknown>>();

  /** @throws UsageError */
  constructor(path: string, env: Readonly<Record<string, string | undefined>>) {
    this.location = path;
    this.key = new StoreKey(path, env);
    this.option = isHomeStore(path, env) ? [] : ["--store", path];
    this.notes =
      this.key.path === undefined ? ["TOOLWEAVE_KEY must have the same value there."] : [];
  }

  get missingAt(): string | undefined {
    return existsSync(this.location) ? undefined : this.location;
  }

  async prepare(): Promise<void> {
    this.key.save();
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#writing);
    for (const store of await Promise.allSettled([this.#store, this.#builtin])) {
      if (store.status === "fulfilled") store.value?.close();
    }
  }

  async #openOrCreate(): Promise<SqliteStore> {
    this.key.save();
    return (this.#store ??= open(this.location));
  }

  async #openExisting(): Promise<SqliteStore | undefined> {
    if (this.#store === undefined && this.missingAt !== undefined) return undefined;
    return (this.#store ??= open(this.location));
  }

  #openAudit(): Promise<AuditSink> {
    return (this.#audit ??= import("@toolweave/stores").then(({ auditFile }) =>
      auditFile(auditPath(this.location), { maxBytes: maxAuditBytes }),
    ));
  }

  async #openBuiltin(): Promise<SqliteStore | undefined> {
    const path = builtinFile(this.location);
    if (this.#builtin === undefined && !existsSync(path)) return undefined;
    return (this.#builtin ??= open(path));
  }

  #trackWrite<T>(write: () => Promise<T>): Promise<T> {
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
