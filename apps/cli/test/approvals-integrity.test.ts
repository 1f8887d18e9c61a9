import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import {
  suspend,
  ToolExecutor,
  ToolRegistry,
  defineTool,
  type Clock,
  type Interruption,
} from "@toolweave/core";
import { sqliteStore } from "@toolweave/stores";
import { remove, requests, run, shop, store, usePetShop } from "./support/pet-shop-with-store.ts";
import { idIn, runIn } from "./support/run-cli.ts";

usePetShop();

// Changes to the store or its folder are not trusted; an error has the next step.
const sent = (): string[] => requests().map(({ method, url }) => `${method} ${url}`);
const waiting = async (): Promise<string> => idIn(await run(remove(7)));

function inDatabase(work: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(store);
  work(db);
  db.close();
}

describe("AP15: a call that was changed on disk", () => {
  test.each<[string, (interruption: Interruption, url: string) => object]>([
    [
      "to other arguments",
      (interruption) => ({ ...interruption, call: { ...interruption.call, arguments: { id: 8 } } }),
    ],
    [
      "to another document, which would get the credentials",
      (interruption, url) => {
        const recipe = interruption.call.metadata?.["toolweave-cli"] as object;
        const documents = [{ location: `${url}/evil` }];
        const metadata = { "toolweave-cli": { ...recipe, documents, auth: ["bearer:$TOKEN"] } };
        return { ...interruption, call: { ...interruption.call, metadata } };
      },
    ],
    [
      "to live longer",
      (interruption) => ({ ...interruption, expiresAt: interruption.expiresAt + 1 }),
    ],
  ])("%s is refused before any of it is used", async (_, change) => {
    const id = await waiting();
    inDatabase((db) => {
      const row = db.prepare("SELECT interruption FROM pending_calls").get();
      const changed = change(JSON.parse(String(row?.["interruption"])), shop.url);
      db.prepare("UPDATE pending_calls SET interruption = ?").run(JSON.stringify(changed));
    });
    for (const command of ["approve", "reject", "resume"]) {
      const { code, stderr } = await run(["approvals", command, id], { env: { TOKEN: "s3cret" } });
      expect({ command, code }).toEqual({ command, code: 3 });
      expect(stderr).toContain("cannot be opened: it was changed");
    }
    const displayed = await run(["approvals", "show", id]);
    expect(displayed.stderr).toContain("cannot be opened: it was changed");
    expect(displayed.stdout).not.toContain("To answer it");
    expect(requests()).toEqual([]);
  });
});

describe("the key", () => {
  test("of another store opens nothing", async () => {
    const id = await waiting();
    const other = { TOOLWEAVE_KEY: "k".repeat(32) };
    const { code, stderr } = await run(["approvals", "approve", id], { env: other });
    expect(code).toBe(3);
    expect(stderr).toContain("belongs to an executor with another key");
    expect((await run(["approvals", "approve", id])).code).toBe(0);
  });

  test("can be in the environment: then no file is created, and later commands need it", async () => {
    const withKey = runIn(store, { TOOLWEAVE_KEY: "k".repeat(32) });
    const called = await withKey(remove(7));
    expect(called.stderr).toContain("TOOLWEAVE_KEY must have the same value there.\n");
    expect(existsSync(`${store}.key`)).toBe(false);
    const without = await run(["approvals", "approve", idIn(called)]);
    expect(without.code).toBe(1);
    expect(without.stderr).toContain(`The key ${store}.key is missing`);
    expect(existsSync(`${store}.key`)).toBe(false);
    expect((await withKey(["approvals", "approve", idIn(called)])).code).toBe(0);
  });

  test("in the environment that is too short is a usage error", async () => {
    const { code, stderr } = await run(remove(7), { env: { TOOLWEAVE_KEY: "short" } });
    expect(code).toBe(2);
    expect(stderr).toContain("TOOLWEAVE_KEY must have at least 32 bytes");
    expect(stderr).not.toContain("short\n");
  });

  test.each([
    ["can be used by others", () => chmodSync(`${store}.key`, 0o644), "run `chmod 600` on it"],
    ["is cut off", () => writeFileSync(`${store}.key`, "abc"), "at least 32 bytes: restore it"],
  ])("that %s is not used", async (_, spoil, message) => {
    const id = await waiting();
    spoil();
    const content = readFileSync(`${store}.key`, "utf8");
    for (const argv of [["approvals", "approve", id], ["approvals", "reject", id], remove(8)]) {
      const { code, stderr } = await run(argv);
      expect([argv, code, stderr.includes(message)]).toEqual([argv, 1, true]);
    }
    expect(readFileSync(`${store}.key`, "utf8")).toBe(content);
    expect(sent()).toEqual([]);
    // Calls that need no approval need no key.
    expect((await run(["call", "get_pet", "id=7", "--openapi", shop.documentUrl])).code).toBe(0);
    expect((await run(remove(8, "--yes"))).code).toBe(0);
  });
});

