import type { Clock, ClockTimer } from "@toolweave/core";
import type { StoreClock } from "@toolweave/conformance/stores";
import pg from "pg";
import type { PostgresClient, PostgresPool } from "../../src/index.ts";
import { postgresStore } from "../../src/index.ts";

interface Timer extends ClockTimer {
  readonly at: number;
  readonly callback: () => void;
}

/** Where the time of a test begins. */
const start = 1_000_000;

/** Statements of a store that are being answered. */
class Activity {
  readonly #running = new Set<Promise<unknown>>();

  watch<T>(work: Promise<T>): Promise<T> {
    const settled = work.catch(() => {});
    this.#running.add(settled);
    void settled.then(() => this.#running.delete(settled));
    return work;
  }

  /** Resolves when no statement is running, and none follows in the next turns. */
  async end(): Promise<void> {
    do {
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all(this.#running);
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#running.size > 0);
  }
}

/**
 * The database's time, which only the test moves: the function of the schema that reads it is replaced. Timers of the
 * stores run on the way.
 */
class DatabaseClock implements StoreClock {
  #now = start;
  readonly #timers = new Set<Timer>();
  readonly #write: (now: number) => Promise<void>;
  readonly #activity: Activity;

  constructor(write: (now: number) => Promise<void>, activity: Activity) {
    this.#write = write;
    this.#activity = activity;
  }

  now(): number {
    return this.#now;
  }

  get timers(): number {
    return this.#timers.size;
  }

  setTimeout(callback: () => void, ms: number): ClockTimer {
    const timer: Timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: ClockTimer): void {
    this.#timers.delete(timer as Timer);
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await this.#activity.end();
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      await this.#moveTo(Math.max(this.#now, next.at));
      next.callback();
    }
    await this.#moveTo(end);
  }

  async skip(ms: number): Promise<void> {
    await this.#activity.end();
    await this.#moveTo(this.#now + ms);
  }

  async #moveTo(now: number): Promise<void> {
    if (now === this.#now) return;
    this.#now = now;
    await this.#write(now);
  }
}

/** A clock with the timers of the stores. */
export type TestClock = StoreClock & Pick<Clock, "setTimeout" | "clearTimeout">;

/** One schema of a database, emptied for each test. */
export interface TestDatabase {
  /** The time of the tests, from its beginning. All rows are removed. */
  reset(): Promise<TestClock>;
  /** Connections whose statements the clock waits for. */
  readonly pool: PostgresPool;
  readonly admin: pg.Pool;
  readonly schema: string;
  end(): Promise<void>;
}

/** Makes a schema whose time the test moves. */
export async function testDatabase(
  url: string,
  schema: string,
  adminUrl: string = url,
): Promise<TestDatabase> {
  const admin = new pg.Pool({ connectionString: adminUrl, max: 2 });
  await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  const connections = new pg.Pool({ connectionString: url, max: 10 });
  const store = postgresStore({ pool: connections, schema });
  await store.migrate();
  store.close();
  await admin.query(`CREATE TABLE ${schema}.test_clock (now float8 NOT NULL)`);
  await admin.query(`INSERT INTO ${schema}.test_clock VALUES (${start})`);
  await admin.query(
    `CREATE OR REPLACE FUNCTION ${schema}.now_ms() RETURNS float8 LANGUAGE sql VOLATILE AS
     'SELECT now FROM ${schema}.test_clock'`,
  );
  const { rows } = await admin.query<{ readonly name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = $1
     AND tablename NOT IN ('meta', 'test_clock', 'artifact_chunks', 'schedule_runs')`,
    [schema],
  );
  const empty = rows.map(({ name }) => `DELETE FROM ${schema}.${name};`).join("\n");
  const write = async (now: number): Promise<void> => {
    await admin.query(`UPDATE ${schema}.test_clock SET now = ${now}`);
  };
  const activity = new Activity();
  const pool: PostgresPool = {
    connect: () =>
      activity.watch(
        connections.connect().then((client): PostgresClient => ({
          query: (text, values) => activity.watch(client.query(text, values)),
          release: (error) => client.release(error),
        })),
      ),
  };
  return {
    schema,
    admin,
    pool,
    async reset() {
      await activity.end();
      await admin.query(empty);
      await write(start);
      return new DatabaseClock(write, activity);
    },
    async end() {
      await connections.end();
      await admin.end();
    },
  };
}
