import type {
  FoundMemory,
  MemoryEntry,
  MemoryQuery,
  MemoryStore,
  MemoryVector,
  OwnedMemory,
  OwnersMemoryQuery,
} from "@toolweave/core/stores";
import { lastMoment } from "./described-artifact.ts";
import {
  findNearest,
  maxMatches,
  maxRanked,
  inOrder,
  rankByWords,
  rankFound,
  rankMemories,
  toBytes,
  toFound,
  toOwned,
  tombstoneMs,
  type MemoryRow,
  type OwnedMemoryRow,
} from "./memory-ranking.ts";
import { checkEntryTexts, isPrefix, toIndexedWords, toOwnerWord, toTerms } from "./memory-words.ts";
import type { SqliteFile } from "./sqlite-file.ts";
import { ownerLimitError, type OwnerLimit } from "./store-limits.ts";

/** Rows that one write removes, so that none takes long. */
const maxSwept = 100;

const columns = "id, key, category, content, stored_at, expires_at, origin, vector";
const isLive = "forgotten_at IS NULL AND expires_at > :now";
const isOwned = "owner BETWEEN :prefix AND :prefixEnd";
const isWanted = `memories.owner = :owner AND ${isLive} AND stored_at >= :since AND stored_at < :until
  AND (:category IS NULL OR category = :category)`;

/** The memory of agents in tables: a full-text index finds words, and vectors are compared one by one. */
export class SqliteMemory implements MemoryStore {
  readonly #file: SqliteFile;
  readonly #maxPerOwner: number;
  readonly #select;
  readonly #count;
  readonly #upsert;
  readonly #addWords;
  readonly #deleteWords;
  readonly #erase;
  readonly #newest;
  readonly #newestAcross;
  readonly #matches;
  readonly #matchesAcross;
  readonly #wanted;
  readonly #ranked;
  readonly #rankedAcross;
  readonly #vectors;
  readonly #byId;
  readonly #expired;
  readonly #expiredIds;
  readonly #remove;

