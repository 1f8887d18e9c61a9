import { randomUUID } from "node:crypto";
import { ToolError } from "@toolweave/core";
import type { Credential, CredentialKey, CredentialStore } from "@toolweave/core/stores";
import {
  credentialJson,
  credentialName,
  ExclusiveWork,
  readCredential,
  type LeasedLocks,
  type LeaseOptions,
} from "@toolweave/stores/shared";
import { unavailable, type Database } from "../database/database.ts";
import { GroupedStatements } from "../database/grouped-statements.ts";
import { toName } from "../database/name.ts";
import { sealNames, type Sealer } from "../database/seal.ts";

/** Milliseconds. */
const maxPauseMs = 100;

/** Credentials in a table, one row each. They are always sealed: without a key of the store they are refused. */
export class PostgresCredentials implements CredentialStore {
  readonly #db: Database;
  readonly #sealer: Sealer;
  readonly #reads: GroupedStatements;
  readonly #writer = randomUUID();
  #writes = 0;
  readonly #exclusive: ExclusiveWork;

  constructor(db: Database, sealer: Sealer, options: LeaseOptions) {
    this.#db = db;
    this.#sealer = sealer;
    this.#reads = new GroupedStatements(db, {
      one: `SELECT sealed FROM ${db.schema}.credentials WHERE name = $1`,
      many: `SELECT n, sealed FROM unnest($1::text[]) WITH ORDINALITY AS asked (name, n)
        JOIN ${db.schema}.credentials USING (name)`,
      isRead: true,
    });
    this.#exclusive = new ExclusiveWork(toLocks(db), { ...options, maxPauseMs });
  }

  async get(key: CredentialKey): Promise<Credential | undefined> {
    const name = this.#toName(key);
    const [row] = await this.#reads.run(name, [name]);
    if (row === undefined) return undefined;
    const credential = readCredential(
      this.#sealer.open(row["sealed"] as Uint8Array, sealNames.credential(name)),
    );
    if (credential !== undefined) return credential;
    throw unavailable("has a credential that is damaged: set it again", { retryable: false });
  }

  async set(key: CredentialKey, credential: Credential): Promise<void> {
    const name = this.#toName(key);
    const sealed = this.#sealer.seal(credentialJson(credential), sealNames.credential(name));
    await this.#write(name, sealed);
  }

  async delete(key: CredentialKey): Promise<void> {
    await this.#write(this.#toName(key), null);
  }

  async exclusive(key: CredentialKey, work: () => Promise<void>): Promise<void> {
    await this.#exclusive.run(this.#toName(key), work);
  }

  /** No lock is renewed any more. */
  stop(): void {
    this.#exclusive.stop();
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

  #toName(key: CredentialKey): string {
    if (this.#sealer.hasKey) return toName(credentialName(key));
    throw new ToolError(
      "invalid_configuration",
      "postgresStore stores credentials only with a key: postgresStore({ connectionString, key }).",
    );
  }
}

/** Rows with a lease, and not the locks of a session, which a pooler would give to others. */
function toLocks(db: Database): LeasedLocks {
  const table = `${db.schema}.credential_locks`;
  return {
    take: async (name, token, leaseMs) =>
      (await db.value(`SELECT ${db.schema}.lock_credential($1, $2, $3)`, [
        name,
        token,
        leaseMs,
      ])) === true,
    renew: (tokens, leaseMs) =>
      db.run(
        `UPDATE ${table} SET lease_until = ${db.schema}.now_ms() + $2 WHERE token = ANY ($1::uuid[])`,
        [[...tokens], leaseMs],
      ),
    release: (name, token) =>
      db.run(`DELETE FROM ${table} WHERE name = $1 AND token = $2`, [name, token]),
    refusal: () => unavailable("has a credential that another process renews"),
  };
}
