import { randomUUID } from "node:crypto";
import type {
  CallLedger,
  LedgerCall,
  LedgerClaim,
  LedgerEnd,
  LedgerEntry,
} from "@toolweave/core/stores";
import { Leases, type LeaseOptions } from "@toolweave/stores/shared";
import { refusedClaim, type Database } from "../database/database.ts";
import { GroupedStatements } from "../database/grouped-statements.ts";
import { toName } from "../database/name.ts";
import { sealNames, type Sealer } from "../database/seal.ts";

/** Milliseconds after its last change for which a call is remembered: 7 days. */
const lifetimeMs = 7 * 24 * 60 * 60 * 1000;

/** The row of a claim, and its token, as the database has them. */
type ClaimNames = readonly [run: string, call: string, token: string];

/**
 * The ledger in a table. The process that runs a call has a lease on it, which only shows others whether the process is
 * alive: a call whose lease has expired is unknown, and does not start again by itself.
 */
export class PostgresLedger implements CallLedger {
  readonly #sealer: Sealer;
  readonly #begins: GroupedStatements;
  readonly #ends: GroupedStatements;
  /** The calls that this store runs, each as the JSON of its names. */
  readonly #leases: Leases;
  /** The tool and the arguments of each of them. */
  readonly #running = new Map<string, readonly [tool: string, argumentsHash: string]>();

  constructor(db: Database, sealer: Sealer, options: LeaseOptions) {
    this.#sealer = sealer;
    const { schema } = db;
    this.#begins = new GroupedStatements(db, {
      one: `SELECT status, outcome, holder
        FROM ${schema}.begin_call($1, $2, $3, $4, $5, $9, $6, $7, $8)`,
      many: `SELECT n, 'begun' AS status FROM ${schema}.begin_calls($1, $2, $3, $4, $5, $6, $7, $8) AS n`,
      constants: [options.leaseMs, lifetimeMs],
    });
    this.#ends = new GroupedStatements(db, {
      one: `SELECT ${schema}.end_call($1, $2, $3, $8, $9, $4, $5, $6, $7) AS is_ended`,
      many: `SELECT n, true AS is_ended FROM ${schema}.end_calls($1, $2, $3, $4, $5, $6, $7) AS n`,
      constants: [lifetimeMs],
    });
    this.#leases = new Leases(options, (held) => {
      const claims = [...held].map((claim) => JSON.parse(claim) as ClaimNames);
      const running = [...held].map((claim) => this.#running.get(claim));
      return db.run(`SELECT ${db.schema}.renew_calls($1, $2, $3, $4, $5, $6, $7)`, [
        claims.map(([run]) => run),
        claims.map(([, call]) => call),
        claims.map(([, , token]) => token),
        running.map((call) => call?.[0]),
        running.map((call) => call?.[1]),
        options.leaseMs,
        lifetimeMs,
      ]);
    });
  }

  async begin(call: LedgerCall): Promise<LedgerEntry> {
    const [run, id, token] = toNames(call);
    const [tool, argumentsHash] = [toName(call.tool), toName(call.argumentsHash)];
    const [row] = await this.#begins.run(
      JSON.stringify([run, id]),
      [run, id, tool, argumentsHash, call.epoch ?? null, token],
      [call.repeat ?? null],
    );
    const status = row?.["status"] as LedgerEntry["status"] | "expired" | "refused";
    if (status === "refused") throw refusedClaim();
    if (status === "ended") {
      return {
        status,
        outcome: this.#sealer.open(row?.["outcome"] as Uint8Array, sealNames.outcome(run, id)),
      };
    }
    if (status === "expired") {
      // The lease of this process may be late, when it was busy.
      const isHeld = this.#leases.has(JSON.stringify([run, id, row?.["holder"]]));
      return { status: isHeld ? "running" : "unknown" };
    }
    if (status === "begun") {
      const claim = JSON.stringify([run, id, token]);
      this.#running.set(claim, [tool, argumentsHash]);
      this.#leases.hold(claim);
    }
    return { status };
  }

  async end(claim: LedgerClaim, end: LedgerEnd): Promise<boolean> {
    const names = toNames(claim);
    const [run, id] = names;
    const held = JSON.stringify(names);
    const [tool, argumentsHash] = this.#running.get(held) ?? [];
    // Also if the end cannot be written: the lease then expires, and the call is unknown.
    this.#leases.drop(held);
    this.#running.delete(held);
    const outcome =
      "outcome" in end ? this.#sealer.seal(end.outcome, sealNames.outcome(run, id)) : null;
    const [row] = await this.#ends.run(
      JSON.stringify([run, id]),
      [...names, randomUUID(), end.status, outcome],
      [tool ?? null, argumentsHash ?? null],
    );
    return row?.["is_ended"] === true;
  }

  /** No lease is renewed any more. */
  stop(): void {
    this.#leases.stop();
  }
}

function toNames({ runId, callId, token }: LedgerClaim): ClaimNames {
  return [toName(runId), toName(callId), toName(token)];
}
