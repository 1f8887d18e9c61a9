import { randomUUID } from "node:crypto";
import type {
  FoundMemory,
  MemoryEntry,
  MemoryQuery,
  MemoryStore,
  MemoryVector,
  OwnedMemory,
  OwnersMemoryQuery,
} from "@toolweave/core/stores";
import {
  checkEntryTexts,
  findNearest,
  inOrder,
  isPrefix,
  lastMoment,
  maxMatches,
  maxRanked,
  rankByWords,
  rankFound,
  rankMemories,
  toBytes,
  toFound,
  toOwned,
  tombstoneMs,
  toIndexedWords,
  toTerms,
  ownerLimitError,
  type MemoryRow,
  type OwnedMemoryRow,
  type OwnerLimit,
} from "@toolweave/stores/shared";
import type { Database, Row } from "../database/database.ts";
import { escapeName, fromName, toName } from "../database/name.ts";

/** Owners that begin with a text. Of an owner with a very long name there is only the hash. */
const isOwned = `owner NOT LIKE '"%' AND starts_with(owner, $1)`;

/** The memory of agents in a table: a full-text index finds words, and vectors are compared one by one. */
export class PostgresMemory implements MemoryStore {
  readonly #db: Database;
  readonly #maxPerOwner: number;

  constructor(db: Database, { maxPerOwner }: OwnerLimit) {
    this.#db = db;
    this.#maxPerOwner = maxPerOwner;
  }

