import { expect, test } from "vitest";
import fc from "fast-check";
import { catchToolError } from "./catch-tool-error.ts";
import { testArtifact, testArtifactKey } from "./test-records.ts";
import { openSubject, type StoreFactory } from "./store-under-test.ts";

const MiB = 1_048_576;

/** Registers the tests of a store of artifacts. */
export function describeArtifacts(
  make: StoreFactory,
  {
    isShared,
    whenFull,
  }: { readonly isShared: boolean; readonly whenFull: "refuse" | "drop-oldest" },
): void {
  test("a stored artifact is returned unchanged, and others do not exist", async () => {
    const store = (await openSubject(make, "artifacts")).store.artifacts;
    const { artifact, data } = testArtifact("a", 10_000, { name: "höhe\n.bin", truncated: true });
    await store.put(artifact, data);
    expect(await store.head(artifact.key)).toEqual(artifact);
    expect(await store.read(artifact.key, 0, Infinity)).toEqual(data);
    expect(await store.head(testArtifactKey("b"))).toBeUndefined();
    expect(await store.read(testArtifactKey("b"), 0, 1)).toBeUndefined();
  });

  test("an empty one exists, too", async () => {
    const store = (await openSubject(make, "artifacts")).store.artifacts;
    const { artifact, data } = testArtifact("empty", 0);
    await store.put(artifact, data);
    expect(await store.head(artifact.key)).toEqual(artifact);
    expect(await store.read(artifact.key, 0, 10)).toEqual(new Uint8Array());
  });

  test("any range of it equals a slice of the bytes", async () => {
    const store = (await openSubject(make, "artifacts")).store.artifacts;
    const { artifact, data } = testArtifact("ranges", MiB + 300_007);
    await store.put(artifact, data);
    const edge = fc.constantFrom(0, 262_143, 262_144, 262_145, MiB - 1, MiB, MiB + 1, data.length);
    const place = fc.oneof(edge, fc.nat({ max: data.length + 10 }));
    await fc.assert(
      fc.asyncProperty(place, place, async (offset, length) => {
        const read = await store.read(artifact.key, offset, length);
        expect(Buffer.compare(read!, data.subarray(offset, offset + length))).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  test.runIf(isShared).each([
    [-1, 1],
    [0.5, 1],
    [Number.NaN, 1],
    [0, -1],
    [0, Number.NaN],
  ])("%d bytes from %d on are not a valid range", async (offset, length) => {
    const store = (await openSubject(make, "artifacts")).store.artifacts;
    const { artifact, data } = testArtifact("a", 10);
    await store.put(artifact, data);
    expect((await catchToolError(() => store.read(artifact.key, offset, length))).code).toBe(
      "internal",
    );
  });

  test("a deleted one does not exist, and deleting an unknown one has no effect", async () => {
    const store = (await openSubject(make, "artifacts")).store.artifacts;
    const { artifact, data } = testArtifact("a", 10);
    await store.put(artifact, data);
    await store.delete(artifact.key);
    await store.delete(artifact.key);
    expect(await store.head(artifact.key)).toBeUndefined();
    expect(await store.read(artifact.key, 0, 10)).toBeUndefined();
  });

  test.runIf(isShared)("an existing key is refused, and its artifact is unchanged", async () => {
    const store = (await openSubject(make, "artifacts")).store.artifacts;
    const first = testArtifact("a", 10);
    await store.put(first.artifact, first.data);
    const second = testArtifact("a", 20);
    expect((await catchToolError(() => store.put(second.artifact, second.data))).code).toBe(
      "internal",
    );
    expect(await store.read(first.artifact.key, 0, 100)).toEqual(first.data);
  });

  test
    .runIf(isShared)
    .each([
      "../../etc/passwd",
      "art_",
      `${testArtifactKey("a")}\n`,
      `${testArtifactKey("a")}/../x`,
      testArtifactKey("a").toUpperCase(),
      "' OR 1=1 --",
      "__proto__",
      "",
      7,
      undefined,
    ])("%j is not a key: nothing is found or stored under it", async (key) => {
    const store = (await openSubject(make, "artifacts")).store.artifacts;
    const { artifact, data } = testArtifact("a", 10);
    await store.put(artifact, data);
    expect(await store.head(key as string)).toBeUndefined();
    expect(await store.read(key as string, 0, 10)).toBeUndefined();
    await store.delete(key as string);
    expect(await store.head(artifact.key)).toEqual(artifact);
    const put = { ...artifact, key: key as string };
    expect((await catchToolError(() => store.put(put, data))).code).toBe("internal");
  });

  test.runIf(isShared)(
    "a size that differs from that of the bytes, and an invalid expiry, are refused",
    async () => {
      const store = (await openSubject(make, "artifacts")).store.artifacts;
      const { artifact, data } = testArtifact("a", 10);
      for (const wrong of [{ size: 9 }, { size: Number.NaN }, { expiresAt: Number.NaN }]) {
        const error = await catchToolError(() => store.put({ ...artifact, ...wrong }, data));
        expect(error.code).toBe("internal");
      }
    },
  );

  test.runIf(isShared)("an owner or a name above the maximum length is refused", async () => {
    const store = (await openSubject(make, "artifacts")).store.artifacts;
    const { artifact, data } = testArtifact("a", 10, { name: "ä".repeat(40_000) });
    expect((await catchToolError(() => store.put(artifact, data))).code).toBe("limit_exceeded");
    const long = testArtifact("b", 10, { owner: "x".repeat(60_000) });
    await store.put(long.artifact, long.data);
    expect(await store.head(long.artifact.key)).toEqual(long.artifact);
  });

  test.runIf(isShared)("one without an expiry never expires", async () => {
    const store = (await openSubject(make, "artifacts")).store.artifacts;
    const { artifact, data } = testArtifact("a", 10, { expiresAt: Infinity });
    await store.put(artifact, data);
    await store.put(testArtifact("b", 10).artifact, testArtifact("b", 10).data);
    expect(await store.head(artifact.key)).toEqual({ ...artifact, expiresAt: 8.64e15 });
  });

  test("from expiresAt on, by the store's clock, it does not exist", async () => {
    const {
      store: { artifacts: store },
      clock,
    } = await openSubject(make, "artifacts");
    const { artifact, data } = testArtifact("a", 10, { expiresAt: clock.now() + 1_000 });
    await store.put(artifact, data);
    await clock.advance(999);
    expect(await store.head(artifact.key)).toEqual(artifact);
    await clock.advance(1);
    expect(await store.head(artifact.key)).toBeUndefined();
    expect(await store.read(artifact.key, 0, 10)).toBeUndefined();
  });

  test.runIf(whenFull === "refuse")(
    "a full store accepts no more, until something was deleted or has expired",
    async () => {
      const {
        store: { artifacts: store },
        clock,
      } = await openSubject(make, "artifacts", { maxArtifactBytes: 25_000 });
      const soon = { expiresAt: clock.now() + 60_000 };
      const [a, b, c] = ["a", "b", "c"].map((word) => testArtifact(word, 10_000, soon));
      await store.put(a!.artifact, a!.data);
      await store.put(b!.artifact, b!.data);
      const error = await catchToolError(() => store.put(c!.artifact, c!.data));
      expect(error).toMatchObject({
        code: "limit_exceeded",
        message:
          "The artifacts would take more than 25000 bytes: wait until some have expired, or raise the limit.",
      });
      expect(await store.head(c!.artifact.key)).toBeUndefined();
      await store.delete(a!.artifact.key);
      await store.put(c!.artifact, c!.data);
      await clock.advance(60_000);
      for (const word of ["d", "e"]) {
        const { artifact, data } = testArtifact(word, 10_000);
        await store.put(artifact, data);
      }
      const late = testArtifact("f", 10_000);
      expect((await catchToolError(() => store.put(late.artifact, late.data))).code).toBe(
        "limit_exceeded",
      );
    },
  );

  test.runIf(whenFull === "refuse")(
    "many that are stored at once do not exceed the limit together",
    async () => {
      const store = (await openSubject(make, "artifacts", { maxArtifactBytes: 50_000 })).store
        .artifacts;
      const all = Array.from({ length: 10 }, (_entry, word) => testArtifact(word, 9_000));
      const results = await Promise.allSettled(
        all.map(({ artifact, data }) => store.put(artifact, data)),
      );
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
      const there = await Promise.all(all.map(({ artifact }) => store.head(artifact.key)));
      expect(there.filter((artifact) => artifact !== undefined)).toHaveLength(5);
    },
  );

  test("one that is larger than the limit is refused at once", async () => {
    const store = (await openSubject(make, "artifacts", { maxArtifactBytes: 1_000 })).store
      .artifacts;
    const { artifact, data } = testArtifact("a", 1_001);
    expect((await catchToolError(() => store.put(artifact, data))).code).toBe("limit_exceeded");
  });

  test.runIf(isShared)(
    "20 MiB are returned byte for byte, and other work runs meanwhile",
    async () => {
      const store = (await openSubject(make, "artifacts")).store.artifacts;
      const { artifact, data } = testArtifact("large", 20 * MiB);
      let turns = 0;
      let busy = true;
      const count = (): void => {
        turns++;
        if (busy) setImmediate(count);
      };
      setImmediate(count);
      await store.put(artifact, data);
      const whilePutting = turns;
      const read = await store.read(artifact.key, 0, artifact.size);
      busy = false;
      expect(Buffer.compare(read!, data)).toBe(0);
      expect(whilePutting).toBeGreaterThan(10);
      expect(turns - whilePutting).toBeGreaterThan(3);
    },
  );

  test.runIf(isShared)(
    "bytes that are transferred away while they are written leave nothing behind",
    async () => {
      const store = (await openSubject(make, "artifacts")).store.artifacts;
      const { artifact, data } = testArtifact("large", 20 * MiB);
      const putting = catchToolError(() => store.put(artifact, data));
      // Transfers the bytes, like a tool that passes them to a worker.
      structuredClone(data, { transfer: [data.buffer as ArrayBuffer] });
      expect(["invalid_configuration", "store_unavailable"]).toContain((await putting).code);
      expect(await store.head(artifact.key)).toBeUndefined();
    },
  );

  /** Another session each time: all belong to the same caller. */
  const flooder = (session: number): string => `["session ${session}","flooder"]`;
  const others = ['["session 0","ada"]', '["session 0",null]', "[null,null]"];

  test("those of one caller are limited in bytes, and those of others are accepted and stored", async () => {
    const limits = { maxArtifactBytes: 100_000, maxArtifactBytesPerOwner: 20_000 };
    const { store, clock } = await openSubject(make, "artifacts", limits);
    const put = async (word: string, owner: string, expiresAt = Infinity): Promise<void> => {
      const { artifact, data } = testArtifact(word, 4_000, { owner, expiresAt });
      await store.artifacts.put(artifact, data);
    };
    await put("ada", others[0]!);
    for (let n = 0; n < 4; n++) await put(`${n}`, flooder(n), clock.now() + 1_000);
    const more = await Promise.allSettled([put("more", flooder(99), clock.now() + 1_000)]);
    const errors = more.map((one) => (one.status === "rejected" ? String(one.reason) : "none"));
    expect(errors.join(" ")).toMatch(whenFull === "refuse" ? /this caller.*20000 bytes/ : /^none$/);
    expect((await store.artifacts.head(testArtifactKey("0"))) === undefined).toBe(
      whenFull === "drop-oldest",
    );
    for (const [index, owner] of others.entries()) await put(`other${index}`, owner);
    expect(await store.artifacts.head(testArtifactKey("ada"))).toBeDefined();
    await clock.skip(11_000);
    await put("later", flooder(100));
  });

  test.runIf(isShared)("one is readable for other processes, after a restart too", async () => {
    const { store, reopen } = await openSubject(make, "artifacts");
    const { artifact, data } = testArtifact("a", 300_000);
    await store.artifacts.put(artifact, data);
    await store.close?.();
    const { artifacts } = await reopen();
    expect(await artifacts.head(artifact.key)).toEqual(artifact);
    expect(await artifacts.read(artifact.key, 262_000, 300)).toEqual(data.slice(262_000, 262_300));
  });
}
