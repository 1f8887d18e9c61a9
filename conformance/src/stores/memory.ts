import { memoryOwner, memoryOwnerPrefix, type MemoryEntry } from "@toolweave/core/stores";
import { describe, expect, test } from "vitest";
import { catchToolError } from "./catch-tool-error.ts";
import { openSubject, type StoreFactory } from "./store-under-test.ts";

const entry = (key: string, content: string, more: Partial<MemoryEntry> = {}): MemoryEntry => ({
  key,
  content,
  category: "core",
  ...more,
});

const keys = (found: readonly { readonly key: string }[]): string[] => found.map(({ key }) => key);

/** Registers the tests of a memory of agents. */
export function describeMemory(make: StoreFactory): void {
  describe("the memory of agents", () => {
    test("is found again after a reopening, with its origin and its age", async () => {
      const { store: first, clock, reopen } = await openSubject(make, "memory");
      const origin = { runId: "r", callId: "c" };
      expect(
        await first.memory.set("a", entry("deploy", "Deploys are on Fridays.", { origin })),
      ).toBe(false);
      await first.close?.();
      const { memory } = await reopen();
      expect(await memory.find("a", { text: "when are deploys", limit: 5 })).toEqual([
        {
          key: "deploy",
          content: "Deploys are on Fridays.",
          category: "core",
          storedAt: clock.now(),
          score: 2 / 3,
          origin,
        },
      ]);
    });

    test("finds by any word, the beginning of a word, without accents, and in scripts without spaces", async () => {
      const { memory } = (await openSubject(make, "memory")).store;
      await memory.set("a", entry("k1", "The café opens at nine."));
      await memory.set("a", entry("k2", "Deployment needs approval."));
      await memory.set("a", entry("k3", "東京の天気は晴れです"));
      for (const [text, expected] of [
        ["CAFE", ["k1"]],
        ["deploy", ["k2"]],
        ["天気", ["k3"]],
        ["opens approval", ["k1", "k2"]],
        ["ploy", []],
        ["... !", []],
      ] as const) {
        expect(keys(await memory.find("a", { text, limit: 5 })).toSorted()).toEqual(expected);
      }
    });

    test.each([
      ["Die Straße ist gesperrt", ["STRASSE", "strasse", "straße", "STRAẞE"]],
      ["ＡＢＣ１２３ ﾊﾞｽ", ["abc123", "バス", "ＡＢＣ１"]],
      ["ISPARTA", ["ısparta", "isparta"]],
      ["ΟΔΟΣ", ["οδός", "ΟΔΟΣ", "οδοσ"]],
      ["the oﬃce", ["office"]],
      ["Foo™ and auto\u00admatic", ["foo", "automatic"]],
    ])("the letters of %j match in every form", async (content, texts) => {
      const { memory } = (await openSubject(make, "memory")).store;
      await memory.set("a", entry("k", content));
      for (const text of texts) {
        expect([text, keys(await memory.find("a", { text, limit: 5 }))]).toEqual([text, ["k"]]);
      }
    });

    test("prefers an entry with more words, and rarer ones", async () => {
      const { memory } = (await openSubject(make, "memory")).store;
      await memory.set("a", entry("k1", "the port of the museum"));
      for (const index of [2, 3, 4]) await memory.set("a", entry(`k${index}`, "the port is 80"));
      await memory.set("a", entry("k5", "the hall"));
      const found = await memory.find("a", { text: "the port of the museum hall", limit: 5 });
      expect(keys(found)).toEqual(["k1", "k5", "k4", "k3", "k2"]);
    });

    test("refuses half of a character, which no database returns as it is", async () => {
      const { memory } = (await openSubject(make, "memory")).store;
      for (const half of [entry("k", "a\ud83d"), entry("\ude00", "a")]) {
        const error = await catchToolError(() => memory.set("a", half));
        expect(error.code).toBe("invalid_arguments");
      }
      expect(await memory.find("a", { limit: 5 })).toEqual([]);
    });

    test("finds by the meaning, of the same model only", async () => {
      const { memory } = (await openSubject(make, "memory")).store;
      const vector = (...values: number[]) => ({ model: "m1", values });
      await memory.set("a", entry("cat", "A cat.", { vector: vector(1, 0, 0) }));
      await memory.set("a", entry("car", "A car.", { vector: vector(0, 1, 0) }));
      await memory.set(
        "a",
        entry("old", "A kitten.", { vector: { model: "m0", values: [1, 0, 0] } }),
      );
      const [best, ...others] = await memory.find("a", {
        text: "feline",
        vector: vector(0.9, 0.1, 0),
        limit: 2,
      });
      expect(best?.key).toBe("cat");
      expect(best?.score).toBeCloseTo(0.99, 1);
      expect(keys(others)).toEqual(["car"]);
    });

    test("finds by category and time, and without words the newest", async () => {
      const { store, clock } = await openSubject(make, "memory");
      const { memory } = store;
      for (const [key, category] of [
        ["one", "core"],
        ["two", "daily"],
        ["three", "core"],
      ] as const) {
        await memory.set("a", entry(key, "word", { category }));
        await clock.advance(1_000);
      }
      const start = clock.now() - 3_000;
      const find = async (query: object): Promise<string[]> =>
        keys(await memory.find("a", { limit: 5, ...query }));
      expect(await find({})).toEqual(["three", "two", "one"]);
      expect(await find({ limit: 1 })).toEqual(["three"]);
      expect(await find({ category: "core" })).toEqual(["three", "one"]);
      expect(await find({ text: "word", category: "daily" })).toEqual(["two"]);
      expect(await find({ since: start + 1_000 })).toEqual(["three", "two"]);
      expect(await find({ text: "word", since: start + 1_000, until: start + 2_000 })).toEqual([
        "two",
      ]);
    });

    test("prefers the newer one of two that fit the same", async () => {
      const { store, clock } = await openSubject(make, "memory");
      const { memory } = store;
      await memory.set("a", entry("old", "The port is 80."));
      await clock.advance(90 * 86_400_000);
      await memory.set("a", entry("new", "The port is 81."));
      expect(keys(await memory.find("a", { text: "port", limit: 5 }))).toEqual(["new", "old"]);
    });

    test("replaces the entry of a key, whose former words find nothing any more", async () => {
      const { memory } = (await openSubject(make, "memory")).store;
      await memory.set("a", entry("k", "apple"));
      expect(await memory.set("a", entry("k", "pear", { category: "daily" }))).toBe(true);
      expect(await memory.find("a", { text: "apple", limit: 5 })).toEqual([]);
      expect(await memory.find("a", { text: "pear", limit: 5 })).toMatchObject([
        { category: "daily" },
      ]);
    });

    test("forgets: the content is erased, and that there was one is remembered for 90 days", async () => {
      const { store, clock } = await openSubject(make, "memory");
      const { memory } = store;
      await memory.set("a", entry("k", "apple"));
      expect(await memory.forget("b", "k")).toBe("unknown");
      expect(await memory.forget("a", "k")).toBe("erased");
      expect(await memory.find("a", { text: "apple", limit: 5 })).toEqual([]);
      expect(await memory.find("a", { limit: 5 })).toEqual([]);
      expect(await memory.forget("a", "k")).toBe("forgotten");
      await clock.advance(91 * 86_400_000);
      expect(await memory.forget("a", "k")).toBe("unknown");
      expect(await memory.set("a", entry("k", "pear"))).toBe(false);
    });

    test("SA10: an entry ends with its time, and there is a maximum for each owner", async () => {
      const { store, clock } = await openSubject(make, "memory", { maxPerOwner: 2 });
      const { memory } = store;
      await memory.set("a", entry("k1", "word", { expiresAt: clock.now() + 10 }));
      await memory.set("a", entry("k2", "word"));
      expect(await catchToolError(() => memory.set("a", entry("k3", "word")))).toMatchObject({
        code: "limit_exceeded",
      });
      expect(await memory.set("a", entry("k2", "other"))).toBe(true);
      await memory.set("b", entry("k3", "word"));
      await clock.advance(10);
      expect(await memory.find("a", { text: "word", limit: 5 })).toEqual([]);
      await memory.set("a", entry("k3", "word"));
    });

    test("SA09: no owner finds, replaces or forgets what another one has stored", async () => {
      const { memory } = (await openSubject(make, "memory")).store;
      await memory.set('["ada",null]', entry("k", "secret of ada"));
      await memory.set('["ada","agent"]', entry("k", "secret of the agent"));
      for (const owner of ['["grace",null]', '["ada",null', "' OR 1=1 --", '["ADA",null]']) {
        for (const text of ["secret", "ada", '["ada",null]', "o*", 'owner : "secret"', undefined]) {
          const query = text === undefined ? {} : { text };
          expect(await memory.find(owner, { ...query, limit: 50 })).toEqual([]);
        }
        expect(await memory.forget(owner, "k")).toBe("unknown");
      }
      expect(keys(await memory.find('["ada",null]', { text: "secret", limit: 5 }))).toEqual(["k"]);
    });

    test("lists what was stored last, of all owners: not what has expired or was forgotten", async ({
      skip,
    }) => {
      const { store, clock } = await openSubject(make, "memory");
      const { memory } = store;
      if (memory.findAcrossOwners === undefined) skip();
      const origin = { runId: "r" };
      const owners = ['["ada",null]', '["ada","agent"]', '[null,"\\u0000\\ud800"]', "[null,null]"];
      for (const [index, owner] of owners.entries()) {
        const more = index === 0 ? { expiresAt: clock.now() + 10_000 } : { origin };
        await memory.set(owner, entry(`k${index}`, `word ${index}`, more));
        await clock.advance(1_000);
      }
      const list = async (limit: number): Promise<string[]> =>
        keys((await memory.findAcrossOwners?.({ limit })) ?? []);
      expect(await list(10)).toEqual(["k3", "k2", "k1", "k0"]);
      expect(await list(2)).toEqual(["k3", "k2"]);
      await memory.forget("[null,null]", "k3");
      await memory.set('["ada","agent"]', entry("k1", "word 9", { category: "daily", origin }));
      const storedAt = clock.now();
      await clock.advance(10_000);
      expect(await list(10)).toEqual(["k1", "k2"]);
      expect(await memory.findAcrossOwners?.({ limit: 1 })).toEqual([
        {
          owner: '["ada","agent"]',
          key: "k1",
          content: "word 9",
          category: "daily",
          storedAt,
          origin,
        },
      ]);
      expect((await memory.findAcrossOwners?.({ limit: 2 }))?.[1]?.owner).toBe(owners[2]);
    });

    test("finds words in the entries of all owners, or of those that begin with a text", async ({
      skip,
    }) => {
      const { store, clock } = await openSubject(make, "memory");
      const { memory } = store;
      if (memory.findAcrossOwners === undefined) skip();
      const ada = memoryOwnerPrefix("ada");
      const owners = [
        memoryOwner({ id: "ada" }),
        memoryOwner({ id: "ada", agent: 'ägent "1"' }),
        memoryOwner({ id: "adam" }),
        memoryOwner(undefined),
        memoryOwner({ id: "grace", agent: "ada" }),
      ];
      for (const [index, owner] of owners.entries()) {
        await memory.set(owner, entry(`k${index}`, `harbour ${"and more words ".repeat(index)}`));
        await memory.set(owner, entry(`other${index}`, "an orchard"));
      }
      const expiring = { expiresAt: clock.now() + 1_000 };
      await memory.set("[null,null]", entry("expired", "harbour", expiring));
      await memory.set("[null,null]", entry("forgotten", "harbour"));
      await memory.forget("[null,null]", "forgotten");
      await clock.advance(1_000);
      const find = async (text: string | undefined, ownerPrefix?: string, limit = 50) =>
        (await memory.findAcrossOwners?.({
          ...{ limit },
          ...(text === undefined ? {} : { text }),
          ...(ownerPrefix === undefined ? {} : { ownerPrefix }),
        })) ?? [];
      const all = await find("Where is the HARB ?");
      expect(keys(all).toSorted()).toEqual(["k0", "k1", "k2", "k3", "k4"]);
      expect(all.map(({ key, owner }) => owners[Number(key.slice(1))] === owner)).not.toContain(
        false,
      );
      expect(await find("harbour", undefined, 3)).toHaveLength(3);
      expect((await find("more words harbour"))[0]?.key).not.toBe("k0");
      expect(keys(await find("harbour", ada)).toSorted()).toEqual(["k0", "k1"]);
      expect(keys(await find(undefined, ada)).toSorted()).toEqual(["k0", "k1", "other0", "other1"]);
      for (const [index, owner] of owners.entries()) {
        expect(keys(await find("harbour", owner))).toEqual([`k${index}`]);
      }
      expect(await find("harbour", memoryOwnerPrefix("ad"))).toEqual([]);
      expect(await find("' OR 1=1 --", ada)).toEqual([]);
      expect(await find("?", ada)).toEqual([]);
    });

    test.each([
      '"',
      '""" OR "',
      "a* OR b",
      "NEAR(a b)",
      "words : a",
      "owner : a",
      "^a",
      "a AND NOT b",
      "(",
      "{a b} : c",
      "a\0b",
      "-- ; DROP TABLE memories",
      "%' OR '1'='1",
      "\ud800",
      "x".repeat(5_000),
      "a ".repeat(5_000),
    ])("the query %j is only words", async (text) => {
      const { memory } = (await openSubject(make, "memory")).store;
      await memory.set("a", entry("k", "zebra"));
      expect(await memory.find("a", { text, limit: 5 })).toEqual([]);
      expect(
        keys(await memory.find("a", { text: `${text} zebra`.slice(-1_000), limit: 5 })),
      ).toEqual(["k"]);
    });
  });
}