  constructor(file: SqliteFile, { maxPerOwner }: OwnerLimit) {
    this.#file = file;
    this.#maxPerOwner = maxPerOwner;
    this.#select = file.prepare(
      "SELECT id, forgotten_at, expires_at FROM memories WHERE owner = :owner AND key = :key",
    );
    this.#count = file.prepare("SELECT entries FROM memory_owners WHERE owner = :owner");
    // Ids are in the order of the writes.
    this.#upsert = file.prepare(
      `INSERT INTO memories (owner, key, category, content, stored_at, expires_at, origin, model, vector)
       VALUES (:owner, :key, :category, :content, :now, :expiresAt, :origin, :model, :vector)
       ON CONFLICT (owner, key) DO UPDATE SET id = (SELECT max(id) + 1 FROM memories), category = excluded.category, content = excluded.content,
         stored_at = excluded.stored_at, expires_at = excluded.expires_at, origin = excluded.origin,
         model = excluded.model, vector = excluded.vector, forgotten_at = NULL
       RETURNING id`,
    );
    this.#addWords = file.prepare(
      "INSERT INTO memory_words (rowid, owner, words) VALUES (:id, :owner, :words)",
    );
    this.#deleteWords = file.prepare("DELETE FROM memory_words WHERE rowid = ?");
    this.#erase = file.prepare(
      `UPDATE memories SET content = '', origin = NULL, model = NULL, vector = NULL,
         forgotten_at = :now, expires_at = :until WHERE id = :id`,
    );
    this.#newest = file.prepare(
      `SELECT ${columns} FROM memories WHERE ${isWanted} ORDER BY stored_at DESC, id DESC LIMIT :limit`,
    );
    this.#newestAcross = file.prepare(
      `SELECT owner, ${columns} FROM memories WHERE ${isLive} AND (:prefix = '' OR ${isOwned})
       ORDER BY stored_at DESC, id DESC LIMIT :limit`,
    );
    const selectMatches = (condition: string): string =>
      `SELECT json_group_array(found) AS ids FROM (SELECT rowid AS found FROM memory_words
       WHERE memory_words MATCH :match ${condition} ORDER BY rowid DESC LIMIT ${maxMatches})`;
    // The index alone finds the best ones: to read the row of each match takes longer.
    this.#matches = file.prepare(selectMatches(""));
    // The sign keeps the match the first condition: rows of other owners must not count as matches.
    this.#matchesAcross = file.prepare(
      selectMatches(`AND (:prefix = '' OR +rowid IN (SELECT id FROM memories WHERE ${isOwned}))`),
    );
    const isRanked = "id IN (SELECT value FROM json_each(:ids))";
    this.#wanted = file.prepare(`SELECT id FROM memories WHERE ${isRanked} AND ${isWanted}`);
    this.#ranked = file.prepare(`SELECT ${columns} FROM memories WHERE ${isRanked} AND ${isLive}`);
    this.#rankedAcross = file.prepare(
      `SELECT owner, ${columns} FROM memories WHERE ${isRanked} AND ${isLive}`,
    );
    this.#vectors = file.prepare(
      `SELECT id, vector FROM memories WHERE ${isWanted} AND model = :model ORDER BY id`,
    );
    this.#byId = file.prepare(`SELECT ${columns} FROM memories WHERE id = ?`);
    this.#expired = file.prepare(
      `SELECT id FROM memories WHERE expires_at <= ? ORDER BY expires_at LIMIT ${maxSwept}`,
    );
    this.#expiredIds = file.prepare(
      "SELECT json_group_array(id) AS ids FROM memories WHERE expires_at <= ?",
    );
    this.#remove = file.prepare("DELETE FROM memories WHERE id = ?");
  }

  set(owner: string, entry: MemoryEntry): Promise<boolean> {
    return this.#file.write(() => {
      checkEntryTexts(entry);
      const now = this.#file.now();
      this.#sweep(now);
      const { key, category, content, expiresAt = lastMoment, origin, vector } = entry;
      const row = this.#select.get({ owner, key });
      const isThere = row?.["forgotten_at"] === null && (row["expires_at"] as number) > now;
      const count = (this.#count.get({ owner })?.["entries"] ?? 0) as number;
      if (!isThere && count >= this.#maxPerOwner)
        throw ownerLimitError("memories", this.#maxPerOwner);
      const stored = this.#upsert.get({
        owner,
        key,
        category,
        content,
        now,
        expiresAt: Math.min(expiresAt, lastMoment),
        origin: origin === undefined ? null : JSON.stringify(origin),
        model: vector?.model ?? null,
        vector: vector === undefined ? null : toBytes(vector),
      });
      const id = stored?.["id"] as number;
      if (row !== undefined) this.#deleteWords.run(row["id"] as number);
      this.#addWords.run({
        id,
        owner: toOwnerWord(owner),
        words: toIndexedWords(`${key} ${content}`).join(" "),
      });
      return isThere;
    });
  }

  find(owner: string, query: MemoryQuery): Promise<readonly FoundMemory[]> {
    return this.#file.read(() => {
      const now = this.#file.now();
      const { text, vector, category = null, since = 0, until = lastMoment, limit } = query;
      const wanted = { owner, now, since, until, category };
      if (text === undefined && vector === undefined) {
        const rows = this.#newest.all({ ...wanted, limit }) as unknown as MemoryRow[];
        return rows.map((row) => toFound(row, 1));
      }
      const terms = toTerms(text ?? "");
      const byWords = terms.length === 0 ? [] : this.#findWords(wanted, terms);
      const byMeaning = vector === undefined ? [] : this.#findNear(wanted, vector);
      return rankFound(byWords, byMeaning, { terms, vector, limit, now });
    });
  }

  findAcrossOwners(query: OwnersMemoryQuery): Promise<readonly OwnedMemory[]> {
    return this.#file.read(() => {
      const now = this.#file.now();
      const { text, limit, ownerPrefix: prefix = "" } = query;
      // No owner that begins with the prefix comes after this text.
      const wanted = { now, prefix, prefixEnd: `${prefix}\u{10ffff}` };
      if (text === undefined) {
        const rows = this.#newestAcross.all({ ...wanted, limit });
        return (rows as unknown as readonly OwnedMemoryRow[]).map(toOwned);
      }
      const terms = toTerms(text);
      if (terms.length === 0) return [];
      const { prefixEnd } = wanted;
      const matches = this.#findMatches(now, terms, (term) =>
        this.#matchesAcross.get({ prefix, prefixEnd, match: matchTerm(term) }),
      );
      const ids = rankByWords(matches);
      const rows = this.#readRanked(ids, (some) => this.#rankedAcross.all({ now, ids: some }));
      const ranked = rankMemories(rows as readonly OwnedMemoryRow[], [], { limit, now });
      return ranked.map(toOwned);
    });
  }

  forget(owner: string, key: string): Promise<"erased" | "forgotten" | "unknown"> {
    return this.#file.write(() => {
      const now = this.#file.now();
      this.#sweep(now);
      const row = this.#select.get({ owner, key });
      if (row === undefined || (row["expires_at"] as number) <= now) return "unknown";
      if (row["forgotten_at"] !== null) return "forgotten";
      const id = row["id"] as number;
      this.#erase.run({ id, now, until: now + tombstoneMs });
      this.#deleteWords.run(id);
      return "erased";
    });
  }

  /** Removes entries that have expired, and traces of those that were forgotten long ago. */
  #sweep(now: number): void {
    for (const { id } of this.#expired.all(now) as unknown as { readonly id: number }[]) {
      this.#deleteWords.run(id);
      this.#remove.run(id);
    }
  }

  #findWords(wanted: Wanted, terms: readonly string[]): readonly MemoryRow[] {
    const owner = `owner : "${toOwnerWord(wanted.owner)}" AND `;
    const matches = this.#findMatches(wanted.now, terms, (term) =>
      this.#matches.get({ match: owner + matchTerm(term) }),
    );
    let ids = rankByWords(matches);
    // Entries of another time or category may be among the best.
    if (wanted.category !== null || wanted.since > 0 || wanted.until < lastMoment) {
      const rows = this.#wanted.all({ ...wanted, ids: JSON.stringify(ids) });
      const kept = new Set(rows.map(({ id }) => id));
      ids = ids.filter((id) => kept.has(id));
    }
    return this.#readRanked(ids, (some) => this.#ranked.all({ now: wanted.now, ids: some }));
  }

  /** For each word the ids of the entries that have it, the newest ones. */
  #findMatches(
    now: number,
    terms: readonly string[],
    find: (term: string) => Record<string, unknown> | undefined,
  ): readonly (readonly number[])[] {
    // The next write removes them from the index.
    const expired = new Set(parseIds(this.#expiredIds.get(now)));
    return terms.map((term) => parseIds(find(term)).filter((id) => !expired.has(id)));
  }

  /** The rows of the first ids, in their order. */
  #readRanked(
    ids: readonly number[],
    read: (ids: string) => readonly object[],
  ): readonly MemoryRow[] {
    const first = ids.slice(0, maxRanked);
    const rows = read(JSON.stringify(first)) as readonly MemoryRow[];
    return inOrder(rows, first);
  }

  #findNear(wanted: Wanted, vector: MemoryVector): readonly MemoryRow[] {
    const rows = this.#vectors.all({ ...wanted, model: vector.model });
    const nearest = findNearest(rows as unknown as Pick<MemoryRow, "id" | "vector">[], vector);
    return nearest.map(({ id }) => this.#byId.get(id) as unknown as MemoryRow);
  }
}

interface Wanted extends Record<string, string | number | null> {
  readonly owner: string;
  readonly now: number;
  readonly since: number;
  readonly until: number;
  readonly category: string | null;
}

function parseIds(row: Record<string, unknown> | undefined): readonly number[] {
  return JSON.parse((row?.["ids"] ?? "[]") as string) as number[];
}

/** The condition of the index for entries with a word. */
function matchTerm(term: string): string {
  return `words : "${term}"${isPrefix(term) ? " *" : ""}`;
}
