import type pg from "pg";
import type { PostgresClient, PostgresPool } from "../../src/index.ts";

/**
 * `unsent`: the connection fails before the statement is sent. `lost`: it is done, and its answer is lost. `cut`: it is
 * answered, and the connection ends after that. `hung`: it is done, and the answer never comes, until the deadline.
 * `late`: the connection fails, and the statement is done when the test lets it arrive.
 */
export const faults = ["unsent", "lost", "cut", "hung", "late"] as const;
export type Fault = (typeof faults)[number];

/** Faults at some statements. */
export interface Faults {
  /** The fault of each statement, which is counted from 1. */
  readonly at: ReadonlyMap<number, Fault>;
  /** No statement after the last fault is sent. */
  readonly persists: boolean;
}

/** A pool that counts statements, and has faults at some of them. */
export class FaultyPool implements PostgresPool {
  readonly #pool: pg.Pool;
  readonly #faults: Faults;
  /** Runs the deadline of a statement that hangs. */
  readonly #expire: () => void;
  readonly #last: number;
  #hasStarted = false;
  #statements = 0;
  #late: (() => Promise<unknown>)[] = [];

  constructor(pool: pg.Pool, faults: Faults, expire: () => void) {
    this.#pool = pool;
    this.#faults = faults;
    this.#expire = expire;
    this.#last = Math.max(...faults.at.keys());
  }

  /** The number of statements so far. */
  get statements(): number {
    return this.#statements;
  }

  /** Counts from the next statement on, and has no fault before. */
  start(): void {
    this.#hasStarted = true;
  }

  /** Does the statements that are late. */
  async arrive(): Promise<void> {
    for (const late of this.#late.splice(0)) await late();
  }

  async connect(): Promise<PostgresClient> {
    const client = await this.#pool.connect();
    let isCut = false;
    return {
      query: async (text, values) => {
        if (isCut) throw connectionError();
        if (!this.#hasStarted) return client.query(text, values);
        this.#statements++;
        const fault = this.#faults.at.get(this.#statements);
        if (this.#faults.persists && this.#statements > this.#last) throw connectionError();
        if (fault === undefined) return client.query(text, values);
        if (fault === "late") this.#late.push(() => this.#pool.query(text, values));
        if (fault === "late" || fault === "unsent") throw connectionError();
        const answer = await client.query(text, values);
        if (fault === "lost") throw connectionError();
        if (fault === "cut") isCut = true;
        if (fault === "cut") return answer;
        this.#expire();
        return new Promise(() => {});
      },
      release: (error) => client.release(isCut ? connectionError() : error),
    };
  }
}

function connectionError(): Error {
  return Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" });
}
