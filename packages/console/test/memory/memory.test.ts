import { join } from "node:path";
import type { Caller } from "@toolweave/core";
import { memoryOwner, type MemoryStore } from "@toolweave/core/stores";
import { sqliteStore, type SqliteStore } from "@toolweave/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, onTestFinished, test } from "vitest";
import type { ConsoleOwners, MemoryDetails, MemoryList, MemoryOwnerList } from "../../src/index.ts";
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
  const unlisted = { forget: memory.forget.bind(memory) };
  for (const [console, isThere] of [
    [open({ pendingCalls }), false],
    [open({ pendingCalls, memory: unlisted }), false],
    [open({ pendingCalls, memory }), true],
  ] as const) {
    const { body } = await console.send<{ stores: { memory: boolean } }>("/api/status");
    expect(body.stores.memory).toBe(isThere);
    for (const path of ["/api/memory", "/api/memory?q=word", "/api/memory-owners"]) {
      const { status, body: answer } = await console.send(path);
      expect([status, answer["code"]]).toEqual(isThere ? [200, undefined] : [404, "not_available"]);
    }
  }
});

const keys = ({ items }: MemoryList): string[] => items.map(({ key }) => key);

const search = (q: string, owner?: readonly (string | null)[]): string =>
  `?${new URLSearchParams({ q, ...(owner === undefined ? {} : { owner: JSON.stringify(owner) }) })}`;

test("words and an owner find entries beyond the latest 1,000, which are read with the same words", async () => {
  const [agent, here] = openStores();
  const content = "Releases are on Tuesdays.";
  await remember(agent, "release day", { id: "bob", agent: "claude" }, content);
  for (let index = 0; index < 1_000; index += 1) {
    await remember(agent, `note ${index}`, { id: "ada" }, "A note about the harbour.");
  }
  const console = open(here);
  expect(keys(await list(console, "?limit=200"))).not.toContain("release day");
  const byWords = search("when do we RELEASE?");
  const byOwner = search("", ["bob", "claude"]);
  for (const query of [byWords, byOwner, search("tuesdays", ["bob", "claude"])]) {
    const { items, nextCursor } = await list(console, query);
    expect(items).toMatchObject([{ key: "release day", caller: "bob", agent: "claude" }]);
    expect(nextCursor).toBeUndefined();
    const { status, body } = await console.send<MemoryDetails>(
      `/api/memory/${items[0]?.id}${query}`,
    );
    expect([status, body.content]).toEqual([200, content]);
  }
  const [found] = (await list(console, byWords)).items;
  for (const query of ["", search("harbour"), search("release", ["ada", null])]) {
    const { status, body } = await console.send(`/api/memory/${found?.id}${query}`);
    expect([query, status, body["code"]]).toEqual([query, 404, "not_found"]);
  }
  expect(keys(await list(console, search("release", ["bob", null])))).toEqual([]);
  expect(keys(await list(console, search("nowhere")))).toEqual([]);
  expect(keys(await list(console, search("  ")))).toHaveLength(50);
}, 60_000);

test("the best match is first, and 100 matches are read page by page", async () => {
  const [, store] = openStores();
  await remember(store, "best", { id: "ada" }, "harbour and orchard");
  for (let index = 0; index < 150; index += 1) {
    await remember(store, `note ${index}`, { id: "ada" }, `The harbour ${"word ".repeat(9)}`);
  }
  const console = open(store);
  const found: string[] = [];
  let cursor: string | undefined = "";
  while (cursor !== undefined) {
    const more: string = cursor && `&cursor=${cursor}`;
    const page: MemoryList = await list(console, `${search("orchard harbour")}&limit=40${more}`);
    found.push(...keys(page));
    cursor = page.nextCursor;
  }
  expect(found[0]).toBe("best");
  expect(new Set(found).size).toBe(100);
});

test("a search finds what its sender may see, and nothing else displaces it", async () => {
  const [, store] = openStores();
  await remember(store, "a", { id: "ada" }, "harbour");
  await remember(store, "b", { id: "ada", agent: "helper" }, "harbour");
  await remember(store, "c", { id: "ada", agent: "claude" }, "harbour");
  for (let index = 0; index < 120; index += 1) {
    await remember(store, `d${index}`, { id: "adam", agent: "helper" }, "harbour");
  }
  for (const [owners, as, visible] of [
    ["own", "ada", "abc"],
    ["own", "agent", "b"],
    ["all", "agent", "b"],
  ] as const) {
    const console = open(store, owners);
    for (const query of ["", search("harbour")]) {
      expect(keys(await list(console, query, as)).sort()).toEqual([...visible]);
    }
    expect(keys(await list(console, search("", ["adam", "helper"]), as))).toEqual([]);
    const { body } = await console.send<MemoryOwnerList>("/api/memory-owners", { as });
    expect(body.items).toHaveLength(visible.length);
  }
  expect(keys(await list(open(store), search("harbour", ["adam", "helper"])))).toHaveLength(50);
});

test("the owners of the latest entries are listed once each, without secrets", async () => {
  const [, store] = openStores();
  for (const key of ["1", "2"]) {
    await remember(store, key, { id: "bob", agent: "helper" });
    await remember(store, key);
  }
  await remember(store, "key", { id: secret });
  const { body } = await open(store).send<MemoryOwnerList>("/api/memory-owners");
  expect(body.items).toHaveLength(3);
  expect(body.items).toEqual(
    expect.arrayContaining([{ caller: "bob", agent: "helper" }, {}, { caller: "[redacted]" }]),
  );
});

test.each(["ada", "[]", '["ada"]', "[1,null]", '{"id":"ada"}', '["ada",null,null]'])(
  "the owner %j is refused with an example",
  async (owner) => {
    const [, store] = openStores();
    const query = new URLSearchParams({ owner });
    const { status, body } = await open(store).send(`/api/memory?${query}`);
    expect([status, body["code"]]).toEqual([400, "invalid_query"]);
    expect(body["detail"]).toContain('["ada","claude"]');
  },
);
