import type { JsonObject } from "@toolweave/core";
import type { FoundMemory, MemoryVector, OwnedMemory } from "@toolweave/core/stores";
import { lastMoment } from "./described-artifact.ts";
import { isAnyMatch, toIndexedWords, toWeight } from "./memory-words.ts";

/** After a month the weight of an entry's age has halved. */
const halfLifeMs = 30 * 86_400_000;
/** Entries with one word of a query that count, the newest ones: the time for a very common word has an end. */
export const maxMatches = 5_000;
/** Matches that are ranked by age and meaning. */
export const maxRanked = 100;
/** Milliseconds for which it is remembered that there was an entry. */
export const tombstoneMs: number = 90 * 86_400_000;
/** The part of a rank that the age decides. */
const ageWeight = 0.2;
/** Smooths ranks that are merged: Cormack, Clarke and Büttcher, "Reciprocal rank fusion", 2009. */
const fusionConstant = 60;

/** A stored entry as a database returns it. */
export interface MemoryRow {
  readonly id: number;
  readonly key: string;
  readonly category: string;
  readonly content: string;
  readonly stored_at: number;
  readonly expires_at: number;
  readonly origin: string | null;
  readonly vector: Uint8Array | null;
}

/** A stored entry with its owner. */
export interface OwnedMemoryRow extends MemoryRow {
  readonly owner: string;
}

/** A query, and the time at which it is made. */
export interface RankOptions {
  readonly terms: readonly string[];
  readonly vector: MemoryVector | undefined;
  readonly limit: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * The entries with the words of a query, the best one first: those with more and rarer words, then the newer ones.
 *
 * @param matches for each word the ids of the entries that have it.
 */
export function rankByWords(matches: readonly (readonly number[])[]): readonly number[] {
  const weights = new Map<number, number>();
  for (const ids of matches) {
    const weight = toWeight(ids.length);
    for (const id of ids) weights.set(id, (weights.get(id) ?? 0) + weight);
  }
  return [...weights].toSorted(([idA, a], [idB, b]) => b - a || idB - idA).map(([id]) => id);
}

/** The rows in the order of their ids in a list. */
export function inOrder<Row extends Pick<MemoryRow, "id">>(
  rows: readonly Row[],
  ids: readonly number[],
): readonly Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The rows with the most similar vectors, the most similar one first. */
export function findNearest<Row extends Pick<MemoryRow, "vector">>(
  rows: readonly Row[],
  { values }: MemoryVector,
): readonly Row[] {
  const asked = normalize(values);
  return rows
    .map((row) => ({ row, near: cosine(asked, row.vector) }))
    .toSorted((a, b) => b.near - a.near)
    .slice(0, maxRanked)
    .map(({ row }) => row);
}

/** The rows of both lists, merged by rank, the newer ones before the older ones. */
export function rankMemories<Row extends MemoryRow>(
  byWords: readonly Row[],
  byMeaning: readonly Row[],
  { limit, now }: Pick<RankOptions, "limit" | "now">,
): readonly Row[] {
  const scores = new Map<number, { readonly row: Row; score: number }>();
  for (const rows of [byWords, byMeaning]) {
    for (const [index, row] of rows.entries()) {
      const found = scores.get(row.id) ?? { row, score: 0 };
      found.score += 1 / (fusionConstant + index);
      scores.set(row.id, found);
    }
  }
  return [...scores.values()]
    .map(({ row, score }) => ({ row, score: score * ageFactor(now - row.stored_at) }))
    .toSorted((a, b) => b.score - a.score || b.row.id - a.row.id)
    .slice(0, limit)
    .map(({ row }) => row);
}

/** The entries of both lists as `find` returns them. */
export function rankFound(
  byWords: readonly MemoryRow[],
  byMeaning: readonly MemoryRow[],
  options: RankOptions,
): readonly FoundMemory[] {
  const { terms, vector } = options;
  return rankMemories(byWords, byMeaning, options).map((row) =>
    toFound(row, Math.max(coverage(row, terms), similarity(row, vector))),
  );
}

function ageFactor(ageMs: number): number {
  return 1 - ageWeight + ageWeight * 0.5 ** (Math.max(0, ageMs) / halfLifeMs);
}

/** The part of a query's words that an entry has. */
function coverage({ key, content }: MemoryRow, terms: readonly string[]): number {
  if (terms.length === 0) return 0;
  const words = toIndexedWords(`${key} ${content}`);
  return terms.filter((term) => isAnyMatch(words, term)).length / terms.length;
}

/** How near the meaning of an entry is to the one that is looked for: 0 to 1. */
function similarity({ vector }: MemoryRow, asked: MemoryVector | undefined): number {
  return asked === undefined ? 0 : Math.max(0, cosine(normalize(asked.values), vector));
}

/** A vector as it is stored: normalized 32-bit floats. */
export function toBytes({ values }: MemoryVector): Uint8Array {
  return new Uint8Array(normalize(values).buffer);
}

/** A vector of length 1. */
function normalize(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1;
  return Float32Array.from(values, (value) => value / length);
}

/** Both are normalized. Vectors of different lengths have nothing in common. */
function cosine(asked: Float32Array, bytes: Uint8Array | null): number {
  if (bytes === null || bytes.byteLength !== asked.byteLength) return 0;
  // A copy: the bytes of a Buffer are a part of a larger one, and slice does not copy them.
  const stored = new Float32Array(new Uint8Array(bytes).buffer);
  let sum = 0;
  for (let index = 0; index < asked.length; index++) {
    sum += (asked[index] as number) * (stored[index] as number);
  }
  return sum;
}

/** An entry that was found, as a store returns it. */
export function toFound(row: MemoryRow, score: number): FoundMemory {
  return { ...toEntry(row), score: Math.min(1, score) };
}

/** An entry of a list of all owners, as a store returns it. */
export function toOwned(row: OwnedMemoryRow): OwnedMemory {
  return { ...toEntry(row), owner: row.owner };
}

/** An entry as a store returns it. */
export function toEntry(row: MemoryRow): Omit<FoundMemory, "score"> {
  const { key, category, content, stored_at: storedAt, expires_at: expiresAt, origin } = row;
  return {
    key,
    category,
    content,
    storedAt,
    ...(expiresAt < lastMoment ? { expiresAt } : {}),
    ...(origin === null ? {} : { origin: JSON.parse(origin) as JsonObject }),
  };
}
