import { quotaOwner } from "../contract/caller.ts";
import { systemClock, type Clock } from "../time/clock.ts";
import { checkedQuota, type MemoryQuota } from "../limits/memory-quota.ts";
import { ToolError } from "../contract/tool-error.ts";
import { changedBy } from "./task-record.ts";
import type { ListedTask, StoredTask, TaskChange, TaskRecord, TaskStore } from "./task-store.ts";

/** Maximum number of tasks: a model that starts tasks without end must not fill the memory. */
const maxTasks = 10_000;
/** Maximum characters of all ended tasks together. */
const maxTextLength = 64 * 2 ** 20;

/**
 * Stores tasks in this process: 10,000 at most, with 64 Mi characters of results, and 2,500 of one owner. If there is
 * no room, ended tasks are dropped: first those of the owner that has the most, and of these the first to end. If none
 * has ended, `add` fails with `limit_exceeded`.
 *
 * @param clock for expiry. Default: the platform's.
 * @throws ToolError `invalid_configuration` for a quota that is not valid.
 */
export function memoryTasks(clock: Clock = systemClock, quota: MemoryQuota = {}): TaskStore {
  return new MemoryTasks(clock, checkedQuota("memoryTasks", quota));
}

interface TaskEntry {
  readonly owner: string;
  /** The owner whose quota it counts against. */
  readonly counted: string;
  readonly expiresAt: number;
  /** The task as JSON: later changes to its objects have no effect, and its size is known. */
  readonly json: string;
}

/** The tasks of one owner. */
interface Owned {
  open: number;
  /** In order of end. */
  readonly ended: Set<string>;
  text: number;
}

class MemoryTasks implements TaskStore {
  readonly #clock: Clock;
  readonly #maxPerOwner: number;
  /** In order of creation. */
  readonly #open = new Map<string, TaskEntry>();
  /** In order of end. */
  readonly #ended = new Map<string, TaskEntry>();
  readonly #owners = new Map<string, Owned>();
  #text = 0;
  /** Functions that end a wait for a change, by the id of the task. */
  readonly #watchers = new Map<string, Set<() => void>>();
  /** No open task expires before this time. */
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
    this.#open.set(task.id, toEntry(task));
    this.#ownedBy(counted).open += 1;
    this.#makeRoom(counted);
  }

  change(id: string, change: TaskChange): boolean {
    const found = this.#open.get(id);
    if (found === undefined || found.expiresAt <= this.#clock.now()) return false;
    const changed = toEntry(changedBy(read(found), change));
    this.#notify(id);
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

  watch(id: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const watchers = this.#watchers.get(id) ?? new Set();
      this.#watchers.set(id, watchers);
      const end = (): void => {
        signal.removeEventListener("abort", end);
        watchers.delete(end);
        if (watchers.size === 0 && this.#watchers.get(id) === watchers) this.#watchers.delete(id);
        resolve();
      };
      watchers.add(end);
      signal.addEventListener("abort", end);
      if (signal.aborted) end();
    });
  }

  requestCancel(id: string, by: string): boolean {
    const found = this.#open.get(id);
    if (found === undefined || found.expiresAt <= this.#clock.now()) return false;
    const { cancelRequestedBy: _, ...task } = read(found);
    if (task.status !== "working") return false;
    this.#open.set(id, { ...found, json: JSON.stringify({ ...task, cancelRequestedBy: by }) });
    this.#notify(id);
    return true;
  }

  #notify(id: string): void {
    for (const end of [...(this.#watchers.get(id) ?? [])]) end();
  }

  get(id: string): StoredTask | undefined {
    const found = this.#open.get(id) ?? this.#ended.get(id);
    return found !== undefined && found.expiresAt > this.#clock.now() ? read(found) : undefined;
  }

  list(owner: string): readonly StoredTask[] {
    const now = this.#clock.now();
    return [...this.#ended.values(), ...this.#open.values()]
      .filter((one) => one.owner === owner && one.expiresAt > now)
      .map(read)
      .sort((a, b) => a.createdAt - b.createdAt);
  }

  listLatest(max: number): readonly ListedTask[] {
    const now = this.#clock.now();
    return [...this.#ended.values(), ...this.#open.values()]
      .filter(({ expiresAt }) => expiresAt > now)
      .map((entry) => withoutResult(read(entry)))
      .sort((one, other) => other.createdAt - one.createdAt)
      .slice(0, max);
  }

  #ownedBy(counted: string): Owned {
    let owned = this.#owners.get(counted);
    if (owned === undefined) {
      this.#owners.set(counted, (owned = { open: 0, ended: new Set(), text: 0 }));
    }
    return owned;
  }

  /** The last task to end stays, however large it is: its result has not been read yet. */
  #makeRoom(counted: string): void {
    this.#forgetExpired(this.#ended);
    const owned = this.#ownedBy(counted);
    while (owned.open + owned.ended.size > this.#maxPerOwner && owned.ended.size > 1) {
      this.#forgetFirst(owned);
    }
    while (this.#ended.size > 1) {
      const isFull = this.#open.size + this.#ended.size > maxTasks;
      if (!isFull && this.#text <= maxTextLength) return;
      this.#forgetFirst(this.#largest(isFull ? countTasks : (one) => one.text));
    }
  }

  #largest(size: (owned: Owned) => number): Owned {
    let largest: Owned | undefined;
    for (const owned of this.#owners.values()) {
      if (largest === undefined || size(owned) > size(largest)) largest = owned;
    }
    return largest as Owned;
  }

  #forgetFirst({ ended }: Owned): void {
    const [first] = ended;
    this.#forget(first as string);
  }

  /**
   * Skips the search while no task can have expired: an owner that keeps exceeding the limit must not cause a full
   * search each time.
   */
  #forgetOpen(): void {
    if (this.#clock.now() < this.#nextExpiry) return;
    this.#forgetExpired(this.#open);
    // Changes only postpone the expiry, and new tasks have the same lifetime.
    this.#nextExpiry = Math.min(...Array.from(this.#open.values(), (one) => one.expiresAt));
  }

  #forgetExpired(tasks: Map<string, TaskEntry>): void {
    const now = this.#clock.now();
    for (const [id, { expiresAt }] of tasks) {
      // Ended tasks all have the same lifetime.
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

/** Number of tasks of an owner; -1 for an owner that has no ended task to drop. */
function countTasks({ open, ended }: Owned): number {
  return ended.size === 0 ? -1 : open + ended.size;
}

function withoutResult({ result: _result, ...task }: StoredTask): ListedTask {
  return task;
}

function toEntry(task: StoredTask): TaskEntry {
  const { owner, expiresAt } = task;
  return { owner, counted: quotaOwner(owner), expiresAt, json: JSON.stringify(task) };
}

function read({ json }: TaskEntry): StoredTask {
  return JSON.parse(json) as StoredTask;
}
