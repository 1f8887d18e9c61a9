import type {
  CallLedger,
  LedgerCall,
  LedgerClaim,
  LedgerEnd,
  LedgerEntry,
} from "@toolweave/core/stores";
import { Leases, type LeaseOptions } from "./leases.ts";
import { renewInFile, type SqliteFile } from "./sqlite-file.ts";

/** Milliseconds after its last change for which a call is remembered: 7 days. */
const lifetimeMs = 7 * 24 * 60 * 60 * 1000;

/** The maximum number of rows that one `begin` removes, so that none takes long. */
const maxSwept = 100;

interface Row {
  readonly tool: string;
  readonly arguments_hash: string;
  readonly token: string;
  readonly status: "running" | "suspended" | "ended" | "unknown";
  readonly outcome: string;
  readonly lease_until: number;
}

/**
 * The ledger in a table. The process that runs a call has a lease on it, which only shows others whether the process is
 * alive: a call whose lease has expired is unknown, and does not start again by itself.
 */
export class SqliteLedger implements CallLedger {
  readonly #file: SqliteFile;
  /** The tokens of the calls that this store runs. */
  readonly #leases: Leases;
  readonly #select;
  readonly #epoch;
  readonly #raiseEpoch;
  readonly #upsert;
  readonly #end;
  readonly #release;
  readonly #sweep;
  readonly #sweepEpochs;

  constructor(file: SqliteFile, options: LeaseOptions) {
    this.#file = file;
    this.#select = file.prepare(
      "SELECT * FROM ledger WHERE run_id = ? AND call_id = ? AND expires_at > ?",
    );
    this.#epoch = file.prepare("SELECT epoch FROM ledger_epochs WHERE run_id = ?");
    this.#raiseEpoch = file.prepare(
      `INSERT INTO ledger_epochs (run_id, epoch, expires_at) VALUES (?, ?, ?)
       ON CONFLICT (run_id) DO UPDATE SET epoch = excluded.epoch, expires_at = excluded.expires_at`,
    );
    this.#upsert = file.prepare(
      `INSERT INTO ledger
         (run_id, call_id, tool, spec_hash, arguments_hash, token, status, outcome, lease_until, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, 'running', '', ?, ?)
       ON CONFLICT (run_id, call_id) DO UPDATE SET
         tool = excluded.tool, spec_hash = excluded.spec_hash, arguments_hash = excluded.arguments_hash,
         token = excluded.token, status = excluded.status, outcome = excluded.outcome,
         lease_until = excluded.lease_until, expires_at = excluded.expires_at`,
    );
    const held = "run_id = ? AND call_id = ? AND token = ? AND status IN ('running', 'unknown')";
    this.#end = file.prepare(
      `UPDATE ledger SET status = ?, outcome = ?, lease_until = 0, expires_at = ? WHERE ${held}`,
    );
    this.#release = file.prepare(`DELETE FROM ledger WHERE ${held}`);
    this.#sweep = file.prepare(
      `DELETE FROM ledger WHERE (run_id, call_id) IN (SELECT run_id, call_id FROM ledger
       WHERE expires_at <= ? ORDER BY expires_at LIMIT ${maxSwept})`,
    );
    this.#sweepEpochs = file.prepare(
      `DELETE FROM ledger_epochs WHERE run_id IN (SELECT run_id FROM ledger_epochs
       WHERE expires_at <= ? ORDER BY expires_at LIMIT ${maxSwept})`,
    );
    const renew = file.prepare(
      "UPDATE ledger SET lease_until = ?, expires_at = ? WHERE token = ? AND status = 'running'",
    );
    this.#leases = new Leases(
      options,
      renewInFile(
        file,
        options.leaseMs,
        (token, until, now) => void renew.run(until, now + lifetimeMs, token),
      ),
    );
  }

  async begin(call: LedgerCall): Promise<LedgerEntry> {
    const entry = await this.#file.write(() => this.#beginCall(call));
    if (entry.status === "begun") this.#leases.hold(call.token);
    return entry;
  }

  async end({ runId, callId, token }: LedgerClaim, end: LedgerEnd): Promise<boolean> {
    // Also if the end cannot be written: the lease then expires, and the call is unknown.
    this.#leases.drop(token);
    return this.#file.write(() => {
      const outcome = "outcome" in end ? end.outcome : "";
      const result =
        end.status === "released"
          ? this.#release.run(runId, callId, token)
          : this.#end.run(end.status, outcome, this.#file.now() + lifetimeMs, runId, callId, token);
      return Number(result.changes) === 1;
    });
  }

  /** No lease is renewed any more. */
  stop(): void {
    this.#leases.stop();
  }

  #beginCall(call: LedgerCall): LedgerEntry {
    const now = this.#file.now();
    this.#sweep.run(now);
    this.#sweepEpochs.run(now);
    const { runId, callId, tool, specHash, argumentsHash, epoch, token } = call;
    if (epoch !== undefined) {
      const latest = this.#epoch.get(runId)?.["epoch"] as number | undefined;
      if (latest !== undefined && epoch < latest) return { status: "superseded" };
    }
    const row = this.#select.get(runId, callId, now) as unknown as Row | undefined;
    const answer = row === undefined ? undefined : this.#answerFor(row, call, now);
    if (answer !== undefined) return answer;
    const leaseEnd = this.#leases.end(now);
    this.#upsert.run(
      runId,
      callId,
      tool,
      specHash,
      argumentsHash,
      token,
      leaseEnd,
      now + lifetimeMs,
    );
    if (epoch !== undefined) this.#raiseEpoch.run(runId, epoch, now + lifetimeMs);
    return { status: "begun" };
  }

  /** The answer for a call that was begun before; `undefined`: it is taken over. */
  #answerFor(row: Row, call: LedgerCall, now: number): LedgerEntry | undefined {
    const { status, outcome } = row;
    if (row.token === call.token && status === "running") return { status: "begun" };
    const isSame = row.tool === call.tool && row.arguments_hash === call.argumentsHash;
    if (!isSame && call.repeat !== "resume") return { status: "conflict" };
    if (status === "ended") return { status, outcome };
    if (call.repeat === "resume") return undefined;
    if (status === "suspended") return { status: "ended", outcome };
    if (call.repeat === "rerun") return undefined;
    // Its own lease may be late, when the process was busy.
    const isHeld = row.lease_until > now || this.#leases.has(row.token);
    return { status: status === "running" && isHeld ? "running" : "unknown" };
  }
}
