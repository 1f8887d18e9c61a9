import { systemClock, type Clock } from "../executor/clock.ts";
import { ToolError } from "../tool-error.ts";
import { changedBy } from "./task-record.ts";
import type { TaskChange, TaskRecord, TaskStore } from "./task-store.ts";

/** More are not kept: whoever makes a model begin tasks without end must not fill the memory. */
const mostTasks = 10_000;
/** Characters of all that have ended together. */
const mostText = 64 * 2 ** 20;

/**
 * Keeps tasks in this process, 10,000 at most and with 64 Mi characters of results: those that have
 * ended make room, the first to end first; when none has, `limit_exceeded`.
 *
 * @param clock what expiry goes by. Default: the platform's.
 */
export function memoryTasks(clock: Clock = systemClock): TaskStore {
  return new MemoryTasks(clock);
}

interface Kept {
  readonly owner: string;
  readonly expiresAt: number;
  /** The task, as text: what becomes of the objects outside changes nothing, and its size is known. */
  readonly json: string;
}

class MemoryTasks implements TaskStore {
  readonly #clock: Clock;
  /** In order of making. */
  readonly #open = new Map<string, Kept>();
  /** In order of ending. */
  readonly #ended = new Map<string, Kept>();
  #text = 0;
  /** No open task expires before. */
  #nextExpiry = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(task: TaskRecord): void {
    if (this.#open.has(task.id) || this.#ended.has(task.id)) {
      throw new ToolError("internal", "There is a task of this id already.");
    }
    if (this.#open.size >= mostTasks) this.#forgetOpen();
    if (this.#open.size >= mostTasks) {
      throw new ToolError(
        "limit_exceeded",
        `${mostTasks} tasks are under way already: wait for one of them, or cancel one.`,
      );
    }
    this.#open.set(task.id, kept(task));
    this.#makeRoom();
  }

  change(id: string, change: TaskChange): boolean {
    const found = this.#open.get(id);
    if (found === undefined || found.expiresAt <= this.#clock.now()) return false;
    const changed = kept(changedBy(read(found), change));
    if (change.status === "working" || change.status === "input_required") {
      this.#open.set(id, changed);
      return true;
    }
    this.#open.delete(id);
    this.#ended.set(id, changed);
    this.#text += changed.json.length;
    this.#makeRoom();
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

  #makeRoom(): void {
    this.#forgetExpired(this.#ended);
    for (const id of this.#ended.keys()) {
      const isRoom = this.#open.size + this.#ended.size <= mostTasks && this.#text <= mostText;
      // The last to end stays, however large it is: nobody has seen it yet.
      if (isRoom || this.#ended.size === 1) return;
      this.#forget(id);
    }
  }

  /** Whoever asks for one too many again and again must not have all of them looked at each time. */
  #forgetOpen(): void {
    if (this.#clock.now() < this.#nextExpiry) return;
    this.#forgetExpired(this.#open);
    // Changes only put it off, and new ones live as long as the others.
    this.#nextExpiry = Math.min(...Array.from(this.#open.values(), (one) => one.expiresAt));
  }

  #forgetExpired(tasks: Map<string, Kept>): void {
    const now = this.#clock.now();
    for (const [id, { expiresAt }] of tasks) {
      // Those that have ended all live equally long.
      if (expiresAt <= now) this.#forget(id);
      else if (tasks === this.#ended) return;
    }
  }

  #forget(id: string): void {
    this.#open.delete(id);
    this.#text -= this.#ended.get(id)?.json.length ?? 0;
    this.#ended.delete(id);
  }
}

function kept(task: TaskRecord): Kept {
  return { owner: task.owner, expiresAt: task.expiresAt, json: JSON.stringify(task) };
}

function read({ json }: Kept): TaskRecord {
  return JSON.parse(json) as TaskRecord;
}
