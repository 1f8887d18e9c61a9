import { createHash } from "node:crypto";
import type { ToolExecutor } from "@toolweave/core";
import { parseMemoryOwner, type MemoryStore, type OwnedMemory } from "@toolweave/core/stores";
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

/** A page of the memory, newest first. */
export interface MemoryList {
  readonly items: readonly MemoryRow[];
  /** The `cursor` of the next page. */
  readonly nextCursor?: string;
}

/** Maximum number of entries that are listed. */
const maxListed = 1000;

/** The memory that is read, and the rule for its owners. */
export interface MemorySources {
  readonly executor: ToolExecutor;
  readonly owners: ConsoleOwners;
  readonly memory: Pick<MemoryStore, "listLatest"> | undefined;
}

/**
 * Lists the latest 1,000 entries that the sender may see.
 *
 * @throws Problem `not_available`
 */
export async function listMemory(
  sources: MemorySources,
  sender: ConsoleCaller,
  query: URLSearchParams,
): Promise<MemoryList> {
  const { rows, ...next } = getPage(
    query,
    await readVisible(sources, sender),
    (entry) => ({ time: entry.storedAt, id: toId(entry) }),
    "newest first",
  );
  return { items: sources.executor.redact(rows.map(toRow)), ...next };
}

/** @throws Problem `not_available`, `not_found` */
export async function getMemory(
  sources: MemorySources,
  sender: ConsoleCaller,
  id: string,
): Promise<MemoryDetails> {
  const visible = await readVisible(sources, sender);
  const found = visible.find((entry) => toId(entry) === id);
  if (found === undefined) {
    throw new Problem(
      "not_found",
      "There is no memory with this id among the latest: it was forgotten or has expired, or the id is wrong.",
    );
  }
  return sources.executor.redact({ ...toRow(found), content: found.content });
}

async function readVisible(
  { memory, owners }: MemorySources,
  sender: ConsoleCaller,
): Promise<readonly OwnedMemory[]> {
  if (memory?.listLatest === undefined) throw unavailableProblem("memory", "stores.memory");
  const all = await memory.listLatest(maxListed);
  return all.filter(({ owner }) => maySeeMemory(sender, owners, owner));
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
  const { id: caller, agent } = parseMemoryOwner(owner) ?? {};
  const runId = origin?.["runId"];
  return {
    ...{ id: toId(entry), key, category, bytes: Buffer.byteLength(content), storedAt },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(caller === undefined ? {} : { caller }),
    ...(agent === undefined ? {} : { agent }),
    ...(typeof runId === "string" ? { runId } : {}),
  };
}

/** A digest: a key may be too long for a path, or contain a secret. */
function toId({ owner, key }: OwnedMemory): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([owner, key]))
    .digest("hex");
  return `mem_${digest.slice(0, 32)}`;
}
