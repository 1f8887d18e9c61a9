import { inFullRun } from "@toolweave/test-support";
import { sqliteStore } from "@toolweave/stores";
import type { MemoryEntry, MemoryQuery, MemoryStore } from "@toolweave/core/stores";
import { systemClock } from "@toolweave/core/adapter";
import fc from "fast-check";
import pg from "pg";
import { afterAll, describe, expect, inject, test } from "vitest";
import { postgresStore } from "../src/index.ts";

const url = inject("postgresUrl");
const schema = `same_memories_${process.pid}`;

/** Letters of scripts, with and without spaces, marks, cases and digits. */
const scripts: readonly string[] = [
  "abcdefgilmnorstéüçßñÅŁœIİı",
  "абвгдежзиклмнопрстуёЙщ",
  "αβγδεζηθικλμνοπρσςτάέΩ",
  "אבגדהוזחטיכלמנסעפצקרש",
  "ابتثجحخدذرزسشصضطظعغفق",
  "अआकखगचजटतदनपमयरलसहिीुेो",
  "กขคงจชดตนบปมยรลวสอะาิีเ",
  "天気東京晴雨山川日本語中国人口",
  "あいうえおかきくけこアイウエオーッ",
  "가나다라마바사아자차한국어말",
  "აბგდევზთიკლმნოპჟრსტ",
  "កខគងចជដតនបមយរលវសហអាិី",
];

const word = (letters: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 7 }).map((all) => all.join(""));

/** A few words of each script, so that entries have some in common. */
const words = scripts.flatMap((script) => fc.sample(word([...script]), { numRuns: 12, seed: 7 }));

const anyWord = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: fc.constantFrom(...words).map((one) => one.toUpperCase()) },
  { weight: 1, arbitrary: fc.constantFrom(...words).map((one) => one.normalize("NFD")) },
  { weight: 1, arbitrary: fc.constantFrom(...words).map((one) => `${one}x9`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("42", "3.14", "٣٤", "x_y", "a-b", "c++", "😀", "e\u0301"),
  },
);
const anyText = fc
  .array(fc.tuple(anyWord, fc.constantFrom(" ", " ", ", ", "\n", "-", "/", "\t")), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => parts.map(([one, gap]) => one + gap).join(""));
const anyVector = fc
  .array(fc.integer({ min: -3, max: 3 }), { minLength: 3, maxLength: 3 })
  .map((values) => ({ model: "m", values: values.map((value) => value + 0.5) }));

const anyEntry: fc.Arbitrary<MemoryEntry> = fc.record(
  {
    key: fc.oneof(
      fc.integer({ min: 0, max: 3_000 }).map((index) => `key ${index}`),
      fc.constantFrom(...words),
    ),
    content: anyText,
    category: fc.constantFrom("core", "daily", "日記"),
    expiresAt: fc.constantFrom(1_000, 4_000_000_000_000),
    origin: fc.constant({ runId: "r" }),
    vector: anyVector,
  },
  { requiredKeys: ["key", "content", "category"] },
);
const anyQuery: fc.Arbitrary<MemoryQuery> = fc.record(
  {
    text: fc.oneof({ weight: 9, arbitrary: anyText }, { weight: 1, arbitrary: fc.string() }),
    vector: anyVector,
    category: fc.constantFrom("core", "daily", "日記", "none"),
    since: fc.constantFrom(0, 1_000_000_000_000, 4_000_000_000_000),
    until: fc.constantFrom(1_000_000_000_000, 4_000_000_000_000),
    limit: fc.constantFrom(1, 5, 20, 100),
  },
  { requiredKeys: ["limit"] },
);

describe.skipIf(url === undefined)("SQLite and PostgreSQL", () => {
  const shared = postgresStore({ connectionString: url ?? "postgres://x/x", schema });
  // The time of the latest write to the database: the age of an entry is a part of its rank.
  let time = Date.now();
  const clock = { ...systemClock, now: () => time };
  const local = sqliteStore({ path: ":memory:", clock });
  afterAll(async () => {
    shared.close();
    local.close();
    const admin = new pg.Client({ connectionString: url ?? "" });
    await admin.connect();
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  const count = inFullRun(5_000, 300);
  test(`answer queries over ${count} memories alike`, { timeout: 600_000 }, async () => {
    const owners = ['["ada",null]', '["ada","bot"]', '["grace",null]'];
    const entries = fc.sample(fc.tuple(fc.constantFrom(...owners), anyEntry), {
      numRuns: count,
      seed: 46,
    });
    for (const [index, [owner, entry]] of entries.entries()) {
      const isThere = await Promise.all(
        [local, shared].map(({ memory }) => memory.set(owner, entry)),
      );
      expect([owner, entry, isThere[0]]).toEqual([owner, entry, isThere[1]]);
      if (index % 10 !== 9) continue;
      const forgotten = [local, shared].map(({ memory }) => memory.forget(owner, `key ${index}`));
      expect(await forgotten[0]).toBe(await forgotten[1]);
    }
    const find = async (memory: MemoryStore, owner: string, query: MemoryQuery) =>
      (await memory.find(owner, query)).map(withoutTime);
    const findAcross = async (memory: MemoryStore, { text, limit }: MemoryQuery) => {
      const query = { limit, ownerPrefix: '["ada",', ...(text === undefined ? {} : { text }) };
      const found = await memory.findAcrossOwners?.(query);
      return found?.map(withoutTime);
    };
    const queries = fc.sample(fc.tuple(fc.constantFrom(...owners), anyQuery), {
      numRuns: count,
      seed: 64,
    });
    let matches = 0;
    for (const [owner, query] of queries) {
      const [here, there] = await Promise.all(
        [local, shared].map(({ memory }) => find(memory, owner, query)),
      );
      expect({ query, found: there }).toEqual({ query, found: here });
      expect(await findAcross(shared.memory, query)).toEqual(await findAcross(local.memory, query));
      matches += here?.length ?? 0;
    }
    expect(matches).toBeGreaterThan(count);
  });
});

function withoutTime<Found extends { readonly storedAt: number }>(
  found: Found,
): Omit<Found, "storedAt"> {
  return Object.fromEntries(Object.entries(found).filter(([name]) => name !== "storedAt")) as Omit<
    Found,
    "storedAt"
  >;
}
