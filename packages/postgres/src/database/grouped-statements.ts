import type { Timers } from "@toolweave/stores/shared";
import { deadlineMs, maxAttempts, unavailable, type Row } from "./database.ts";

/** The maximum number of operations in one statement. */
const maxOperations = 64;
/** Statements of one kind that a process has under way; further operations wait for one of them to end. */
const maxActive = 2;
/** The bytes of the values after which no operation is added to a statement. */
const maxBytes = 1024 * 1024;

/** What sends a statement: a `Database`, or one like it. */
export interface StatementRunner {
  readonly timers: Timers;
  run(text: string, values: readonly unknown[], attempts: number): Promise<readonly Row[]>;
}

/** A statement that does an operation for each element of its arrays. */
export interface GroupedStatement {
  /** Its rows have the number of their operation, from 1, in the column `n`. */
  readonly text: string;
  /** The parameters after the arrays. */
  readonly constants?: readonly unknown[];
  /** A read: operations with the same key share the rows of one. */
  readonly isRead?: boolean;
}

interface Operation {
  readonly key: string;
  readonly values: readonly unknown[];
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
  timer?: ReturnType<Timers["setTimeout"]>;
}

/**
 * Sends operations that a process does at the same time in one statement, which is one transaction. No operation waits
 * for others: it is sent in the tick in which it is made, unless two statements are under way. Then it is in the next
 * one, together with all that came meanwhile.
 *
 * The operations of a statement are in the order of their keys, so that statements of two processes lock rows in the same
 * order. A statement that fails is not repeated: each of its operations is then sent by itself, so that none fails
 * because of another one.
 */
export class GroupedStatements {
  readonly #runner: StatementRunner;
  readonly #statement: GroupedStatement;
  #waiting: Operation[] = [];
  #active = 0;
  #isScheduled = false;

  constructor(runner: StatementRunner, statement: GroupedStatement) {
    this.#runner = runner;
    this.#statement = statement;
  }

  /**
   * The rows of one operation. Operations with the same key are in different statements.
   *
   * @param key the row that it locks, the same in every process.
   * @param values an element for each array.
   * @throws ToolError `store_unavailable`
   */
  run(key: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, values, resolve, reject });
      if (this.#active < maxActive) this.#schedule();
      else this.#limitWait(this.#waiting.at(-1) as Operation);
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // After all operations that follow from the answers of one statement.
    process.nextTick(() => {
      this.#isScheduled = false;
      while (this.#active < maxActive && this.#waiting.length > 0) void this.#sendNext();
      for (const operation of this.#waiting) this.#limitWait(operation);
    });
  }

  #limitWait(operation: Operation): void {
    operation.timer ??= this.#runner.timers.setTimeout(() => {
      this.#waiting = this.#waiting.filter((other) => other !== operation);
      operation.reject(unavailable("cannot be reached"));
    }, deadlineMs);
    operation.timer.unref?.();
  }

  async #sendNext(): Promise<void> {
    const groups = this.#takeGroups();
    for (const { timer } of groups.flat()) {
      if (timer !== undefined) this.#runner.timers.clearTimeout(timer);
    }
    this.#active++;
    const isFailed = await this.#send(groups, groups.length === 1 ? maxAttempts : 1).then(
      () => false,
      (error: unknown) => {
        if (groups.length === 1) for (const { reject } of groups[0] ?? []) reject(error);
        return groups.length > 1;
      },
    );
    this.#active--;
    if (this.#waiting.length > 0) this.#schedule();
    if (!isFailed) return;
    for (const group of groups) {
      this.#send([group], maxAttempts - 1).catch((error: unknown) => {
        for (const { reject } of group) reject(error);
      });
    }
  }

  /** The operations of the next statement, in the order of their keys; those that share their rows are one group. */
  #takeGroups(): readonly (readonly Operation[])[] {
    const groups = new Map<string, Operation[]>();
    const rest: Operation[] = [];
    let bytes = 0;
    for (const operation of this.#waiting) {
      const group = groups.get(operation.key);
      if (group !== undefined && this.#statement.isRead === true) group.push(operation);
      else if (group !== undefined || groups.size === maxOperations || bytes >= maxBytes) {
        rest.push(operation);
      } else {
        groups.set(operation.key, [operation]);
        bytes += countBytes(operation.values);
      }
    }
    this.#waiting = rest;
    return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
  }

  async #send(groups: readonly (readonly Operation[])[], attempts: number): Promise<void> {
    const { text, constants = [] } = this.#statement;
    const all = groups.map((group) => (group[0] as Operation).values);
    const arrays = (all[0] ?? []).map((_, column) => all.map((values) => values[column]));
    const rows = await this.#runner.run(text, [...arrays, ...constants], attempts);
    const found: Row[][] = groups.map(() => []);
    for (const row of rows) found[Number(row["n"]) - 1]?.push(row);
    for (const [index, group] of groups.entries()) {
      for (const { resolve } of group) resolve(found[index] ?? []);
    }
  }
}

function countBytes(values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === "string" || value instanceof Uint8Array) bytes += value.length;
  }
  return bytes;
}
