import { randomUUID } from "node:crypto";
import type { JsonValue } from "@toolweave/core";
import type { Database } from "../database/database.ts";
import { toName } from "../database/name.ts";

/** Lists of tools or vectors by key: the `cache` of an MCP source, and of a search. */
export interface PostgresLists {
  /** The list that was stored last. */
  get(key: string): Promise<JsonValue | undefined>;
  set(key: string, list: JsonValue): Promise<void>;
}

/** Lists in a table; of two that are set at the same time one is stored. */
export function postgresLists(db: Database): PostgresLists {
  const writer = randomUUID();
  let writes = 0;
  return {
    async get(key) {
      const list = await db.value(`SELECT list FROM ${db.schema}.lists WHERE key = $1`, [
        toName(key),
      ]);
      return typeof list === "string" ? (JSON.parse(list) as JsonValue) : undefined;
    },
    async set(key, list) {
      await db.run(
        `INSERT INTO ${db.schema}.lists AS l (key, list, writer, write) VALUES ($1, $2, $3, $4)
         ON CONFLICT (key) DO UPDATE
         SET list = excluded.list, writer = excluded.writer, write = excluded.write
         WHERE l.writer <> excluded.writer OR l.write < excluded.write`,
        [toName(key), JSON.stringify(list), writer, ++writes],
      );
    },
  };
}
