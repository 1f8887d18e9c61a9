import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { testDatabase, testKey, type TestDatabase } from "./support/database.ts";
import { runBin } from "./support/run-bin.ts";
import { runIn, type Ended } from "./support/run-cli.ts";
import { tempFile, tempStore } from "./support/temp-file.ts";

/** The output with the parts replaced that differ between machines and moments. */
function stable({ stdout }: Ended, { location }: TestDatabase): string {
  return stdout
    .replaceAll(location, "HOST:PORT/DATABASE")
    .replace(/PostgreSQL \d+(\.\d+)?/, "PostgreSQL VERSION")
    .replace(/[\d.]+ ms/, "N ms")
    .replace(/^(\w+ +[\d,]*) +\d+(?:\.\d)? (?:bytes|kB|MB)$/gm, "$1 SIZE")
    .replace(/version \d+/, "version N");
}

describe.skipIf(inject("postgresUrl") === undefined)("toolweave db", () => {
  test("check of a database without tables creates none, and says what to run", async () => {
    const database = await testDatabase();
    const run = runIn(tempStore(), database.env);
    const checked = await run(["db", "check", "--store", database.written]);
    expect(checked).toMatchObject({ code: 1, stderr: "" });
    expect(stable(checked, database)).toBe(
      [
        "database  HOST:PORT/DATABASE",
        "server    PostgreSQL VERSION",
        "latency   N ms for a statement",
        "tables    none",
        "key       TOOLWEAVE_KEY",
        "",
        "problem: The database has no tables of Toolweave yet.",
        "  Run `toolweave db migrate`; otherwise the first call creates them.",
        "1 problem",
        "",
      ].join("\n"),
    );
    const [found] = await database.query("SELECT to_regnamespace('toolweave') AS name");
    expect(found).toEqual({ name: null });
  });

  test("check prints the tables, and each problem with what to do", async () => {
    const database = await testDatabase();
    const env = { ...database.env, TOOLWEAVE_KEY: "" };
    const config = tempFile("toolweave.json", JSON.stringify({ store: database.written }));
    const run = runIn(tempStore(), env);
    expect((await run(["db", "migrate", "--config", config])).code).toBe(0);
    await database.query(
      "INSERT INTO toolweave.grants (id, tool, grant_json) SELECT g::text, 'pay', '{}' FROM generate_series(1, 1234) g",
    );
    const checked = await run(["db", "check", "--config", config]);
    expect(checked).toMatchObject({ code: 1, stderr: "" });
    const text = stable(checked, database);
    expect(text).toContain("tables    version N, in the schema toolweave\n");
    expect(text).toContain("key       none: TOOLWEAVE_KEY is not set\n");
    expect(text).toMatch(/^grants +1,234 SIZE$/m);
    expect(text).toMatch(/^pending_calls +0 SIZE$/m);
    expect(text.slice(text.indexOf("problem: "))).toBe(
      [
        "problem: fsync is off: a crash of the server loses claims, and an approval could be used twice.",
        "  Set fsync = on in postgresql.conf, and reload the server.",
        "problem: full_page_writes is off: a crash of the server can damage the tables.",
        "  Set full_page_writes = on in postgresql.conf, and reload the server.",
        "problem: synchronous_commit is off: a crash of the server loses the last claims, and an approval could be used twice.",
        "  Set synchronous_commit = on in postgresql.conf or for the role, and reload the server.",
        "problem: The store has no key: credentials are refused, and task results are readable.",
        "  Set TOOLWEAVE_KEY to the same value on every machine, such as what `openssl rand -base64 32` prints.",
        "4 problems",
        "",
      ].join("\n"),
    );
    const json = JSON.parse((await run(["db", "check", "--config", config, "--json"])).stdout);
    expect(json).toMatchObject({
      ok: false,
      kind: "postgres",
      database: database.location,
      keys: 0,
    });
    expect(json.tables).toContainEqual(
      expect.objectContaining({ name: "grants", rows: 1234, isEstimate: false }),
    );
    expect(json.problems).toHaveLength(4);
  });

  test("check reports tables of an earlier version, and does not update them", async () => {
    const database = await testDatabase();
    const run = runIn(database.url, database.env);
    const { stdout } = await run(["db", "migrate", "--json"]);
    const { to } = JSON.parse(stdout) as { readonly to: number };
    const setVersion = (version: number) =>
      database.query(
        `UPDATE toolweave.meta SET value = '${version}' WHERE name = 'schema_version'`,
      );
    await setVersion(to - 1);
    const checked = await run(["db", "check"]);
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain(
      `problem: The tables are of version ${to - 1}; this program needs version ${to}.\n  Run \`toolweave db migrate\`; otherwise the first call updates them.\n1 problem\n`,
    );
    const json = JSON.parse((await run(["db", "check", "--json"])).stdout);
    expect(json).toMatchObject({
      tablesVersion: to - 1,
      knownTablesVersion: to,
      canMigrate: true,
    });
    await setVersion(to);
    expect((await run(["db", "check"])).stdout).not.toContain("are of version");
  });

  test("check says that this user may not create the tables", async () => {
    const { url, env, query, location } = await testDatabase();
    const [, name = ""] = location.split("/");
    await query(`REVOKE ALL ON DATABASE ${name} FROM ${name}, PUBLIC`);
    await query(`GRANT CONNECT ON DATABASE ${name} TO ${name}`);
    const checked = await runIn(url, env)(["db", "check"]);
    expect(checked.stdout).toContain(
      "problem: The database has no tables of Toolweave yet.\n  Run `toolweave db migrate` with a user that may create a schema: this one may not.\n",
    );
  });

  test("two processes that migrate at once create the tables once", async () => {
    const { written, env, query, location } = await testDatabase();
    const argv = ["db", "migrate", "--store", written, "--json"];
    const ended = await Promise.all([1, 2].map(() => runBin(argv, { env })));
    const results = ended.map(({ code, stdout, stderr }) => {
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return JSON.parse(stdout) as { readonly from: number; readonly to: number };
    });
    const [row] = await query("SELECT value FROM toolweave.meta WHERE name = 'schema_version'");
    expect(results.map(({ to }) => to)).toEqual([Number(row?.["value"]), Number(row?.["value"])]);
    expect(results.some(({ from }) => from === 0)).toBe(true);
    const again = await runIn(tempStore(), env)(["db", "migrate", "--store", written]);
    expect(again.stdout).toBe(
      `The tables of ${location} are of version ${row?.["value"]}. They were up to date.\n`,
    );
  });

  test("prune removes all expired rows in batches, and leaves the others", async () => {
    const { url, env, query, location } = await testDatabase();
    const run = runIn(url, env);
    expect((await run(["db", "prune"])).stdout).toBe(`Removed 0 expired rows from ${location}.\n`);
    await run(["db", "migrate"]);
    await query(
      `INSERT INTO toolweave.rate_reservations (id, key, window_ms, amount, counts_until, lease_until)
       SELECT gen_random_uuid(), 'k', 1, 1, CASE WHEN g <= 2500 THEN 1 ELSE 1e15 END, 0 FROM generate_series(1, 2507) g`,
    );
    const pruned = await run(["db", "prune", "--json"]);
    expect(JSON.parse(pruned.stdout)).toEqual({ database: location, removed: 2500, batches: 3 });
    const [left] = await query("SELECT count(*) AS rows FROM toolweave.rate_reservations");
    expect(left).toEqual({ rows: "7" });
  });

  test("a former key is counted, and one that is too short is refused without its value", async () => {
    const { url, env } = await testDatabase();
    const keys = {
      TOOLWEAVE_KEY: "n".repeat(32),
      TOOLWEAVE_OLD_KEYS: testKey,
    };
    const rotated = await runIn(url, { ...env, ...keys })(["db", "check"]);
    expect(rotated.stdout).toContain("key       TOOLWEAVE_KEY, and 1 former key\n");
    const short = await runIn(url, { ...env, TOOLWEAVE_OLD_KEYS: "t00-short" })(["db", "check"]);
    expect(short.code).toBe(2);
    expect(short.stderr).toContain("Each key in TOOLWEAVE_OLD_KEYS must have at least 32 bytes");
    expect(short.stderr).not.toContain("t00-short");
  });

  test("doctor names the server, and the command that explains its problems", async () => {
    const { url, env, location } = await testDatabase();
    const run = runIn(url, env);
    const before = await run(["doctor"]);
    expect(before.stdout).toMatch(/ok {4}store: PostgreSQL [\d.]+ at \S+ \(tables are created/);
    await run(["db", "migrate"]);
    const after = await run(["doctor"]);
    expect(after.stdout).toContain(` at ${location}: 3 problems\n      \`toolweave db check\``);
  });
});

test("check of a file says that it is one, and what it holds", async () => {
  const store = tempStore();
  const run = runIn(store);
  const none = await run(["db", "check"]);
  expect(none).toMatchObject({ code: 0, stderr: "" });
  expect(none.stdout).toContain(
    `The store is a file, for the processes of this machine: ${store}\nNothing has been stored there yet.\n`,
  );
  expect(existsSync(dirname(store))).toBe(false);
  const module = tempFile(
    "tools.mjs",
    `export const pay = { spec: { name: "pay", description: "Pay.", inputSchema: { type: "object" },
       annotations: { destructiveHint: true }, provenance: { adapter: "function", source: "code" } },
       invoke: () => ({ content: [] }) };`,
  );
  expect((await run(["call", "pay", "--tools", module])).code).toBe(3);
  const held = await run(["db", "check"]);
  expect(held.stdout).toMatch(/approvals\.sqlite \(\d+ kB\): calls that wait, grants/);
  expect(held.stdout).toMatch(/^ {2}pending\w* +1$/m);
  expect(JSON.parse((await run(["db", "check", "--json"])).stdout)).toMatchObject({
    ok: true,
    kind: "file",
    path: store,
  });
});

test.each([["migrate"], ["prune"], ["reseal"]])(
  "%s of a file is a usage error",
  async (command) => {
    const { code, stderr } = await runIn(tempStore())(["db", command]);
    expect(code).toBe(2);
    expect(stderr).toContain("The store is the file ");
    expect(stderr).toContain("Name a database with --store 'postgres://USER:${DB_PASSWORD}@HOST");
  },
);

test.each([
  [
    ["--store", "postgres://app:literal-pw@db.example.com/app"],
    "The URL of the store has a password",
  ],
  [["--store", "postgres://app:${NO_SUCH_VARIABLE}@db/app"], "NO_SUCH_VARIABLE is not set"],
  [["--store", "postgres://db:port/app"], "no valid URL of a database"],
])("check %j is a usage error", async (words, text) => {
  const { code, stdout, stderr } = await runIn(tempStore())(["db", "check", ...words]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(text);
  expect(stderr).not.toContain("literal-pw");
});

test("a password that stands in the configuration is refused, with its place", async () => {
  const store = "postgres://app:literal-pw@db.example.com/app";
  const config = tempFile("toolweave.json", JSON.stringify({ store }));
  const { code, stderr } = await runIn(tempStore())(["db", "check", "--config", config]);
  expect(code).toBe(2);
  expect(stderr).toContain(`${config}:1:2: the password of the database stands in the file`);
  expect(stderr).not.toContain("literal-pw");
});

test.each([
  ["postgres://app@127.0.0.1:9/app", "The database 127.0.0.1:9/app refuses connections"],
  [
    "postgres://app@no-such-host.invalid/app",
    "The host of the database no-such-host.invalid:5432/app",
  ],
])("check of %s says what is wrong, and where", async (url, text) => {
  const { code, stderr } = await runIn(url)(["db", "check"]);
  expect(code).toBe(1);
  expect(stderr).toContain(text);
});

test("a configuration that is not trusted is not connected to", async () => {
  const { project } = await import("./support/project.ts");
  const { run, write, folder } = project();
  write("toolweave.json", JSON.stringify({ store: "postgres://app:${HOME}@127.0.0.1:9/app" }));
  const { code, stderr } = await run(["db", "check"]);
  expect(code).toBe(3);
  expect(stderr).toContain(join(folder, "toolweave.json"));
  expect(stderr).not.toContain("refuses connections");
});
