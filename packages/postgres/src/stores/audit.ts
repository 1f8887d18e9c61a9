import { randomUUID } from "node:crypto";
import type {
  AuditEntry,
  AuditReader,
  AuditRecord,
  AuditSink,
  ReadAuditOptions,
} from "@toolweave/core/stores";
import { ToolError } from "@toolweave/core";
import type { Database } from "../database/database.ts";

/** Adds a row for each record, and reads them. */
export class PostgresAudit implements AuditSink, AuditReader {
  readonly required: boolean;
  readonly #db: Database;

  constructor(db: Database, required: boolean) {
    this.#db = db;
    this.required = required;
  }

  async write(record: AuditRecord): Promise<void> {
    await this.#db.run(
      `INSERT INTO ${this.#db.schema}.audit (id, time, record) VALUES ($1, $2, $3)
       ON CONFLICT (id) DO NOTHING`,
      [randomUUID(), record.time, JSON.stringify(record)],
    );
  }

  async read({ before, limit }: ReadAuditOptions): Promise<readonly AuditEntry[]> {
    const [time, seq] = before === undefined ? [] : toPosition(before);
    const rows = await this.#db.run(
      `SELECT seq::text AS seq, time, record FROM ${this.#db.schema}.audit
       ${time === undefined ? "" : "WHERE (time, seq) < ($2, $3)"}
       ORDER BY time DESC, audit.seq DESC LIMIT $1`,
      [limit, ...(time === undefined ? [] : [time, seq])],
    );
    return rows.map((row) => ({
      seq: Number(row["seq"]),
      position: `${String(row["time"])}:${String(row["seq"])}`,
      record: JSON.parse(row["record"] as string) as AuditRecord,
    }));
  }
}

function toPosition(text: string): readonly [time: number, seq: string] {
  const [, time = "", seq = ""] = /^([\d.]+(?:e\+\d+)?):(\d+)$/.exec(text) ?? [];
  if (seq !== "") return [Number(time), seq];
  throw new ToolError("invalid_configuration", "audit.read: before is the position of a record.");
}
