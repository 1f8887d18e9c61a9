import { randomUUID } from "node:crypto";
import type { AuditRecord, AuditSink } from "@toolweave/core/stores";
import type { Database } from "../database/database.ts";

/** A sink that adds a row for each record. */
export class PostgresAudit implements AuditSink {
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
}
