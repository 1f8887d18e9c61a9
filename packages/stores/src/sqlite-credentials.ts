import type { Credential, CredentialKey, CredentialStore } from "@toolweave/core/stores";
import { ExclusiveWork, type LeasedLocks } from "./exclusive-work.ts";
import { credentialJson, credentialName, readCredential } from "./file-credentials.ts";
import { renewInFile, type SqliteFile } from "./sqlite-file.ts";
import { unavailable } from "./store-error.ts";
import type { LeaseOptions } from "./leases.ts";

/** Milliseconds. */
const maxPauseMs = 50;

/** Credentials in a table, one row each. */
export class SqliteCredentials implements CredentialStore {
  readonly #file: SqliteFile;
  readonly #select;
  readonly #upsert;
  readonly #delete;
  readonly #exclusive: ExclusiveWork;

  constructor(file: SqliteFile, options: LeaseOptions) {
    this.#file = file;
    this.#select = file.prepare("SELECT credential FROM credentials WHERE name = ?");
    this.#upsert = file.prepare(
      "INSERT INTO credentials (name, credential) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET credential = excluded.credential",
    );
    this.#delete = file.prepare("DELETE FROM credentials WHERE name = ?");
    this.#exclusive = new ExclusiveWork(toLocks(file), { ...options, maxPauseMs });
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
    await this.#exclusive.run(credentialName(key), work);
  }

  /** No lock is renewed any more. */
  stop(): void {
    this.#exclusive.stop();
  }
}

function toLocks(file: SqliteFile): LeasedLocks {
  const take = file.prepare(
    `INSERT INTO credential_locks (name, token, lease_until) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET token = excluded.token, lease_until = excluded.lease_until
     WHERE lease_until <= ?`,
  );
  const release = file.prepare("DELETE FROM credential_locks WHERE name = ? AND token = ?");
  const renew = file.prepare("UPDATE credential_locks SET lease_until = ? WHERE token = ?");
  return {
    take: (name, token, leaseMs) =>
      file.write(() => {
        const now = file.now();
        return Number(take.run(name, token, now + leaseMs, now).changes) === 1;
      }),
    renew: (tokens, leaseMs) =>
      renewInFile(file, leaseMs, (token, until) => void renew.run(until, token))(tokens),
    release: (name, token) => file.write(() => void release.run(name, token)),
    refusal: () => unavailable(file.path, "holds a credential that another process renews"),
  };
}
