import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import pg from "pg";
import { inject, onTestFinished, vi } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** Of a server that runs for all tests; absent: there is no PostgreSQL. */
    postgresUrl: string | undefined;
  }
}

/** A key for tests. */
export const testKey = "a-key-of-the-tests-with-32-bytes-or-more";

/** A database of one test, whose role has a password that the server checks. */
export interface TestDatabase {
  /** With the reference `${DB_PASSWORD}` in place of the password. */
  readonly written: string;
  /** With the password. */
  readonly url: string;
  /** Host, port and name, as messages have them. */
  readonly location: string;
  readonly password: string;
  /** The variables of a process on any machine. */
  readonly env: Readonly<Record<string, string>>;
  query(text: string): Promise<readonly Record<string, unknown>[]>;
}

/** Makes a database that exists until the test ends. */
export async function testDatabase(): Promise<TestDatabase> {
  const adminUrl = new URL(inject("postgresUrl") ?? "");
  const name = `cli_${randomBytes(6).toString("hex")}`;
  // Characters that a URL cannot have as they are.
  const password = `p@ss/w#rd-${randomBytes(6).toString("hex")}`;
  const admin = new pg.Client({ connectionString: adminUrl.href });
  await admin.connect();
  await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD '${password}'`);
  await admin.query(`CREATE DATABASE ${name} OWNER ${name}`);
  const { rows } = await admin.query<{ readonly hba_file: string }>("SHOW hba_file");
  const rules = rows[0]?.hba_file ?? "";
  writeFileSync(
    rules,
    `host all ${name} 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, "utf8")}`,
  );
  await admin.query("SELECT pg_reload_conf()");
  const { port } = adminUrl;
  const at = `127.0.0.1:${port}/${name}`;
  const url = `postgres://${name}:${encodeURIComponent(password)}@${at}`;
  // The server reads its rules again a moment later.
  await vi.waitFor(async () => {
    const client = new pg.Client({ connectionString: `postgres://${name}:wrong@${at}` });
    const isRefused = await client.connect().then(
      () => false,
      () => true,
    );
    await client.end();
    if (!isRefused) throw new Error("The server accepts any password.");
  }, 20_000);
  const connection = new pg.Client({ connectionString: url });
  await connection.connect();
  onTestFinished(async () => {
    await connection.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.query(`DROP ROLE ${name}`);
    await admin.end();
  });
  return {
    url,
    password,
    location: at,
    written: `postgres://${name}:\${DB_PASSWORD}@${at}`,
    env: { DB_PASSWORD: password, TOOLWEAVE_KEY: testKey, TOOLWEAVE_OLD_KEYS: "" },
    query: async (text) => (await connection.query<Record<string, unknown>>(text)).rows,
  };
}
