import { createHash } from "node:crypto";
import type { ToolExecutor } from "@toolweave/core";
import {
  memoryOwner,
  memoryOwnerPrefix,
  parseMemoryOwner,
  type MemoryStore,
  type OwnedMemory,
} from "@toolweave/core/stores";
import type { ConsoleCaller } from "../authentication/console-caller.ts";
import { maySee, type ConsoleOwners } from "../authentication/visibility.ts";
import { getPage } from "../http/paging.ts";
import { Problem } from "../http/problem.ts";
import { unavailableProblem } from "../http/unavailable-problem.ts";

/** A text that an agent has stored, without its content. */
export interface MemoryRow {
  /** Of the owner and the key: a text that replaces it has the same one. */
  readonly id: string;
  readonly key: string;
  readonly category: string;
  /** The size of the content. */
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly storedAt: number;
  /** Milliseconds since the epoch; not found afterwards. Absent: never. */
  readonly expiresAt?: number;
  /** The caller whose memory it is in. Absent: that of calls without a caller. */
  readonly caller?: string;
  /** The agent of the caller whose memory it is in. */
  readonly agent?: string;
  /** The run that has stored it. */
  readonly runId?: string;
}

/** A text that an agent has stored. */
export interface MemoryDetails extends MemoryRow {
  readonly content: string;
}

/** A caller and its agent, which have a memory. */
export interface MemoryOwner {
  /** Absent: that of calls without a caller. */
  readonly caller?: string;
  readonly agent?: string;
}

/** Those whose entries are among the latest. */
export interface MemoryOwnerList {
  readonly items: readonly MemoryOwner[];
}

/** A page of the memory: newest first, or the best matches first. */
export interface MemoryList {
  readonly items: readonly MemoryRow[];
  /** The `cursor` of the next page. */
  readonly nextCursor?: string;
}

/** Maximum number of entries that are listed without words. */
const maxListed = 1000;
/** Maximum number of matches: the stores of Toolweave rank as many. */
const maxFound = 100;

/** The memory that is read, and the rule for its owners. */
export interface MemorySources {
  readonly executor: ToolExecutor;
  readonly owners: ConsoleOwners;
  readonly memory: Pick<MemoryStore, "findAcrossOwners"> | undefined;
}

/**
 * Lists the entries that the sender may see: the latest 1,000, or the 100 best matches of the words of `q`.
 *
 * @throws Problem `not_available`, `invalid_query`
 */
export async function listMemory(
  sources: MemorySources,
  sender: ConsoleCaller,
  query: URLSearchParams,
): Promise<MemoryList> {
  const entries = await readVisible(sources, sender, query);
  const ranks = new Map(entries.map((entry, rank) => [entry, rank]));
  const { rows, ...next } = hasWords(query)
    ? getPage(query, entries, (entry) => ({ time: ranks.get(entry) ?? 0, id: toId(entry) }))
    : getPage(
        query,
        entries,
        (entry) => ({ time: entry.storedAt, id: toId(entry) }),
        "newest first",
      );
  return { items: sources.executor.redact(rows.map(toRow)), ...next };
}

/**
 * Lists the owners of the latest 1,000 entries that the sender may see, by name.
 *
 * @throws Problem `not_available`
 */
export async function listMemoryOwners(
  sources: MemorySources,
  sender: ConsoleCaller,
): Promise<MemoryOwnerList> {
  const entries = await readVisible(sources, sender, new URLSearchParams());
  const owners = [...new Set(entries.map(({ owner }) => owner))].sort();
  return { items: sources.executor.redact(owners.map(toOwner)) };
}

/** @throws Problem `not_available`, `invalid_query`, `not_found` */
export async function getMemory(
  sources: MemorySources,
  sender: ConsoleCaller,
  id: string,
  query: URLSearchParams,
): Promise<MemoryDetails> {
  const visible = await readVisible(sources, sender, query);
  const found = visible.find((entry) => toId(entry) === id);
  if (found === undefined) {
    throw new Problem(
      "not_found",
      "There is no memory with this id in this list: it was forgotten or has expired, or it is no match any more, or the id is wrong.",
    );
  }
  return sources.executor.redact({ ...toRow(found), content: found.content });
}

const hasWords = (query: URLSearchParams): boolean => (query.get("q") ?? "").trim() !== "";

/** The entries of a list in its order: `q` are words that are looked for, `owner` restricts it to one owner. */
async function readVisible(
  { memory, owners }: MemorySources,
  sender: ConsoleCaller,
  query: URLSearchParams,
): Promise<readonly OwnedMemory[]> {
  if (memory?.findAcrossOwners === undefined) throw unavailableProblem("memory", "stores.memory");
  const owner = readOwner(query.get("owner"));
  const found = await memory.findAcrossOwners({
    ...(hasWords(query) ? { text: query.get("q") ?? "", limit: maxFound } : { limit: maxListed }),
    ownerPrefix: owner ?? visiblePrefix(sender, owners),
  });
  return found.filter((entry) => maySeeMemory(sender, owners, entry.owner));
}

/** @throws Problem `invalid_query` */
function readOwner(text: string | null): string | undefined {
  if (text === null || text === "") return undefined;
  const owner = parseMemoryOwner(text);
  if (owner !== undefined) return JSON.stringify([owner.id ?? null, owner.agent ?? null]);
  throw new Problem(
    "invalid_query",
    'owner must be a JSON array of a caller and an agent, each a text or null: ["ada","claude"], or ["ada",null].',
  );
}

/** The beginning of the owners whose memory the sender may see: entries of others must not displace theirs. */
function visiblePrefix({ caller }: ConsoleCaller, owners: ConsoleOwners): string {
  if (caller.agent !== undefined) return memoryOwner(caller);
  return owners === "all" ? "" : memoryOwnerPrefix(caller.id);
}

/** A program also sees no memory of another agent of its caller: that of each agent is separate. */
function maySeeMemory(sender: ConsoleCaller, owners: ConsoleOwners, owner: string): boolean {
  const { id, agent } = parseMemoryOwner(owner) ?? {};
  const programAgent = sender.caller.agent;
  if (programAgent !== undefined && programAgent !== agent) return false;
  return maySee(sender, owners, id === undefined ? {} : { caller: { id } });
}

function toRow(entry: OwnedMemory): MemoryRow {
  const { owner, key, category, content, storedAt, expiresAt, origin } = entry;
  const runId = origin?.["runId"];
  return {
    ...{ id: toId(entry), key, category, bytes: Buffer.byteLength(content), storedAt },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...toOwner(owner),
    ...(typeof runId === "string" ? { runId } : {}),
  };
}

function toOwner(owner: string): MemoryOwner {
  const { id: caller, agent } = parseMemoryOwner(owner) ?? {};
  return {
    ...(caller === undefined ? {} : { caller }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** A digest: a key may be too long for a path, or contain a secret. */
function toId({ owner, key }: OwnedMemory): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([owner, key]))
    .digest("hex");
  return `mem_${digest.slice(0, 32)}`;
}
