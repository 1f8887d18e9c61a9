import type { Awaitable, JsonObject } from "../json/json.ts";

/** A text that an agent has stored, to find it again in later sessions. */
export interface MemoryEntry {
  /** Names the entry among those of its owner. */
  readonly key: string;
  readonly content: string;
  /** Such as `core` or `daily`. */
  readonly category: string;
  /** Milliseconds since the epoch; not found afterwards. Absent: never. */
  readonly expiresAt?: number;
  /** Where it came from: the run and the call that have stored it. */
  readonly origin?: JsonObject;
  /** The meaning of the content, by the model that has computed it: vectors of different models are not compared. */
  readonly vector?: MemoryVector;
}

/** The meaning of a text. */
export interface MemoryVector {
  /** The id of the model. */
  readonly model: string;
  readonly values: readonly number[];
}

/** The entries that are looked for. Every condition that is there has to hold. */
export interface MemoryQuery {
  /** Plain words, of which an entry has at least one; a store never reads them as a query language. Absent: the newest entries. */
  readonly text?: string;
  /** Entries whose meaning is near to this one are found as well. */
  readonly vector?: MemoryVector;
  readonly category?: string;
  /** Milliseconds since the epoch: stored then or later. */
  readonly since?: number;
  /** Milliseconds since the epoch: stored before. */
  readonly until?: number;
  readonly limit: number;
}

/** An entry that was found. */
export interface FoundMemory extends Omit<MemoryEntry, "vector"> {
  /** Milliseconds since the epoch. */
  readonly storedAt: number;
  /** From 0 to 1: how well it fits the query. */
  readonly score: number;
}

/** The entries that are looked for among those of all owners. */
export interface OwnersMemoryQuery extends Pick<MemoryQuery, "text" | "limit"> {
  /** The beginning of each owner whose entries are found: a whole owner, or `memoryOwnerPrefix`. Default: all owners. */
  readonly ownerPrefix?: string;
}

/** An entry that was found among those of all owners. */
export interface OwnedMemory extends Omit<FoundMemory, "score"> {
  /** As it was stored: `parseMemoryOwner` has the caller and the agent. */
  readonly owner: string;
}

/**
 * A store for the memory of agents. The owner, which the tools derive from caller and agent, is compared as a whole: no
 * operation but `findAcrossOwners`, which is for hosts, reaches entries of another one.
 */
export interface MemoryStore {
  /**
   * Stores an entry, in place of the one of that key.
   *
   * @returns true: there was one.
   * @throws ToolError `limit_exceeded` when the owner has as many as it may have, `store_unavailable`.
   */
  set(owner: string, entry: MemoryEntry): Awaitable<boolean>;
  /** The best matches, the best one first. */
  find(owner: string, query: MemoryQuery): Awaitable<readonly FoundMemory[]>;
  /**
   * Erases the content of an entry. The store remembers that there was one, and when it was forgotten.
   *
   * @returns `unknown`: there has never been one; `forgotten`: it had been forgotten already.
   */
  forget(owner: string, key: string): Awaitable<"erased" | "forgotten" | "unknown">;
  /**
   * The entries of all owners, or of some: without a text the newest ones, newest first; with a text the best matches as
   * `find` ranks them, the best one first. A store may return fewer matches than `limit`. Entries whose owner it does not
   * know as a text are omitted. Absent: only the entries of one owner can be found.
   */
  findAcrossOwners?(query: OwnersMemoryQuery): Awaitable<readonly OwnedMemory[]>;
}
