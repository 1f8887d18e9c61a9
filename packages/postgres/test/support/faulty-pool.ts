import type pg from "pg";
import type { PostgresClient, PostgresPool } from "../../src/index.ts";

/**
 * `unsent`: the connection fails before the statement is sent. `lost`: it is done, and its answer is lost. `cut`: it is
 * answered, and the connection ends after that. `hung`: it is done, and the answer never comes, until the deadline.
 * `late`: the connection fails, and the statement is done when the test lets it arrive.
 */
export const faults = ["unsent", "lost", "cut", "hung", "late"] as const;
type Fault = (typeof faults)[number];

/** A pool that counts statements, and has one fault at one of them. */
export class FaultyPool implements PostgresPool {
  readonly #pool: pg.Pool;
  readonly #at: number;
  readonly #fault: Fault;
  readonly #persists: boolean;
  /** Runs the deadline of the statement that hangs. */
  readonly #expire: () => void;
  #statements = 0;
  #late: (() => Promise<unknown>) | undefined;

  constructor(
    pool: pg.Pool,
    {
      at,
      fault,
      persists,
    }: {
      /** The statement with the fault, from 1. */
      readonly at: number;
      readonly fault: Fault;
      /** No later statement is sent. */
      readonly persists: boolean;
    },
    expire: () => void,
  ) {
    this.#pool = pool;
    this.#at = at;
    this.#fault = fault;
    this.#persists = persists;
    this.#expire = expire;
  }

  /** The number of statements so far. */
  get statements(): number {
    return this.#statements;
  }

  /** Does the statement that is late. */
  async arrive(): Promise<void> {
    const late = this.#late;
    this.#late = undefined;
    await late?.();
  }

  async connect(): Promise<PostgresClient> {
    const client = await this.#pool.connect();
    let isCut = false;
    return {
      query: async (text, values) => {
        if (isCut) throw connectionError();
        const isFaulty = ++this.#statements === this.#at;
        if (this.#persists && this.#statements > this.#at) throw connectionError();
        if (!isFaulty) return client.query(text, values);
        if (this.#fault === "late") this.#late = () => this.#pool.query(text, values);
        if (this.#fault === "late") throw connectionError();
        if (this.#fault === "unsent") throw connectionError();
        const answer = await client.query(text, values);
        if (this.#fault === "lost") throw connectionError();
        if (this.#fault === "cut") isCut = true;
        if (this.#fault === "cut") return answer;
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
