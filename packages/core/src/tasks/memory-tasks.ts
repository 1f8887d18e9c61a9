import { quotaOwner } from "../contract/owner.ts";
import { systemClock, type Clock } from "../time/clock.ts";
import { checkedQuota, type MemoryQuota } from "../limits/memory-quota.ts";
import { ToolError } from "../contract/tool-error.ts";
import { changedBy } from "./task-record.ts";
import type { TaskChange, TaskRecord, TaskStore } from "./task-store.ts";

/** More are not kept: whoever makes a model begin tasks without end must not fill the memory. */
const maxTasks = 10_000;
/** Characters of all that have ended together. */
const maxTextLength = 64 * 2 ** 20;

/**
 * Keeps tasks in this process, 10,000 at most and with 64 Mi characters of results, and of one owner 2,500: those that
 * have ended make room, first those of the owner that has the most, and of these the first to end; when none has ended,
 * `limit_exceeded`.
 *
 * @param clock what expiry goes by. Default: the platform's.
 * @throws ToolError `internal` for a quota that makes no sense.
 */
export function memoryTasks(clock: Clock = systemClock, quota: MemoryQuota = {}): TaskStore {
  return new MemoryTasks(clock, checkedQuota("memoryTasks", quota));
}

interface StoredTask {
  readonly owner: string;
  /** Whose quota it counts against. */
  readonly counted: string;
  readonly expiresAt: number;
  /** The task, as text: what becomes of the objects outside changes nothing, and its size is known. */
  readonly json: string;
}

/** What one owner has in the store. */
interface Owned {
  open: number;
  /** In order of ending. */
  readonly ended: Set<string>;
  text: number;
}

class MemoryTasks implements TaskStore {
  readonly #clock: Clock;
  readonly #maxPerOwner: number;
  /** In order of making. */
  readonly #open = new Map<string, StoredTask>();
  /** In order of ending. */
  readonly #ended = new Map<string, StoredTask>();
  readonly #owners = new Map<string, Owned>();
  #text = 0;
  /** No open task expires before. */
  #nextExpiry = 0;

  constructor(clock: Clock, maxPerOwner: number) {
    this.#clock = clock;
    this.#maxPerOwner = maxPerOwner;
  }

  add(task: TaskRecord): void {
    if (this.#open.has(task.id) || this.#ended.has(task.id)) {
      throw new ToolError("internal", "There is a task of this id already.");
    }
    const counted = quotaOwner(task.owner);
    const isFull = (): boolean =>
      this.#open.size >= maxTasks || (this.#owners.get(counted)?.open ?? 0) >= this.#maxPerOwner;
    if (isFull()) this.#forgetOpen();
    if (isFull()) {
      const isAll = this.#open.size >= maxTasks;
      throw new ToolError(
        "limit_exceeded",
        `${isAll ? maxTasks : this.#maxPerOwner} tasks${isAll ? "" : " of this caller"} are under way already: wait for one of them, or cancel one.`,
      );
    }
    this.#open.set(task.id, toStoredTask(task));
    this.#ownedBy(counted).open += 1;
    this.#makeRoom(counted);
  }

  change(id: string, change: TaskChange): boolean {
    const found = this.#open.get(id);
    if (found === undefined || found.expiresAt <= this.#clock.now()) return false;
    const changed = toStoredTask(changedBy(read(found), change));
    if (change.status === "working" || change.status === "input_required") {
      this.#open.set(id, changed);
      return true;
    }
    this.#open.delete(id);
    this.#ended.set(id, changed);
    this.#text += changed.json.length;
    const owned = this.#ownedBy(changed.counted);
    owned.open -= 1;
    owned.ended.add(id);
    owned.text += changed.json.length;
    this.#makeRoom(changed.counted);
    return true;
  }

  get(id: string): TaskRecord | undefined {
    const found = this.#open.get(id) ?? this.#ended.get(id);
    return found !== undefined && found.expiresAt > this.#clock.now() ? read(found) : undefined;
  }

  list(owner: string): readonly TaskRecord[] {
    const now = this.#clock.now();
    return [...this.#ended.values(), ...this.#open.values()]
      .filter((one) => one.owner === owner && one.expiresAt > now)
      .map(read)
      .sort((a, b) => a.createdAt - b.createdAt);
  }

  #ownedBy(counted: string): Owned {
    let owned = this.#owners.get(counted);
    if (owned === undefined) {
      this.#owners.set(counted, (owned = { open: 0, ended: new Set(), text: 0 }));
    }
    return owned;
  }

  /** The last to end stays, however large it is: nobody has seen it yet. */
  #makeRoom(counted: string): void {
    this.#forgetExpired(this.#ended);
    const owned = this.#ownedBy(counted);
    while (owned.open + owned.ended.size > this.#maxPerOwner && owned.ended.size > 1) {
      this.#forgetFirstOf(owned);
    }
    while (this.#ended.size > 1) {
      const isFull = this.#open.size + this.#ended.size > maxTasks;
      if (!isFull && this.#text <= maxTextLength) return;
      this.#forgetFirstOf(this.#largest(isFull ? tasksOf : (one) => one.text));
    }
  }

  #largest(size: (owned: Owned) => number): Owned {
    let largest: Owned | undefined;
    for (const owned of this.#owners.values()) {
      if (largest === undefined || size(owned) > size(largest)) largest = owned;
    }
    return largest as Owned;
  }

  #forgetFirstOf({ ended }: Owned): void {
    const [first] = ended;
    this.#forget(first as string);
  }

  /** Whoever asks for one too many again and again must not have all of them looked at each time. */
  #forgetOpen(): void {
    if (this.#clock.now() < this.#nextExpiry) return;
    this.#forgetExpired(this.#open);
    // Changes only put it off, and new ones live as long as the others.
    this.#nextExpiry = Math.min(...Array.from(this.#open.values(), (one) => one.expiresAt));
  }

  #forgetExpired(tasks: Map<string, StoredTask>): void {
    const now = this.#clock.now();
    for (const [id, { expiresAt }] of tasks) {
      // Those that have ended all live equally long.
      if (expiresAt <= now) this.#forget(id);
      else if (tasks === this.#ended) return;
    }
  }

  #forget(id: string): void {
    const open = this.#open.get(id);
    const ended = this.#ended.get(id);
    const { counted = "" } = open ?? ended ?? {};
    const owned = this.#ownedBy(counted);
    if (this.#open.delete(id)) owned.open -= 1;
    if (ended !== undefined) {
      this.#ended.delete(id);
      owned.ended.delete(id);
      owned.text -= ended.json.length;
      this.#text -= ended.json.length;
    }
    if (owned.open + owned.ended.size === 0) this.#owners.delete(counted);
  }
}

/** What an owner has that has none to make room with is left out. */
function tasksOf({ open, ended }: Owned): number {
  return ended.size === 0 ? -1 : open + ended.size;
}

function toStoredTask(task: TaskRecord): StoredTask {
  const { owner, expiresAt } = task;
  return { owner, counted: quotaOwner(owner), expiresAt, json: JSON.stringify(task) };
}

function read({ json }: StoredTask): TaskRecord {
  return JSON.parse(json) as TaskRecord;
}
