import { describe, expect, it } from "vitest";
import type { JsonValue } from "@toolweave/core";
import {
  HybridToolIndex,
  ToolIndex,
  type ToolEmbedder,
  type VectorCache,
} from "@toolweave/core/search";
import { findable, harbour, createToolset } from "./tools.ts";

const concepts = [/berth|mooring|parking/, /tide|water|flood/, /fees|dues|price/];

/** A model that knows three concepts, and records the texts of each call. */
class ConceptEmbedder implements ToolEmbedder {
  readonly calls: (readonly string[])[] = [];
  readonly id: string;

  constructor(id = "concepts") {
    this.id = id;
  }

  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]> {
    this.calls.push(texts);
    const vectors = texts.map((text) =>
      concepts.map((concept) => (concept.test(text.toLowerCase()) ? 1 : 0)),
    );
    return Promise.resolve(vectors);
  }

  /** The number of embedded texts. */
  get count(): number {
    return this.calls.flat().length;
  }
}

class MemoryCache implements VectorCache {
  readonly entries = new Map<string, JsonValue>();

  get(key: string): JsonValue | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: JsonValue): void {
    this.entries.set(key, structuredClone(value));
  }
}

function indexOf(
  embedder: ToolEmbedder,
  { cache, tools = harbour }: { cache?: VectorCache; tools?: typeof harbour } = {},
): HybridToolIndex {
  const index = new HybridToolIndex(embedder, cache);
  index.update(createToolset(...tools));
  return index;
}

async function found(
  index: HybridToolIndex,
  query: string,
  limit = 10,
): Promise<readonly string[]> {
  const { matches, warnings } = await index.search(query, limit);
  expect(warnings).toEqual([]);
  return matches.map(({ name }) => name);
}

/** The matches of words only. */
function byWords(query: string): readonly string[] {
  const index = new ToolIndex();
  index.update(createToolset(...harbour));
  return index.search(query, 10).map(({ name }) => name);
}

describe("a search by words and meaning", () => {
  it("finds a tool that has none of the words of the query", async () => {
    expect(byWords("pricey")).toEqual([]);
    expect(await found(indexOf(new ConceptEmbedder()), "pricey")).toEqual(["fees_compute"]);
  });

  it("puts the tool first that words and meaning agree on", async () => {
    const tools = [
      findable("a", "Computes a price."),
      findable("b", "Paints the harbour."),
      findable("c", "Computes the dues of the harbour."),
    ];
    const index = indexOf(new ConceptEmbedder(), { tools });
    expect((await found(index, "how pricey is this harbour"))[0]).toBe("c");
  });

  it("keeps the order of words for a query whose words a tool has", async () => {
    const index = indexOf(new ConceptEmbedder());
    expect((await found(index, "crane load"))[0]).toBe("crane_status");
    expect((await found(index, "reserve a berth")).slice(0, 2)).toEqual([
      "berth_reserve",
      "berth_list",
    ]);
  });

  it("gives the embedder no query that is the name of a tool", async () => {
    const embedder = new ConceptEmbedder();
    expect((await found(indexOf(embedder), "tide_table"))[0]).toBe("tide_table");
    expect(embedder.calls).toEqual([]);
  });

  it("returns only tools that the filter keeps, up to the limit", async () => {
    const index = indexOf(new ConceptEmbedder());
    const { matches } = await index.search("mooring", 1, (name) => name !== "berth_list");
    expect(matches.map(({ name }) => name)).toEqual(["berth_reserve"]);
    expect((await index.search("mooring", 0)).matches).toEqual([]);
    expect((await index.search("  ", 5)).matches).toEqual([]);
    expect((await new HybridToolIndex(new ConceptEmbedder()).search("berth", 5)).matches).toEqual(
      [],
    );
  });
});

describe("the texts that are embedded", () => {
  it("have the words of the name, the title, and the beginning of the description", async () => {
    const embedder = new ConceptEmbedder();
    const tools = [findable("listBerths", `<b>All</b> ${"x".repeat(1000)}`, { title: "Berths" })];
    await found(indexOf(embedder, { tools }), "berth");
    const text = embedder.calls[0]?.[0] ?? "";
    expect(text).toMatch(/^list Berths\. Berths\. {2}All {2}x+$/);
    expect(text.length).toBeLessThanOrEqual(500);
  });

  it("come in batches of at most 64", async () => {
    const embedder = new ConceptEmbedder();
    const tools = Array.from({ length: 130 }, (_, place) => findable(`t${place}`, `Tool ${place}`));
    await found(indexOf(embedder, { tools }), "berth");
    expect(embedder.calls.map(({ length }) => length)).toEqual([64, 64, 2, 1]);
  });

  it("are those of new and changed tools, also for concurrent searches", async () => {
    const embedder = new ConceptEmbedder();
    const index = indexOf(embedder);
    await Promise.all([found(index, "berth"), found(index, "flood")]);
    expect(embedder.count).toBe(harbour.length + 2);
    index.update(createToolset(...harbour.slice(1), findable("buoy_list", "Lists the buoys.")));
    await found(index, "flood");
    expect(embedder.count).toBe(harbour.length + 4);
    expect(await found(index, "mooring")).toEqual(["berth_reserve"]);
  });

  it("are read up to a limit in a query", async () => {
    const embedder = new ConceptEmbedder();
    await found(indexOf(embedder), `berth ${"x ".repeat(1e5)}`);
    expect(embedder.calls.at(-1)?.[0]).toHaveLength(2000);
  });
});

