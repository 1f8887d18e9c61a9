import type { Credential, CredentialKey, CredentialStore } from "@toolweave/core/stores";
import type { SqliteFile } from "./sqlite-file.ts";
import { unavailable } from "./store-error.ts";
import { credentialJson, credentialName, readCredential } from "./stored-credential.ts";

/** Credentials in a table, one row each. */
export class SqliteCredentials implements CredentialStore {
  readonly #file: SqliteFile;
  readonly #select;
  readonly #upsert;
  readonly #delete;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#select = file.prepare("SELECT credential FROM credentials WHERE name = ?");
    this.#upsert = file.prepare(
      "INSERT INTO credentials (name, credential) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET credential = excluded.credential",
    );
    this.#delete = file.prepare("DELETE FROM credentials WHERE name = ?");
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
}
