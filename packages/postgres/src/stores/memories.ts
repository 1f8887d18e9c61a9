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
  findNearest,
  lastMoment,
  maxRanked,
  minPrefix,
  plain,
  rankFound,
  rankMemories,
  toBytes,
  toFound,
  toOwned,
  tombstoneMs,
  toTerms,
  toWords,
  ownerLimitError,
  type MemoryRow,
  type OwnedMemoryRow,
  type OwnerLimit,
} from "@toolweave/stores/shared";
import type { Database, Row } from "../database/database.ts";
import { escapeName, fromName, toName } from "../database/name.ts";

/** PostgreSQL accepts 2,046 bytes. */
const maxWord = 200;
/** Different words of one entry that are found. */
const maxWords = 20_000;

/** The memory of agents in a table: a full-text index finds words, and vectors are compared one by one. */
export class PostgresMemory implements MemoryStore {
  readonly #db: Database;
  readonly #maxPerOwner: number;

  constructor(db: Database, { maxPerOwner }: OwnerLimit) {
    this.#db = db;
    this.#maxPerOwner = maxPerOwner;
  }

  async set(owner: string, entry: MemoryEntry): Promise<boolean> {
    const { key, category, content, expiresAt = lastMoment, origin, vector } = entry;
    const answer = await this.#db.value(
      `SELECT ${this.#db.schema}.set_memory($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        toName(owner),
        toName(key),
        toName(category),
        JSON.stringify({ key, category, content, origin }),
        indexedWords(`${key} ${content}`),
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
    if (text === undefined) {
      const rows = await this.#selectAcross(ownerPrefix, "", "stored_at DESC, id DESC", limit, []);
      return rows.map(toOwned);
    }
    const terms = toTerms(text);
    if (terms.length === 0) return [];
    const words = [toWordQuery(terms)];
    const order = "ts_rank(words, $3::tsquery) DESC, id DESC";
    const condition = "AND words @@ $3::tsquery";
    const rows = await this.#selectAcross(ownerPrefix, condition, order, maxRanked, words);
    return rankMemories(rows, [], { limit, now: await this.#now() }).map(toOwned);
  }

  async #selectAcross(
    ownerPrefix: string,
    condition: string,
    order: string,
    limit: number,
    values: readonly unknown[],
  ): Promise<readonly OwnedMemoryRow[]> {
    const { schema } = this.#db;
    // Of an owner with a very long name there is only the hash.
    const rows = await this.#db.run(
      `SELECT id, owner, entry, stored_at, expires_at, NULL AS vector FROM ${schema}.memories
       WHERE forgotten_at IS NULL AND expires_at > ${schema}.now_ms() AND owner NOT LIKE '"%'
         AND starts_with(owner, $1) ${condition}
       ORDER BY ${order} LIMIT $2`,
      [escapeName(ownerPrefix), limit, ...values],
    );
    return rows.map((row) => ({ ...toMemoryRow(row), owner: fromName(row["owner"] as string) }));
  }

  async #now(): Promise<number> {
    return Number(await this.#db.value(`SELECT ${this.#db.schema}.now_ms()`));
  }

  #findWords(
    owner: string,
    query: MemoryQuery,
    terms: readonly string[],
  ): Promise<readonly MemoryRow[]> {
    const condition = "AND words @@ $6::tsquery";
    const order = "ts_rank(words, $6::tsquery) DESC, id DESC";
    return this.#select(owner, query, condition, order, maxRanked, [toWordQuery(terms)]);
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

/** A text query for entries with at least one of the words. */
function toWordQuery(terms: readonly string[]): string {
  // Letters, marks and digits alone: no operator of a text query is among them.
  const words = terms.map((term) => {
    const word = plain(term).slice(0, maxWord);
    return term.length < minPrefix ? `'${word}'` : `'${word}':*`;
  });
  return words.join("|");
}

/** The words of a text as its index has them: lower case, without accents. */
function indexedWords(text: string): readonly string[] {
  const words = plain(toWords(text)).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.slice(0, maxWord)))].slice(0, maxWords);
}
