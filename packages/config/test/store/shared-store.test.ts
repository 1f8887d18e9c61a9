import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ToolError, ToolExecutor } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import {
  describeConfig,
  loadConfig,
  parseStore,
  readStore,
  sharedStore,
  type SharedStore,
} from "../../src/index.ts";
import { explainErrors } from "../../src/store/explain-errors.ts";
import { configFile } from "../support/config-file.ts";

const key = "k".repeat(32);

function failure(work: () => unknown): ToolError {
  try {
    work();
  } catch (error) {
    if (ToolError.is(error)) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}

test("the store of a file is a database, and its password is among the secrets", async () => {
  const path = configFile({ store: "postgres://app:${DB_PASSWORD}@db.example.com/app" });
  const env = { DB_PASSWORD: "t0p/secret", TOOLWEAVE_KEY: key };
  await using config = await loadConfig(path, { env });
  expect(config.store).toMatchObject({
    written: "postgres://app:${DB_PASSWORD}@db.example.com/app",
    location: "db.example.com:5432/app",
    url: "postgres://app:t0p%2Fsecret@db.example.com/app",
    keys: [key],
    missingKey: undefined,
  });
  expect(config.secrets).toEqual(expect.arrayContaining(["t0p/secret", "t0p%2Fsecret"]));
});

test("readStore reads the folder or the database, and nothing else", async () => {
  const folder = configFile({
    store: "state",
    mcpServers: { none: { command: "no-such-program" } },
  });
  expect(await readStore(folder, { env: {} })).toBe(join(folder, "../state"));
  expect(await readStore(configFile({ policy: "strict" }), { env: {} })).toBeUndefined();
  const database = await readStore(configFile({ store: "postgres://db/app" }), { env: {} });
  expect(database).toMatchObject({ location: "db:5432/app", keys: [] });
});

test.each([
  ["postgres://app:secret-pw@db/app", {}, "the password of the database stands in the file"],
  ["postgres://app:${NONE}@db/app", {}, "the environment variable NONE is not set"],
  ["postgres://db:none/app", {}, "no valid URL of a database"],
  [
    "postgres://db/app",
    { TOOLWEAVE_KEY: "sh0rt-key" },
    "TOOLWEAVE_KEY must have at least 32 bytes",
  ],
  ["postgres://db/app", { TOOLWEAVE_OLD_KEYS: key }, "TOOLWEAVE_KEY is not: set it to the new key"],
])("%s with %j is a fault of the file, with its place", async (store, env, text) => {
  const path = configFile({ store });
  const error = await loadConfig(path, { env }).catch((cause: unknown) => cause as ToolError);
  const { code, message } = error as ToolError;
  expect(code).toBe("invalid_configuration");
  expect(message).toContain(`${path}:2:`);
  expect(message).toContain(text);
  expect(message).not.toMatch(/secret-pw|sh0rt-key/);
});

test("an option with a literal password is refused, since other users can read it", () => {
  const { message } = failure(() => parseStore("postgres://app:secret-pw@db/app", {}));
  expect(message).toContain("write ${DB_PASSWORD} in its place, in single quotes");
  expect(message).not.toContain("secret-pw");
  expect(parseStore("./state.sqlite", {})).toBe("./state.sqlite");
});

test("what is trusted has the URL without a password, and the variables that are read", () => {
  const { parts } = describeConfig(configFile({ store: "postgres://app:${DB_PASSWORD}@db/app" }));
  expect(parts.filter(({ kind }) => kind === "store" || kind === "variable")).toMatchObject([
    { text: "postgres://app:${DB_PASSWORD}@db/app" },
    { text: "DB_PASSWORD (store)" },
  ]);
  const literal = describeConfig(configFile({ store: "postgres://app:secret-pw@db/app" }));
  expect(JSON.stringify(literal)).not.toContain("secret-pw");
});

test("the error without a key says what to set, and where", () => {
  const { missingKey } = sharedStore("postgres://app:secret-pw@db/app", { env: {} });
  expect(missingKey?.message).toContain("The store is the database db:5432/app.");
  expect(missingKey?.message).toContain("set TOOLWEAVE_KEY to the same value");
});

describe("an error of a connection", () => {
  const store = sharedStore("postgres://app:secret-pw@db.example.com/app", { env: {} });
  test.each([
    [{ code: "ECONNREFUSED" }, "refuses connections: check that PostgreSQL runs there"],
    [{ code: "ENOTFOUND" }, "The host of the database db.example.com:5432/app is unknown"],
    [{ message: "timeout expired" }, "does not answer: check the network and the firewalls"],
    [{ code: "28P01" }, "refuses the user or the password: check both"],
    [{ code: "28000" }, "pg_hba.conf"],
    [{ code: "3D000" }, "does not exist: create it (createdb)"],
    [{ code: "42501" }, "run `toolweave db migrate` with a user that may create tables"],
    [{ code: "53300" }, "has too many connections"],
    [{ code: "SELF_SIGNED_CERT_IN_CHAIN", message: "self-signed certificate" }, "sslrootcert"],
    [{ message: "The server does not support SSL connections" }, "remove sslmode from the URL"],
    [{ code: "42601" }, "has refused a statement (42601)"],
  ])("%j says what has happened, where, and what to do", (fields, text) => {
    const server = Object.assign(new Error('password of user "app" is secret-pw'), fields);
    const error = store.explain(server) as ToolError;
    expect(error).toMatchObject({ code: "store_unavailable" });
    expect(error.message).toContain(text);
    expect(error.message).toContain("db.example.com:5432/app");
    expect(error.message).not.toMatch(/secret-pw|"app"/);
  });

  test("a refused password has no cause: the server's text names the user", () => {
    const error = store.explain(Object.assign(new Error("for user app"), { code: "28P01" }));
    expect((error as ToolError).cause).toBeUndefined();
  });

  test("an error about something else stays as it is", () => {
    const error = new ToolError("limit_exceeded", "Too many.");
    expect(store.explain(error)).toBe(error);
  });
});

test("an outcome does not name the database that is down; its cause and the listener do", async () => {
  const env = { DB_PASSWORD: "t0p-secret", TOOLWEAVE_KEY: key };
  const written = {
    store: "postgres://owner:${DB_PASSWORD}@127.0.0.1:1/ledgers",
    builtin: { memory: true, schedule: true },
    policy: "autonomous",
  };
  await using config = await loadConfig(written, { env });
  const store = config.store as SharedStore;
  const logged = new Set<string>();
  const stop = store.onUnavailable(({ message }) => logged.add(message));
  await config.registry.ready;
  const executor = new ToolExecutor({
    registry: config.registry,
    ...config.executorOptions,
    artifacts: (await store.open()).artifacts,
    key,
    onAsk: () => ({ approved: true }),
  });
  const messages: string[] = [];
  executor.on((event) => void messages.push(JSON.stringify(event)));
  const calls = [
    { name: "memory_recall", arguments: { query: "x" } },
    { name: "memory_store", arguments: { key: "x", content: "y" } },
    { name: "schedule_list", arguments: {} },
  ];
  for (const call of calls) {
    const outcome = await executor.execute({ id: call.name, ...call });
    expect([call.name, outcome.status]).toEqual([call.name, "failed"]);
    const read = JSON.stringify([outcome.result, outcome.error?.message, outcome.error]);
    expect(read).toContain("store");
    expect(read).not.toMatch(/127\.0\.0\.1|ledgers|owner|t0p/);
    let cause: unknown = outcome.error;
    while (cause instanceof Error && !cause.message.includes("127.0.0.1:1/ledgers"))
      cause = cause.cause;
    expect((cause as Error).message).toContain("refuses connections");
  }
  expect(messages.filter((text) => !text.includes("store.failed")).join()).not.toMatch(/ledgers/);
  expect([...logged]).toEqual([
    expect.stringMatching(/^The database 127\.0\.0\.1:1\/ledgers refuses connections/),
  ]);
  stop();
});

test("stores with explained errors have all members, and can be spread", async () => {
  class Store {
    readonly required = true;
    #name = "store";
    async name(): Promise<string> {
      return this.#name;
    }
    fail(): never {
      throw new Error("sync");
    }
    async failLater(): Promise<never> {
      throw new Error("async");
    }
  }
  const { store } = explainErrors({ store: new Store() }, (error) => `explained ${String(error)}`);
  // Types do not know that methods of a class are copied.
  const copy = { ...store } as unknown as Pick<Store, "required" | "name" | "fail" | "failLater">;
  expect(copy.required).toBe(true);
  expect(await copy.name()).toBe("store");
  expect(() => copy.fail()).toThrow("explained Error: sync");
  await expect(copy.failLater()).rejects.toBe("explained Error: async");
});

test("the package of PostgreSQL is loaded when the store is opened, and not before", () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = new Set();
    registerHooks({
      resolve(name, context, next) {
        if (/^pg$|@toolweave\\/postgres/.test(name) && !loaded.has(name)) console.log("loaded", name);
        loaded.add(name);
        return next(name, context);
      },
    });
    const { loadConfig } = await import("@toolweave/config");
    const config = await loadConfig({ store: "postgres://db/app" }, { env: { TOOLWEAVE_KEY: "${key}" } });
    await config.registry.ready;
    console.log("ready");
    await config.store.open();
    await config.close();`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@toolweave/source", "--input-type=module", "-e", script],
    { encoding: "utf8", cwd: import.meta.dirname, env: process.env },
  );
  expect(stderr).toBe("");
  expect(stdout.split("\n")).toEqual(["ready", "loaded @toolweave/postgres", "loaded pg", ""]);
});