  async set(owner: string, entry: MemoryEntry): Promise<boolean> {
    checkEntryTexts(entry);
    const { key, category, content, expiresAt = lastMoment, origin, vector } = entry;
    const answer = await this.#db.value(
      `SELECT ${this.#db.schema}.set_memory($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        toName(owner),
        toName(key),
        toName(category),
        JSON.stringify({ key, category, content, origin }),
        toIndexedWords(`${key} ${content}`),
        Math.min(expiresAt, lastMoment),
        vector === undefined ? null : toName(vector.model),
        vector === undefined ? null : Buffer.from(toBytes(vector)),
        this.#maxPerOwner,
        randomUUID(),
      ],
    );
    if (answer !== "full") return answer === "replaced";
    throw ownerLimitError("memories", this.#maxPerOwner);
  }

  async find(owner: string, query: MemoryQuery): Promise<readonly FoundMemory[]> {
    const { text, vector, limit } = query;
    if (text === undefined && vector === undefined) {
      const rows = await this.#select(owner, query, "", "stored_at DESC, id DESC", limit, []);
      return rows.map((row) => toFound(row, 1));
    }
    const terms = toTerms(text ?? "");
    const byWords = terms.length === 0 ? [] : await this.#findWords(owner, query, terms);
    const byMeaning = vector === undefined ? [] : await this.#findNear(owner, query, vector);
    return rankFound(byWords, byMeaning, { terms, vector, limit, now: await this.#now() });
  }

  async forget(owner: string, key: string): Promise<"erased" | "forgotten" | "unknown"> {
    const values = [toName(owner), toName(key), tombstoneMs, randomUUID()];
    return (await this.#db.value(
      `SELECT ${this.#db.schema}.forget_memory($1, $2, $3, $4)`,
      values,
    )) as "erased" | "forgotten" | "unknown";
  }

  async findAcrossOwners(query: OwnersMemoryQuery): Promise<readonly OwnedMemory[]> {
    const { text, limit, ownerPrefix = "" } = query;
    const owners = [escapeName(ownerPrefix)];
    if (text === undefined) {
      const rows = await this.#selectAcross("TRUE", "stored_at DESC, id DESC", [...owners, limit]);
      return rows.map(toOwned);
    }
    const terms = toTerms(text);
    if (terms.length === 0) return [];
    const matches = await this.#findMatches(isOwned, owners, terms);
    const ids = rankByWords(matches).slice(0, maxRanked);
    const rows = await this.#selectAcross("id = ANY($3)", "id", [...owners, maxRanked, ids]);
    return rankMemories(inOrder(rows, ids), [], { limit, now: await this.#now() }).map(toOwned);
  }

  async #selectAcross(
    condition: string,
    order: string,
    values: readonly unknown[],
  ): Promise<readonly OwnedMemoryRow[]> {
    const { schema } = this.#db;
    const rows = await this.#db.run(
      `SELECT id, owner, entry, stored_at, expires_at, NULL AS vector FROM ${schema}.memories
       WHERE forgotten_at IS NULL AND expires_at > ${schema}.now_ms() AND ${isOwned} AND ${condition}
       ORDER BY ${order} LIMIT $2`,
      values,
    );
    return rows.map((row) => ({ ...toMemoryRow(row), owner: fromName(row["owner"] as string) }));
  }

  /** For each word the ids of the entries that have it, the newest ones. */
  async #findMatches(
    condition: string,
    values: readonly unknown[],
    terms: readonly string[],
  ): Promise<readonly (readonly number[])[]> {
    const rows = await this.#db.run(
      `SELECT to_json(ARRAY(SELECT id FROM ${this.#db.schema}.memories
         WHERE forgotten_at IS NULL AND expires_at > ${this.#db.schema}.now_ms() AND ${condition} AND words @@ term::tsquery
         ORDER BY id DESC LIMIT ${maxMatches})) AS ids
       FROM unnest($${values.length + 1}::text[]) AS term`,
      [...values, terms.map(toWordQuery)],
    );
    return rows.map(({ ids }) => ids as number[]);
  }

  async #now(): Promise<number> {
    return Number(await this.#db.value(`SELECT ${this.#db.schema}.now_ms()`));
  }

  async #findWords(
    owner: string,
    query: MemoryQuery,
    terms: readonly string[],
  ): Promise<readonly MemoryRow[]> {
    let ids = rankByWords(await this.#findMatches("owner = $1", [toName(owner)], terms));
    const { category, since = 0, until = lastMoment } = query;
    // Entries of another time or category may be among the best.
    if (category !== undefined || since > 0 || until < lastMoment) {
      const rows = await this.#db.run(
        `SELECT id FROM ${this.#db.schema}.memories WHERE id = ANY($1) AND expires_at > ${this.#db.schema}.now_ms()
           AND stored_at >= $2 AND stored_at < $3 AND ($4::text IS NULL OR category = $4)`,
        [ids, since, until, category === undefined ? null : toName(category)],
      );
      const kept = new Set(rows.map(({ id }) => Number(id)));
      ids = ids.filter((id) => kept.has(id));
    }
    const first = ids.slice(0, maxRanked);
    const rows = await this.#select(owner, query, "AND id = ANY($6)", "id", maxRanked, [first]);
    return inOrder(rows, first);
  }

  async #findNear(
    owner: string,
    query: MemoryQuery,
    vector: MemoryVector,
  ): Promise<readonly MemoryRow[]> {
    const model = [toName(vector.model)];
    const rows = await this.#select(owner, query, "AND model = $6", "id", undefined, model);
    return findNearest(rows, vector);
  }

  async #select(
    owner: string,
    { category, since = 0, until = lastMoment }: MemoryQuery,
    condition: string,
    order: string,
    limit: number | undefined,
    values: readonly unknown[],
  ): Promise<readonly MemoryRow[]> {
    const { schema } = this.#db;
    const rows = await this.#db.run(
      `SELECT id, entry, stored_at, expires_at, vector FROM ${schema}.memories
       WHERE owner = $1 AND forgotten_at IS NULL AND expires_at > ${schema}.now_ms()
         AND stored_at >= $2 AND stored_at < $3 AND ($4::text IS NULL OR category = $4) ${condition}
       ORDER BY ${order} LIMIT $5`,
      [
        toName(owner),
        since,
        until,
        category === undefined ? null : toName(category),
        limit ?? null,
        ...values,
      ],
    );
    return rows.map(toMemoryRow);
  }
}

function toMemoryRow(row: Row): MemoryRow {
  const entry = JSON.parse(row["entry"] as string) as Omit<MemoryEntry, "vector">;
  return {
    id: Number(row["id"]),
    key: entry.key,
    category: entry.category,
    content: entry.content,
    stored_at: row["stored_at"] as number,
    expires_at: row["expires_at"] as number,
    origin: entry.origin === undefined ? null : JSON.stringify(entry.origin),
    vector: row["vector"] as Uint8Array | null,
  };
}

/** A text query for entries with a word. Letters and digits alone: no operator is among them. */
function toWordQuery(term: string): string {
  return isPrefix(term) ? `'${term}':*` : `'${term}'`;
}
