import type { Timers } from "@toolweave/stores/shared";
import { deadlineMs, maxAttempts, unavailable, type Row } from "./database.ts";

/** The maximum number of operations in one statement. */
const maxOperations = 64;
/** Statements of one kind that a process has under way; further operations wait for one of them to end. */
export const maxActive = 4;
/** The bytes of the values after which no operation is added to a statement. */
const maxBytes = 1024 * 1024;

/** A `Database`, or one like it. */
export interface StatementRunner {
  readonly timers: Timers;
  run(text: string, values: readonly unknown[], attempts: number): Promise<readonly Row[]>;
}

/** The statements of one kind of operation. */
export interface OperationStatements {
  /** Does one operation. */
  readonly one: string;
  /**
   * Does an operation for each element of its arrays. Its rows have the number of their operation, from 1, in the column
   * `n`. A write without a row was not done.
   */
  readonly many: string;
  /** The parameters after those that both have. */
  readonly constants?: readonly unknown[];
  /** Operations with the same key share the rows of one of them. */
  readonly isRead?: boolean;
}

interface Operation {
  readonly key: string;
  readonly values: readonly unknown[];
  readonly more: readonly unknown[];
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
  timer?: ReturnType<Timers["setTimeout"]>;
}

/** Operations that share their rows. */
type Group = readonly [Operation, ...Operation[]];

/**
 * Sends operations that a process does at the same time in one statement, which is one transaction. No operation waits
 * for others to come: it is sent in the tick in which it is made, unless four statements are under way. Then it is in the
 * next one, with all that came meanwhile.
 *
 * The operations of a statement are in the order of their keys, so that statements of two processes lock rows in the same
 * order. If a statement fails, or does not do one of its operations, the operation is sent by itself: no operation fails
 * because of another one.
 */
export class GroupedStatements {
  readonly #runner: StatementRunner;
  readonly #statements: OperationStatements;
  #waiting: Operation[] = [];
  #active = 0;
  #isScheduled = false;

  constructor(runner: StatementRunner, statements: OperationStatements) {
    this.#runner = runner;
    this.#statements = statements;
  }

  /**
   * The rows of one operation. Writes with the same key are in different statements.
   *
   * @param key the row that it locks, the same in every process.
   * @param values the first parameters of `one`; each is an element of an array of `many`.
   * @param more the last parameters of `one`.
   * @throws ToolError `store_unavailable`
   */
  run(
    key: string,
    values: readonly unknown[],
    more: readonly unknown[] = [],
  ): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      const operation: Operation = { key, values, more, resolve, reject };
      this.#waiting.push(operation);
      if (this.#active < maxActive) this.#schedule();
      else this.#limitWait(operation);
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // After the operations that follow from the answers of one statement.
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
  }

  async #sendNext(): Promise<void> {
    const groups = this.#takeGroups();
    for (const { timer } of groups.flat()) {
      if (timer !== undefined) this.#runner.timers.clearTimeout(timer);
    }
    const [first] = groups;
    this.#active++;
    let rest: readonly Group[] = [];
    if (groups.length > 1) rest = await this.#sendMany(groups).catch(() => groups);
    else if (first !== undefined) await this.#sendOne(first, maxAttempts);
    this.#active--;
    if (this.#waiting.length > 0) this.#schedule();
    for (const group of rest) void this.#sendOne(group, maxAttempts - 1);
  }

  /** The operations of the next statement, in the order of their keys. */
  #takeGroups(): readonly Group[] {
    const groups = new Map<string, [Operation, ...Operation[]]>();
    const rest: Operation[] = [];
    let bytes = 0;
    for (const operation of this.#waiting) {
      const group = groups.get(operation.key);
      if (group !== undefined && this.#statements.isRead === true) group.push(operation);
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

  async #sendOne(group: Group, attempts: number): Promise<void> {
    const { one, constants = [] } = this.#statements;
    try {
      const [{ values, more }] = group;
      settle(group, await this.#runner.run(one, [...values, ...constants, ...more], attempts));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  /** Sends them once. Returns those that were not done. */
  async #sendMany(groups: readonly Group[]): Promise<readonly Group[]> {
    const { many, constants = [], isRead = false } = this.#statements;
    const all = groups.map(([{ values }]) => values);
    const arrays = (all[0] ?? []).map((_, column) => all.map((values) => values[column]));
    const rows = await this.#runner.run(many, [...arrays, ...constants], 1);
    const found: Row[][] = groups.map(() => []);
    for (const row of rows) found[Number(row["n"]) - 1]?.push(row);
    return groups.filter((group, index) => {
      const answer = found[index] ?? [];
      if (answer.length === 0 && !isRead) return true;
      settle(group, answer);
      return false;
    });
  }
}

function settle(group: Group, rows: readonly Row[]): void {
  for (const { resolve } of group) resolve(rows);
}

function countBytes(values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === "string" || value instanceof Uint8Array) bytes += value.length;
  }
  return bytes;
}
