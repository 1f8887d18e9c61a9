import { randomBytes } from "node:crypto";
import type { SharedStore, SharedStores } from "@toolweave/config";
import type { Grant, ToolError } from "@toolweave/core";
import type { GrantStore, PendingCallStore } from "@toolweave/core/stores";
import type { CommandKey, CommandStore } from "./command-store.ts";
import type { StorePlace } from "./store-place.ts";

/** A store in a database that several machines use. It connects with the first operation. */
export class DatabaseStore implements CommandStore {
  readonly pendingCalls: Required<PendingCallStore>;
  readonly grants: GrantStore;
  readonly rateLimits: SharedStores["rateLimits"];
  readonly tasks: SharedStores["tasks"];
  readonly artifacts: SharedStores["artifacts"];
  readonly memory: SharedStores["memory"];
  readonly audit: SharedStores["audit"];
  readonly ledger?: NonNullable<SharedStores["ledger"]>;
  readonly key: CommandKey;
  readonly saved: Grant[] = [];
  readonly location: string;
  readonly option: readonly string[];
  readonly notes: readonly string[];
  readonly missingAt = undefined;
  readonly #store: SharedStore;
  readonly #stores: SharedStores;

  private constructor(store: SharedStore, stores: SharedStores, option: readonly string[]) {
    this.#store = store;
    this.#stores = stores;
    this.key = databaseKey(store);
    this.location = store.location;
    this.option = option;
    this.notes = [
      option.length === 0
        ? "TOOLWEAVE_STORE and TOOLWEAVE_KEY must have the same values there."
        : "TOOLWEAVE_KEY, and the variables of the store, must have the same values there.",
    ];
    const { pendingCalls, grants, rateLimits, tasks, artifacts, memory, audit, ledger } = stores;
    this.pendingCalls = {
      ...pendingCalls,
      // What is encrypted with a key that only this process has could never be resumed.
      add: async (interruption, owner) => {
        this.key.save();
        await pendingCalls.add(interruption, owner);
      },
      finishedResult: (id) => pendingCalls.finishedResult?.(id),
      now: () => pendingCalls.now?.() ?? Date.now(),
    };
    this.grants = {
      ...grants,
      add: async (grant) => {
        this.key.save();
        await grants.add(grant);
        this.saved.push(grant);
      },
    };
    this.rateLimits = rateLimits;
    this.tasks = tasks;
    this.artifacts = artifacts;
    this.memory = memory;
    this.audit = audit;
    if (ledger !== undefined) this.ledger = ledger;
  }

  /** Loads what is needed for a database. */
  static async open({
    store,
    option,
  }: Extract<StorePlace, { kind: "database" }>): Promise<DatabaseStore> {
    return new DatabaseStore(store, await store.open(), option);
  }

  onUnavailable(listener: (cause: Error) => void): () => void {
    return this.#store.onUnavailable(listener);
  }

  async prepare(): Promise<void> {
    this.key.save();
    await this.#stores.migrate();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** The key of a database is never made here: all machines need the same one. */
function databaseKey({ keys, missingKey }: SharedStore): CommandKey {
  const [value = randomBytes(32).toString("base64url"), ...former] = keys;
  const problem: ToolError | undefined = missingKey;
  return {
    value,
    former,
    path: undefined,
    problem,
    isNew: false,
    wasTaken: false,
    save() {
      if (problem !== undefined) throw problem;
    },
  };
}
