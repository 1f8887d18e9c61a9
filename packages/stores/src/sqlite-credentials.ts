import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@toolweave/core";
import type { Credential, CredentialKey, CredentialStore } from "@toolweave/core/stores";
import { credentialJson, credentialName, readCredential } from "./file-credentials.ts";
import { Leases } from "./leases.ts";
import { renewInFile, type SqliteFile } from "./sqlite-file.ts";
import { unavailable } from "./store-error.ts";

/** The maximum lease of a lock, in milliseconds: so long others wait for a process that has ended. */
const maxLeaseMs = 10_000;
/** The maximum wait for the work of another process, in milliseconds. */
const maxWaitMs = 60_000;
const maxPauseMs = 50;

/** Credentials in a table, one row each. */
export class SqliteCredentials implements CredentialStore {
  readonly #file: SqliteFile;
  readonly #select;
  readonly #upsert;
  readonly #delete;
  readonly #lock;
  readonly #unlock;
  /** The locks that this store holds, by token. */
  readonly #leases: Leases;

  constructor(
    file: SqliteFile,
    options: { readonly leaseMs: number; readonly clock: Clock | undefined },
  ) {
    this.#file = file;
    this.#select = file.prepare("SELECT credential FROM credentials WHERE name = ?");
    this.#upsert = file.prepare(
      "INSERT INTO credentials (name, credential) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET credential = excluded.credential",
    );
    this.#delete = file.prepare("DELETE FROM credentials WHERE name = ?");
    this.#lock = file.prepare(
      `INSERT INTO credential_locks (name, token, lease_until) VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET token = excluded.token, lease_until = excluded.lease_until
       WHERE lease_until <= ?`,
    );
    this.#unlock = file.prepare("DELETE FROM credential_locks WHERE name = ? AND token = ?");
    const renew = file.prepare("UPDATE credential_locks SET lease_until = ? WHERE token = ?");
    const leaseMs = Math.min(options.leaseMs, maxLeaseMs);
    this.#leases = new Leases(
      { ...options, leaseMs },
      renewInFile(file, leaseMs, (token, until) => void renew.run(until, token)),
    );
  }

  async get(key: CredentialKey): Promise<Credential | undefined> {
    const name = credentialName(key);
    const row = await this.#file.read(() => this.#select.get(name));
    if (row === undefined) return undefined;
    const credential = readCredential(row["credential"] as string);
    if (credential !== undefined) return credential;
    throw unavailable(this.#file.path, "holds a credential that is damaged: set it anew", {
      retryable: false,
    });
  }

  async set(key: CredentialKey, credential: Credential): Promise<void> {
    const name = credentialName(key);
    const json = credentialJson(credential);
    await this.#file.write(() => void this.#upsert.run(name, json));
  }

  async delete(key: CredentialKey): Promise<void> {
    const name = credentialName(key);
    await this.#file.write(() => void this.#delete.run(name));
  }

  async exclusive(key: CredentialKey, work: () => Promise<void>): Promise<void> {
    const name = credentialName(key);
    const token = randomUUID();
    const giveUpAt = performance.now() + maxWaitMs;
    while (!(await this.#take(name, token))) {
      if (performance.now() >= giveUpAt) {
        throw unavailable(this.#file.path, "holds a credential that another process renews");
      }
      await delay(maxPauseMs * (0.5 + Math.random() / 2));
    }
    this.#leases.hold(token);
    try {
      await work();
    } finally {
      this.#leases.drop(token);
      // If it cannot be removed, it expires.
      await this.#file.write(() => void this.#unlock.run(name, token)).catch(() => {});
    }
  }

  /** No lock is renewed any more. */
  stop(): void {
    this.#leases.stop();
  }

  #take(name: string, token: string): Promise<boolean> {
    return this.#file.write(() => {
      const now = this.#file.now();
      return Number(this.#lock.run(name, token, this.#leases.end(now), now).changes) === 1;
    });
  }
}
