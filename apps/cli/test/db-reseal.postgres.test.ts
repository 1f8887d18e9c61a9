import { postgresStore, type PostgresStore } from "@toolweave/postgres";
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { testDatabase, testKey, type TestDatabase } from "./support/database.ts";
import { runIn } from "./support/run-cli.ts";

const newKey = "the-new-key-of-the-tests-with-32-bytes-or-more";
const credentialKey = { source: "museum", scheme: "token" };
const secret = { type: "secret", secret: "open, sesame" } as const;
const call = { runId: "r", callId: "c", tool: "pay", specHash: "", argumentsHash: "" };

/** The store as a program has it. */
function open({ url }: TestDatabase, ...key: string[]): PostgresStore {
  const store = postgresStore({ connectionString: url, key, listen: false });
  onTestFinished(() => store.close());
  return store;
}

/** Stores two sealed values. */
async function fill({ credentials, ledger }: PostgresStore): Promise<void> {
  await credentials.set(credentialKey, secret);
  await ledger.begin({ ...call, token: "1" });
  await ledger.end({ ...call, token: "1" }, { status: "ended", outcome: "paid" });
}

describe.skipIf(inject("postgresUrl") === undefined)("toolweave db reseal", () => {
  test("seals tokens and outcomes with the new key, so that the old one can be removed", async () => {
    const database = await testDatabase();
    await fill(open(database, testKey));
    const env = { ...database.env, TOOLWEAVE_KEY: newKey, TOOLWEAVE_OLD_KEYS: testKey };
    const run = runIn(database.url, env);
    const { code, stdout, stderr } = await run(["db", "reseal"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      `Sealed 2 values of ${database.location} again with TOOLWEAVE_KEY.\nKeep TOOLWEAVE_OLD_KEYS while a call waits that was made with a former key: \`toolweave approvals list\`.\n`,
    );
    const { credentials, ledger } = open(database, newKey);
    expect(await credentials.get(credentialKey)).toEqual(secret);
    expect(await ledger.begin({ ...call, token: "2" })).toEqual({
      status: "ended",
      outcome: "paid",
    });
    const again = await run(["db", "reseal", "--json"]);
    expect(JSON.parse(again.stdout)).toEqual({
      ok: true,
      database: database.location,
      resealed: 0,
      unreadable: 0,
      passes: 1,
      problems: [],
    });
  });

  test("exits with 1 if no key opens a value, says what to do, and leaves the value", async () => {
    const database = await testDatabase();
    await fill(open(database, testKey));
    const run = runIn(database.url, { ...database.env, TOOLWEAVE_KEY: newKey });
    const { code, stdout } = await run(["db", "reseal"]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "problem: No key in TOOLWEAVE_KEY and TOOLWEAVE_OLD_KEYS opens 2 values, which are left as before.\n  Add the key that sealed them to TOOLWEAVE_OLD_KEYS",
    );
    const json = await run(["db", "reseal", "--json"]);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, resealed: 0, unreadable: 2 });
    expect(await open(database, testKey).credentials.get(credentialKey)).toEqual(secret);
  });

  test("exits with 1 if another process seals with a former key all the time", async () => {
    const database = await testDatabase();
    await fill(open(database, testKey));
    // Each update of the command is followed by one of the process that has the old key.
    const [row] = await database.query(
      "SELECT encode(sealed, 'hex') AS hex FROM toolweave.credentials",
    );
    await database.query(
      `CREATE FUNCTION seal_again() RETURNS trigger LANGUAGE plpgsql AS
         $$BEGIN NEW.sealed := decode('${String(row?.["hex"])}', 'hex'); RETURN NEW; END$$;
       CREATE TRIGGER seal_again BEFORE UPDATE ON toolweave.credentials FOR EACH ROW EXECUTE FUNCTION seal_again()`,
    );
    const env = { ...database.env, TOOLWEAVE_KEY: newKey, TOOLWEAVE_OLD_KEYS: testKey };
    const { code, stdout } = await runIn(database.url, env)(["db", "reseal", "--json"]);
    expect(code).toBe(1);
    const { passes, problems } = JSON.parse(stdout);
    expect(passes).toBe(5);
    expect(problems).toEqual([
      {
        problem: "Other processes still seal values with a former key.",
        remedy: expect.stringContaining("Restart all of them with the new key in TOOLWEAVE_KEY"),
      },
    ]);
  });

  test("ends after the batch in which Ctrl-C comes, and prints what is sealed again", async () => {
    const database = await testDatabase();
    await fill(open(database, testKey));
    const env = {
      ...database.env,
      TOOLWEAVE_STORE: database.url,
      TOOLWEAVE_KEY: newKey,
      TOOLWEAVE_OLD_KEYS: testKey,
    };
    const { io, interrupt, stderr } = captureIo({ env });
    await database.query("BEGIN");
    await database.query("SELECT FROM toolweave.credentials FOR UPDATE");
    const ended = runCli(["db", "reseal"], io);
    await vi.waitFor(async () => {
      await database.query("SELECT pg_stat_clear_snapshot()");
      const waiting = await database.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      expect(waiting).not.toEqual([]);
    }, 4_000);
    interrupt.abort();
    await database.query("COMMIT");
    expect(await ended).toBe(130);
    expect(stderr()).toContain("1 value sealed again so far. Run it again for the others.");
    const { credentials } = open(database, newKey);
    expect(await credentials.get(credentialKey)).toEqual(secret);
    const { stdout } = await runIn(database.url, env)(["db", "reseal", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, resealed: 1, passes: 2 });
  });

  test("creates no tables", async () => {
    const { url, env, query, location } = await testDatabase();
    const { stdout } = await runIn(url, env)(["db", "reseal"]);
    expect(stdout).toBe(`Sealed 0 values of ${location} again with TOOLWEAVE_KEY.\n`);
    expect(await query("SELECT to_regnamespace('toolweave') AS name")).toEqual([{ name: null }]);
  });
});

test("reseal without a key is a usage error, and nothing is connected to", async () => {
  const run = runIn("postgres://app@127.0.0.1:9/app", { TOOLWEAVE_KEY: "" });
  const { code, stdout, stderr } = await run(["db", "reseal"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("TOOLWEAVE_KEY is not set. Set it to the new key, and TOOLWEAVE_OLD");
});

test("the help of reseal has the steps of a rotation", async () => {
  const { code, stdout } = await runIn("")(["db", "reseal", "--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain("Use it in step 3 of a key rotation.");
  expect(stdout).toMatch(/1 {4}there are values that no key opens/);
});

test("reseal is completed", async () => {
  const { stdout } = await runIn("")(["completion", "--candidates=res", "--", "db"]);
  expect(stdout.split("\t")[0]).toBe("reseal");
});
