import { randomUUID } from "node:crypto";
import { ToolError, type Grant } from "@toolweave/core";
import type { GrantStore } from "@toolweave/core/stores";
import type { Database } from "../database/database.ts";
import { GroupedStatements } from "../database/grouped-statements.ts";
import { toName } from "../database/name.ts";

/** Grants in a table, in the order in which they were given. */
export class PostgresGrants implements GrantStore {
  readonly #db: Database;
  readonly #reads: GroupedStatements;

  constructor(db: Database) {
    this.#db = db;
    this.#reads = new GroupedStatements(db, {
      one: `SELECT grant_json FROM ${db.schema}.grants WHERE tool = $1 ORDER BY seq`,
      many: `SELECT n, grant_json FROM unnest($1::text[]) WITH ORDINALITY AS asked (tool, n)
        JOIN ${db.schema}.grants USING (tool) ORDER BY seq`,
      isRead: true,
    });
  }

  async add(grant: Grant): Promise<void> {
    const values = [toName(grant.id), toName(grant.tool), JSON.stringify(grant), randomUUID()];
    const isStored = await this.#db.value(
      `SELECT ${this.#db.schema}.add_grant($1, $2, $3, $4)`,
      values,
    );
    if (isStored === true) return;
    throw new ToolError(
      "internal",
      `The grant "${grant.id}" is stored already with other members: give each an id of its own.`,
    );
  }

  async list(tool?: string): Promise<readonly Grant[]> {
    const name = tool === undefined ? undefined : toName(tool);
    const rows =
      name === undefined
        ? await this.#db.run(`SELECT grant_json FROM ${this.#db.schema}.grants ORDER BY seq`)
        : await this.#reads.run(name, [name]);
    return rows.map((row) => JSON.parse(row["grant_json"] as string) as Grant);
  }

  async revoke(id: string): Promise<boolean> {
    const values = [toName(id), randomUUID()];
    return (
      (await this.#db.value(`SELECT ${this.#db.schema}.revoke_grant($1, $2)`, values)) === true
    );
  }
}
