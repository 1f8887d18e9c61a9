import { join } from "node:path";
import type { Caller } from "@toolweave/core";
import { memoryOwner, type MemoryStore } from "@toolweave/core/stores";
import { sqliteStore, type SqliteStore } from "@toolweave/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, onTestFinished, test } from "vitest";
import type { ConsoleOwners, MemoryDetails, MemoryList } from "../../src/index.ts";
import { CheckedConsole, secret } from "../support/checked-console.ts";

/** Opens two stores in one file, as two processes do: that of an agent, and that of the console. */
function openStores(): readonly [SqliteStore, SqliteStore] {
  const path = join(tempFolder(), "store.db");
  const stores = [sqliteStore({ path }), sqliteStore({ path })] as const;
  onTestFinished(() => {
    for (const store of stores) store.close();
  });
  return stores;
}

function open(
  { pendingCalls, memory }: Pick<SqliteStore, "pendingCalls"> & { memory?: Partial<MemoryStore> },
  owners: ConsoleOwners = "all",
): CheckedConsole {
  const stores = { pendingCalls, ...(memory === undefined ? {} : { memory }) };
  return new CheckedConsole([], { pendingCalls }, { owners, stores });
}

async function remember(
  { memory }: SqliteStore,
  key: string,
  caller?: Caller,
  content = "text",
): Promise<void> {
  await memory.set(memoryOwner(caller), { key, content, category: "core" });
}

const list = async (
  console: CheckedConsole,
  query = "",
  as: "ada" | "agent" = "ada",
): Promise<MemoryList> => (await console.send<MemoryList>(`/api/memory${query}`, { as })).body;

test("what another process has stored is listed, and read as text", async () => {
  const [agent, here] = openStores();
  const owner = memoryOwner({ id: "ada", agent: "claude" });
  const content = "Releases are on Tuesdays – <b>always</b>.";
  const [category, expiresAt] = ["team", Date.now() + 86_400_000];
  const origin = { runId: "run_1", callId: "call_1" };
  await agent.memory.set(owner, { key: "release day", content, category, expiresAt, origin });
  const console = open(here);
  const { items } = await list(console);
  expect(items).toEqual([
    {
      id: expect.stringMatching(/^mem_[0-9a-f]{32}$/),
      key: "release day",
      category,
      bytes: Buffer.byteLength(content),
      storedAt: expect.any(Number),
      expiresAt,
      caller: "ada",
      agent: "claude",
      runId: "run_1",
    },
  ]);
  const path = `/api/memory/${items[0]?.id}`;
  const read = await console.send<MemoryDetails>(path);
  expect([read.status, read.body]).toEqual([200, { ...items[0], content }]);
  expect(read.headers.get("content-type")).toBe("application/json");
  await agent.memory.forget(owner, "release day");
  const forgotten = await console.send(path);
  expect([forgotten.status, forgotten.body["code"]]).toEqual([404, "not_found"]);
  expect((await list(console)).items).toEqual([]);
});

test("people see their own memory, or with owners all of it; programs see that of their agent", async () => {
  const [, store] = openStores();
  await remember(store, "a", { id: "ada" });
  await remember(store, "b", { id: "ada", agent: "helper" });
  await remember(store, "c", { id: "ada", agent: "claude" });
  await remember(store, "d", { id: "bob", agent: "helper" });
  await remember(store, "e");
  await store.memory.set("of a host", { key: "f", content: "text", category: "core" });
  const all = (await list(open(store))).items;
  expect(all.map(({ key }) => key).sort()).toEqual(["a", "b", "c", "d", "e", "f"]);
  for (const owners of ["own", "all"] as const) {
    const console = open(store, owners);
    for (const [as, visible] of [
      ["ada", owners === "own" ? "abc" : "abcdef"],
      ["agent", "b"],
    ] as const) {
      const { items } = await list(console, "", as);
      expect(items.map(({ key }) => key).sort()).toEqual([...visible]);
      for (const { id, key } of all) {
        const { status } = await console.send(`/api/memory/${id}`, { as });
        expect([as, key, status]).toEqual([as, key, visible.includes(key) ? 200 : 404]);
      }
    }
  }
});

test("secrets are masked in keys, owners and contents", async () => {
  const [, store] = openStores();
  await remember(store, `key ${secret}`, { id: secret }, `The token is ${secret}.`);
  const console = open(store);
  const { items } = await list(console);
  expect(items).toMatchObject([{ key: "key [redacted]", caller: "[redacted]" }]);
  const { body } = await console.send<MemoryDetails>(`/api/memory/${items[0]?.id}`);
  expect(body.content).toBe("The token is [redacted].");
});

test("is read page by page, newest first, and an entry keeps its id when it is replaced", async () => {
  const [, store] = openStores();
  for (let index = 0; index < 5; index += 1) await remember(store, `k${index}`);
  const console = open(store);
  const found: string[] = [];
  let cursor: string | undefined = "";
  while (cursor !== undefined) {
    const page: MemoryList = await list(console, `?limit=2${cursor && `&cursor=${cursor}`}`);
    found.push(...page.items.map(({ key }) => key));
    cursor = page.nextCursor;
  }
  expect(found.toSorted()).toEqual(["k0", "k1", "k2", "k3", "k4"]);
  const idOfFirst = async (): Promise<string | undefined> =>
    (await list(console)).items.find(({ key }) => key === "k0")?.id;
  const before = await idOfFirst();
  await remember(store, "k0", undefined, "other");
  expect(await idOfFirst()).toBe(before);
  const { body } = await console.send<MemoryDetails>(`/api/memory/${before}`);
  expect(body.content).toBe("other");
});

test("a server without a memory that can be listed says so, and has none in its status", async () => {
  const [, { pendingCalls, memory }] = openStores();
  const unlisted = { find: memory.find.bind(memory) };
  for (const [console, isThere] of [
    [open({ pendingCalls }), false],
    [open({ pendingCalls, memory: unlisted }), false],
    [open({ pendingCalls, memory }), true],
  ] as const) {
    const { body } = await console.send<{ stores: { memory: boolean } }>("/api/status");
    expect(body.stores.memory).toBe(isThere);
    const { status, body: answer } = await console.send("/api/memory");
    expect([status, answer["code"]]).toEqual(isThere ? [200, undefined] : [404, "not_available"]);
  }
});
