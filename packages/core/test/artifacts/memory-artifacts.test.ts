import { describe, expect, test } from "vitest";
import { memoryArtifacts, type ArtifactStore, type StoredArtifact } from "@toolweave/core/stores";
import { FakeClock } from "@toolweave/test-support/fake-clock";

const clock = new FakeClock();

function artifact(key: string, more: Partial<StoredArtifact> = {}): StoredArtifact {
  const now = clock.now();
  return {
    key,
    owner: "o",
    mediaType: "text/plain",
    size: 4,
    createdAt: now,
    expiresAt: now + 1000,
    ...more,
  };
}

async function put(store: ArtifactStore, key: string, bytes: number, owner = "o"): Promise<void> {
  await store.put(artifact(key, { owner, size: bytes }), new Uint8Array(bytes));
}

async function listStoredKeys(store: ArtifactStore, keys: string): Promise<string> {
  const heads = await Promise.all([...keys].map((key) => store.head(key)));
  return heads.map((head) => head?.key ?? "-").join("");
}

describe("artifacts in memory", () => {
  test("are copies: a change outside does not change the stored value", async () => {
    const store = memoryArtifacts({ clock });
    const given = Buffer.from("data");
    await store.put(artifact("a"), given);
    given.fill(0);
    const read = (await store.read("a", 0, 4)) as Uint8Array;
    expect(new TextDecoder().decode(read)).toBe("data");
    read.fill(0);
    expect(await store.read("a", 1, 2)).toEqual(new Uint8Array([0x61, 0x74]));
    ((await store.head("a")) as { owner: string }).owner = "other";
    expect((await store.head("a"))?.owner).toBe("o");
  });

  test("are read in parts, and not beyond their end", async () => {
    const store = memoryArtifacts({ clock });
    await store.put(artifact("a"), new TextEncoder().encode("data"));
    expect(await store.read("a", 2, 100)).toEqual(new Uint8Array([0x74, 0x61]));
    expect(await store.read("a", 9, 1)).toEqual(new Uint8Array());
    expect(await store.read("b", 0, 1)).toBeUndefined();
  });

  test("cannot be read once they have expired or were deleted", async () => {
    const store = memoryArtifacts({ clock });
    await put(store, "a", 4);
    await put(store, "b", 4);
    await store.delete("b");
    await store.delete("c");
    expect(await listStoredKeys(store, "ab")).toBe("a-");
    clock.skip(1000);
    expect(await listStoredKeys(store, "ab")).toBe("--");
    expect(await store.read("a", 0, 4)).toBeUndefined();
  });

  test("are evicted: the oldest of the owner with the largest total first", async () => {
    const store = memoryArtifacts({ maxBytes: 3 * 1512, clock });
    await put(store, "a", 1000, "other");
    await put(store, "b", 1000);
    await put(store, "c", 1000);
    await put(store, "d", 1000);
    expect(await listStoredKeys(store, "abcd")).toBe("a-cd");
    await put(store, "e", 1000, "third");
    expect(await listStoredKeys(store, "abcde")).toBe("a--de");
  });

  test("of a caller that stores without end take no room from others, over any number of sessions", async () => {
    const store = memoryArtifacts({ maxBytes: 5 * 1512, clock });
    await put(store, "a", 1000, '["s","ada"]');
    for (const key of "bcdefgh") await put(store, key, 1000, `["${key}","flooder"]`);
    await put(store, "i", 1000, '["s","bob"]');
    expect(await listStoredKeys(store, "abcdefghi")).toBe("a----fghi");
  });

  test("of one owner take no more than its quota: its own oldest are evicted", async () => {
    const store = memoryArtifacts({ maxBytes: 9 * 1512, maxBytesPerOwner: 2 * 1512, clock });
    for (const key of "abc") await put(store, key, 1000);
    expect(await listStoredKeys(store, "abc")).toBe("-bc");
    await expect(put(store, "d", 3000)).rejects.toMatchObject({ code: "limit_exceeded" });
  });

  test("that have expired are evicted first", async () => {
    const store = memoryArtifacts({ maxBytes: 2 * 1512, clock });
    await put(store, "a", 1000, "other");
    clock.skip(500);
    await put(store, "b", 1000);
    clock.skip(500);
    await put(store, "c", 1000);
    expect(await listStoredKeys(store, "abc")).toBe("-bc");
  });

  test("that are larger than the quota are refused, and evict nothing", async () => {
    const store = memoryArtifacts({ maxBytes: 2000, clock });
    await put(store, "a", 1000);
    await expect(put(store, "b", 1489)).rejects.toMatchObject({ code: "limit_exceeded" });
    await put(store, "c", 1488);
    expect(await listStoredKeys(store, "abc")).toBe("--c");
  });

  test("that are empty count against the limit, too", async () => {
    const store = memoryArtifacts({ maxBytes: 5120, clock });
    for (let at = 0; at < 26; at++) await put(store, String.fromCharCode(97 + at), 0);
    expect(await listStoredKeys(store, "opqrstuvwxyz")).toBe("--qrstuvwxyz");
  });

  test("with the same key replace one another", async () => {
    const store = memoryArtifacts({ maxBytes: 2000, clock });
    for (let at = 0; at < 5; at++) await put(store, "a", 1000 + at);
    expect((await store.head("a"))?.size).toBe(1004);
  });

  test.each([
    [{ maxBytes: Number.NaN }],
    [{ maxBytes: -1 }],
    [{ maxBytesPerOwner: -1 }],
    [{ maxByte: 5 }],
    [null],
  ])("refuse invalid options: %o", (options) => {
    expect(() => memoryArtifacts(options as never)).toThrow(
      expect.objectContaining({ code: "invalid_configuration" }),
    );
  });
});