describe("a store that", () => {
  test("is damaged is reported, and affects only commands that need it", async () => {
    const id = await waiting();
    writeFileSync(store, "this is no database, but long enough to be looked at as one".repeat(20));
    for (const argv of [["approvals", "list"], ["approvals", "approve", id], remove(8)]) {
      const { code, stdout, stderr } = await run(argv);
      expect({ argv, code, stdout }).toEqual({ argv, code: 1, stdout: "" });
      expect(stderr).toContain(`${store} is not a store`);
    }
    expect(sent()).toEqual([]);
    expect((await run(["call", "get_pet", "id=7", "--openapi", shop.documentUrl])).code).toBe(0);
  });

  test("cannot be created is reported with its path, and nothing is sent", async () => {
    const { code, stderr } = await run(remove(7, "--store", "/dev/null/approvals.sqlite"));
    expect(code).toBe(1);
    expect(stderr).toContain("delete_pet was not run: it has to wait for a person");
    expect(stderr).toContain("/dev/null/approvals.sqlite");
    expect(sent()).toEqual([]);
  });
});

describe("a call that is over", () => {
  /** A call of a program, in the same store with the same key. */
  async function foreignCall(clock?: Clock): Promise<Interruption> {
    await waiting();
    const opened = sqliteStore({ path: store, ...(clock === undefined ? {} : { clock }) });
    const launch = defineTool({
      name: "launch",
      description: "Launch",
      input: { type: "object" },
      needsApproval: true,
      execute: () => "gone",
    });
    const sign = defineTool({
      name: "sign",
      description: "Sign",
      input: { type: "object" },
      execute: () => suspend([{ id: "name", type: "input", message: "Your name?" }], null),
    });
    const executor = new ToolExecutor({
      registry: new ToolRegistry([launch, sign]),
      key: readFileSync(`${store}.key`, "utf8").trim(),
      pendingCalls: opened.pendingCalls,
    });
    const name = clock === undefined ? "sign" : "launch";
    const outcome = await executor.execute({ id: "1", name, arguments: {} });
    opened.close();
    if (outcome.status !== "interrupted") throw new Error(JSON.stringify(outcome));
    return outcome.interruption;
  }

  test("AP04: because it has expired is refused with 3, and not listed", async () => {
    const now = Date.now() - 25 * 60 * 60 * 1000;
    const { id } = await foreignCall({ now: () => now, setTimeout, clearTimeout: () => {} });
    expect((await run(["approvals", "list"])).stdout).toContain("\n1 pending in ");
    for (const command of ["approve", "reject"]) {
      const { code, stderr } = await run(["approvals", command, id]);
      expect([code, stderr.includes("has expired")]).toEqual([3, true]);
    }
    expect((await run(["approvals", "show", id])).stdout).toContain("expired");
  });

  test("because another program made it must be resumed by that program", async () => {
    const { id } = await foreignCall();
    expect((await run(["approvals", "list"])).stdout).toContain("input: Your name?");
    const resumed = await run(["approvals", "resume", id]);
    expect(resumed.code).toBe(2);
    expect(resumed.stderr).toContain("This call was made by another program");
    const rejected = await run(["approvals", "reject", id]);
    expect(rejected.code).toBe(2);
    expect(rejected.stderr).toContain("has started and waits for more than approval");
    const displayed = await run(["approvals", "show", id]);
    expect(displayed.stdout).toContain("made by another program");
    expect(displayed.stdout).toContain(`toolweave approvals resume ${id}`);
    expect((await run(["approvals", "list"])).stdout).toContain("\n2 pending in ");
  });

  test("because another process runs it now, or its outcome is unknown, does not run again", async () => {
    const id = await waiting();
    const claim = async (leaseMs: number): Promise<void> => {
      const opened = sqliteStore({ path: store, leaseMs });
      const record = await opened.pendingCalls.get(id);
      if (record !== undefined) await opened.pendingCalls.claim(record.interruption);
      opened.close();
    };
    await claim(60_000);
    expect((await run(["approvals", "list"])).stdout).toContain("claimed: running");
    const running = await run(["approvals", "approve", id]);
    expect(running).toMatchObject({ code: 3, stdout: "" });
    expect(running.stderr).toContain("Another process is resuming this call of delete_pet");
    inDatabase((db) => db.exec("UPDATE pending_calls SET lease_until = 1"));
    expect((await run(["approvals", "list"])).stdout).toContain(
      "unfinished: the outcome is unknown\n\n0 pending in ",
    );
    const unknown = await run(["approvals", "approve", id]);
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toContain("its outcome is not known. Check what it did");
    expect((await run(["approvals", "list", "--json"])).stdout).toContain('"unfinished"');
    // A person who has checked it removes it from the list.
    expect((await run(["approvals", "reject", id])).code).toBe(1);
    expect((await run(["approvals", "list"])).stdout).toContain("0 pending in ");
    expect(sent()).toEqual([]);
  });

  test("because its store was removed does not exist", async () => {
    const id = await waiting();
    rmSync(store);
    const { code, stderr } = await run(["approvals", "approve", id]);
    expect([code, stderr.includes("There is no pending call")]).toEqual([2, true]);
    expect(existsSync(store)).toBe(false);
  });
});
