import pg from "pg";
import { body } from "./operations.ts";

/** How often the work is done in a second, by a number of lanes that each do it one after the other. */
export async function rate(
  work: (n: number) => Promise<unknown>,
  lanes: number,
  ms: number,
): Promise<number> {
  const start = performance.now();
  let count = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (performance.now() - start < ms) {
        await work(started++);
        count++;
      }
    }),
  );
  return (count / (performance.now() - start)) * 1000;
}

/** No two pieces of work of a run have the same number. */
let started = 0;

/** Inserts of the same JSON with `pg` and nothing else. */
export async function rawInserts(url: string, connections: number) {
  const pool = openPool(url, connections);
  await pool.query("CREATE TABLE IF NOT EXISTS raw (id text PRIMARY KEY, body text NOT NULL)");
  const run = crypto.randomUUID();
  return {
    insert: (n: number) => pool.query("INSERT INTO raw VALUES ($1, $2)", [`${run} ${n}`, body]),
    end: () => pool.end(),
  };
}

/** The server may end before its connections do. */
export function openPool(url: string, connections: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  return pool.on("error", () => {});
}