describe("an embedder that fails", () => {
  it.each([
    ["rejects", () => Promise.reject(new Error("no route to host.")), "no route to host"],
    ["throws", () => expect.fail("out of memory"), "out of memory"],
    ["returns too few vectors", () => Promise.resolve([]), "0 vectors for"],
    ["returns no list", () => Promise.resolve(undefined as never), "undefined for"],
    [
      "returns values that are no numbers",
      (texts: readonly string[]) => Promise.resolve(texts.map(() => [Number.NaN])),
      "no finite number",
    ],
  ])("%s: words alone decide, with a warning", async (_, embed, problem) => {
    const index = indexOf({ id: "broken", embed });
    const { matches, warnings } = await index.search("reserve a berth", 10);
    expect(matches.map(({ name }) => name)).toEqual(byWords("reserve a berth"));
    expect(warnings).toEqual([
      expect.stringMatching(
        new RegExp(`^The embedder broken failed: .*${problem}.*\\. The search used words only\\.$`),
      ),
    ]);
  });

  it("is asked again by the next search, for the texts that are missing", async () => {
    const embedder = new ConceptEmbedder();
    let failures = 1;
    const tools = Array.from({ length: 100 }, (_, place) => findable(`t${place}`, `Tool ${place}`));
    const index = indexOf(
      {
        id: "once",
        embed: (texts) =>
          texts.length < 64 && failures-- > 0
            ? Promise.reject(new Error("busy"))
            : embedder.embed(texts),
      },
      { tools },
    );
    expect((await index.search("tool", 1)).warnings).toHaveLength(1);
    expect((await index.search("tool", 1)).warnings).toEqual([]);
    expect(embedder.calls.map(({ length }) => length)).toEqual([64, 36, 1]);
  });

  it("reports vectors of another length", async () => {
    const lengths = [2, 3];
    const embed = (texts: readonly string[]) => {
      const length = lengths.shift() ?? 0;
      return Promise.resolve(texts.map(() => Array.from({ length }, () => 1)));
    };
    const { warnings } = await indexOf({ id: "odd", embed }).search("berth", 5);
    expect(warnings).toEqual([expect.stringContaining("its vectors have 3 and 2 numbers")]);
  });
});

describe("vectors in a cache", () => {
  it("are computed once for all indexes of the same embedder", async () => {
    const cache = new MemoryCache();
    const first = await found(indexOf(new ConceptEmbedder(), { cache }), "flood");
    const embedder = new ConceptEmbedder();
    expect(await found(indexOf(embedder, { cache }), "flood")).toEqual(first);
    expect(embedder.calls).toEqual([["flood"]]);
    const other = new ConceptEmbedder("other");
    await found(indexOf(other, { cache }), "flood");
    expect(other.count).toBe(harbour.length + 1);
  });

  it("are stored although a later batch fails", async () => {
    const cache = new MemoryCache();
    const tools = Array.from({ length: 70 }, (_, place) => findable(`t${place}`, `Tool ${place}`));
    const embedder = new ConceptEmbedder();
    const embed: ToolEmbedder["embed"] = (texts) =>
      texts.length < 64 ? Promise.reject(new Error("busy")) : embedder.embed(texts);
    await indexOf({ id: "concepts", embed }, { cache, tools }).search("tool", 1);
    const next = new ConceptEmbedder();
    await found(indexOf(next, { cache, tools }), "tool");
    expect(next.calls.map(({ length }) => length)).toEqual([6, 1]);
  });

  it.each([["text"], [[]], [null], [{ odd: 1 }]])(
    "are missing in a damaged entry: %j",
    async (value) => {
      const cache = new MemoryCache();
      await found(indexOf(new ConceptEmbedder(), { cache }), "flood");
      for (const key of cache.entries.keys()) cache.entries.set(key, value);
      const embedder = new ConceptEmbedder();
      expect(await found(indexOf(embedder, { cache }), "flood")).toEqual(["tide_table"]);
      expect(embedder.count).toBe(harbour.length + 1);
    },
  );

  it("are computed again with a warning if the cache fails", async () => {
    const fail = (): never => {
      throw new Error("disk full");
    };
    const index = indexOf(new ConceptEmbedder(), { cache: { get: fail, set: fail } });
    const { matches, warnings } = await index.search("flood", 5);
    expect(matches.map(({ name }) => name)).toEqual(["tide_table"]);
    expect(new Set(warnings)).toEqual(
      new Set(["The cache of vectors failed: disk full. Vectors are computed again."]),
    );
    expect((await index.search("flood", 5)).warnings).toEqual([]);
  });
});
