import { createHash, randomUUID } from "node:crypto";
import { ToolError, type Interruption } from "@toolweave/core";
import {
  quotaOwner,
  type ClaimResult,
  type FinishedResult,
  type PendingCallRecord,
  type PendingCallStore,
} from "@toolweave/core/stores";
import {
  Leases,
  ownerLimitError,
  type LeaseOptions,
  type OwnerLimit,
} from "@toolweave/stores/shared";
import { refusedClaim, type Database, type Row } from "../database/database.ts";
import { GroupedStatements } from "../database/grouped-statements.ts";
import { toName } from "../database/name.ts";

/**
 * Pending calls in a table. A claim is one conditional update and is never undone. Its token is made by the claimant:
 * after a lost answer the same statement finds its own claim.
 */
export class PostgresPendingCalls implements PendingCallStore {
  readonly #db: Database;
  readonly #maxPerOwner: number;
  readonly #adds: GroupedStatements;
  readonly #claims: GroupedStatements;
  readonly #ends: GroupedStatements;
  /** On what this store has claimed and not finished. */
  readonly #leases: Leases;

  constructor(db: Database, options: LeaseOptions & OwnerLimit) {
    this.#db = db;
    this.#maxPerOwner = options.maxPerOwner;
    const { schema } = db;
    this.#adds = new GroupedStatements(db, {
      one: `SELECT ${schema}.add_pending_call($1, $2, $3, $4, $5, $6) AS answer`,
      many: `SELECT n, 'added' AS answer FROM ${schema}.add_pending_calls($1, $2, $3, $4, $5, $6) AS n`,
      constants: [options.maxPerOwner],
    });
    this.#claims = new GroupedStatements(db, {
      one: `SELECT ${schema}.claim_pending_call($1, $2, $5, $3, $4) AS answer`,
      many: `SELECT n, 'claimed' AS answer FROM ${schema}.claim_pending_calls($1, $2, $3, $4) AS n`,
      constants: [options.leaseMs],
    });
    this.#ends = new GroupedStatements(db, {
      one: `SELECT ${schema}.finish_pending_call($1, NULL, 0)`,
      many: `SELECT n FROM ${schema}.finish_pending_calls($1) AS n`,
    });
    this.#leases = new Leases(options, (ids) =>
      db.run(`SELECT ${db.schema}.renew_pending_calls($1, $2)`, [
        [...ids].map(toName),
        options.leaseMs,
      ]),
    );
  }

  async add(interruption: Interruption, owner = "[null,null]"): Promise<void> {
    const { id, expiresAt } = interruption;
    const values = [
      toName(id),
      JSON.stringify(interruption),
      digest(interruption),
      toName(quotaOwner(owner)),
      expiresAt,
    ];
    let answer: unknown = "again";
    // `again`: the quota was nearly reached meanwhile, and has to be counted by one process alone.
    while (answer === "again") {
      answer = (await this.#adds.run(toName(id), values))[0]?.["answer"];
    }
    if (answer === "taken") {
      throw new ToolError(
        "internal",
        `The interruption "${id}" is stored already, with another state: give each an id of its own.`,
      );
    }
    if (answer === "full") throw ownerLimitError("pendingCalls", this.#maxPerOwner);
  }

  async claim(interruption: Interruption): Promise<ClaimResult> {
    const { id, expiresAt } = interruption;
    const name = toName(id);
    const values = [name, digest(interruption), randomUUID()];
    const [row] = await this.#claims.run(name, values, [expiresAt]);
    const result = row?.["answer"] as ClaimResult | "refused";
    if (result === "refused") throw refusedClaim();
    if (result === "claimed") this.#leases.hold(id);
    // This process may be late with a lease, when it was busy.
    return result === "unfinished" && this.#leases.has(id) ? "running" : result;
  }

  async finish(id: string, result?: FinishedResult): Promise<void> {
    // Also if the write fails: the lease then expires, and the call is reported as unfinished.
    this.#leases.drop(id);
    const name = toName(id);
    if (result === undefined) return void (await this.#ends.run(name, [name]));
    await this.#db.run(`SELECT ${this.#db.schema}.finish_pending_call($1, $2, $3)`, [
      name,
      JSON.stringify(result.sealed),
      result.maxAgeMs,
    ]);
  }

  async finishedResult(id: string): Promise<string | undefined> {
    const result = await this.#db.value(
      `SELECT result FROM ${this.#db.schema}.pending_calls
       WHERE id = $1 AND result_until > ${this.#db.schema}.now_ms()`,
      [toName(id)],
    );
    return typeof result === "string" ? (JSON.parse(result) as string) : undefined;
  }

  async get(id: string): Promise<PendingCallRecord | undefined> {
    const [row] = await this.#select("id = $1", [toName(id)]);
    return row === undefined ? undefined : this.#toRecord(row);
  }

  async list(): Promise<readonly PendingCallRecord[]> {
    const rows = await this.#select(
      `status = 'claimed' OR (status = 'pending' AND expires_at > ${this.#db.schema}.now_ms())`,
      [],
    );
    return rows.flatMap((row) => this.#toRecord(row) ?? []);
  }

  async now(): Promise<number> {
    return Number(await this.#db.value(`SELECT ${this.#db.schema}.now_ms()`));
  }

  /** No lease is renewed any more. */
  stop(): void {
    this.#leases.stop();
  }

  #select(condition: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const { schema } = this.#db;
    return this.#db.run(
      `SELECT id, interruption, status, lease_until > ${schema}.now_ms() AS is_held
       FROM ${schema}.pending_calls WHERE ${condition} ORDER BY seq`,
      values,
    );
  }

  /** `undefined`: the row was overwritten with another interruption, which an answer by the id would approve. */
  #toRecord(row: Row): PendingCallRecord | undefined {
    const interruption = JSON.parse(row["interruption"] as string) as Interruption;
    if (toName(interruption.id) !== row["id"]) return undefined;
    const status = row["status"] as PendingCallRecord["status"];
    const isHeld = row["is_held"] === true || this.#leases.has(interruption.id);
    return { interruption, status: status === "claimed" && !isHeld ? "unfinished" : status };
  }
}

function digest({ state }: Interruption): Buffer {
  return createHash("sha256").update(JSON.stringify(state)).digest();
}
