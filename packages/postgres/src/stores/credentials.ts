import { randomUUID } from "node:crypto";
import { ToolError } from "@toolweave/core";
import type { Credential, CredentialKey, CredentialStore } from "@toolweave/core/stores";
import { credentialJson, credentialName, readCredential } from "@toolweave/stores/shared";
import { unavailable, type Database } from "../database/database.ts";
import { toName } from "../database/name.ts";
import type { Sealer } from "../database/seal.ts";

/** Credentials in a table, one row each. They are always sealed: without a key of the store they are refused. */
export class PostgresCredentials implements CredentialStore {
  readonly #db: Database;
  readonly #sealer: Sealer;
  readonly #writer = randomUUID();
  #writes = 0;

  constructor(db: Database, sealer: Sealer) {
    this.#db = db;
    this.#sealer = sealer;
  }

  async get(key: CredentialKey): Promise<Credential | undefined> {
    const name = this.#nameOf(key);
    const sealed = await this.#db.value(
      `SELECT sealed FROM ${this.#db.schema}.credentials WHERE name = $1`,
      [name],
    );
    if (sealed === undefined) return undefined;
    const credential = readCredential(
      this.#sealer.open(sealed as Uint8Array, `credential ${name}`),
    );
    if (credential !== undefined) return credential;
    throw unavailable("has a credential that is damaged: set it again", { retryable: false });
  }

  async set(key: CredentialKey, credential: Credential): Promise<void> {
    const name = this.#nameOf(key);
    const sealed = this.#sealer.seal(credentialJson(credential), `credential ${name}`);
    await this.#write(name, sealed);
  }

  async delete(key: CredentialKey): Promise<void> {
    await this.#write(this.#nameOf(key), null);
  }

  async #write(name: string, sealed: Buffer | null): Promise<void> {
    await this.#db.run(`SELECT ${this.#db.schema}.write_credential($1, $2, $3, $4, $5)`, [
      name,
      sealed,
      this.#writer,
      ++this.#writes,
      randomUUID(),
    ]);
  }

  #nameOf(key: CredentialKey): string {
    if (this.#sealer.hasKey) return toName(credentialName(key));
    throw new ToolError(
      "invalid_configuration",
      "postgresStore stores credentials only with a key: postgresStore({ connectionString, key }).",
    );
  }
}
