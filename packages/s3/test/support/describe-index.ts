import { catchToolError } from "@toolweave/conformance/stores";
import type { ArtifactIndex, ArtifactStore } from "@toolweave/core/stores";
import { expect, test } from "vitest";
import { testArtifact } from "./test-artifact.ts";

/** An index of one test, and its time. */
export interface IndexUnderTest {
  readonly index: ArtifactIndex;
  /** The store whose bytes are in the same database. */
  readonly artifacts: ArtifactStore;
  readonly advance: (ms: number) => PromiseLike<void> | void;
}

const { artifact } = testArtifact(1, 1_000);
const { key } = artifact;

/** Registers the tests of an index with a quota of 10,000 bytes. */
export function describeIndex(make: () => PromiseLike<IndexUnderTest> | IndexUnderTest): void {
  test("an artifact can be read from its completion to its expiry", async () => {
    const { index, advance } = await make();
    const expiresAt = 1_000_000 + 5_000;
    const token = await index.reserve({ ...artifact, expiresAt }, "draft", 1_000);
    expect(await index.get(key)).toBeUndefined();
    expect(await index.complete(key, token, "place")).toBe(true);
    expect(await index.get(key)).toEqual({
      artifact: { ...artifact, expiresAt },
      place: "place",
    });
    await advance(5_000);
    expect(await index.get(key)).toBeUndefined();
    expect(await index.takeExpired(10, 1_000)).toMatchObject([{ key, place: "place" }]);
  });

  test("a key has one row until it is removed", async () => {
    const { index, advance } = await make();
    const token = await index.reserve(artifact, "a", 1_000);
    expect((await catchToolError(() => index.reserve(artifact, "b", 1_000))).code).toBe("internal");
    await index.complete(key, token, "a");
    const taken = await index.take(key, 1_000);
    expect((await catchToolError(() => index.reserve(artifact, "b", 1_000))).code).toBe("internal");
    await index.remove(taken!, 1_000);
    await index.reserve(artifact, "b", 1_000);
    await advance(1_000);
    expect(await index.takeExpired(10, 1_000)).toMatchObject([{ place: "b" }]);
  });

  test("a writer whose row was taken neither renews nor completes it", async () => {
    const { index, advance } = await make();
    const token = await index.reserve(artifact, "a", 1_000);
    await advance(999);
    expect(await index.renew(key, token, 1_000)).toBe(true);
    await advance(999);
    expect(await index.takeExpired(10, 1_000)).toEqual([]);
    await advance(1);
    expect(await index.takeExpired(10, 1_000)).toHaveLength(1);
    expect(await index.renew(key, token, 1_000)).toBe(false);
    expect(await index.complete(key, token, "a")).toBe(false);
    expect(await index.get(key)).toBeUndefined();
  });

  test("another token neither renews nor completes a row, nor takes it as its writer", async () => {
    const { index } = await make();
    const token = await index.reserve(artifact, "a", 1_000);
    const other = "00000000-0000-4000-8000-000000000000";
    expect(await index.renew(key, other, 1_000)).toBe(false);
    expect(await index.complete(key, other, "b")).toBe(false);
    expect(await index.take(key, 1_000, other)).toBeUndefined();
    expect(await index.take(key, 1_000, token)).toMatchObject({ key, place: "a" });
  });

  test("one process at a time removes a row, and another one after its lease", async () => {
    const { index, advance } = await make();
    await index.complete(key, await index.reserve(artifact, "a", 1_000), "a");
    const first = await index.take(key, 1_000);
    expect(await index.take(key, 1_000)).toBeUndefined();
    expect(await index.takeExpired(10, 1_000)).toEqual([]);
    await advance(1_000);
    const [second] = await index.takeExpired(10, 1_000);
    await index.remove(first!, 1_000);
    expect(await index.take(key, 1_000)).toBeUndefined();
    await index.remove(second!, 1_000);
    await advance(1_000_000);
    expect(await index.takeExpired(10, 1_000)).toEqual([]);
  });

  test("the row of an interrupted write is returned twice, and counts once", async () => {
    const { index, advance } = await make();
    const whole = testArtifact(2, 9_000).artifact;
    await index.reserve(whole, "a", 1_000);
    expect((await catchToolError(() => index.reserve(artifact, "b", 1_000))).code).toBe(
      "limit_exceeded",
    );
    await advance(1_000);
    const [first] = await index.takeExpired(10, 1_000);
    await index.remove(first!, 1_000);
    await index.complete(key, await index.reserve(artifact, "b", 1_000), "b");
    expect(await index.takeExpired(10, 1_000)).toEqual([]);
    await advance(1_000);
    const [second] = await index.takeExpired(10, 1_000);
    expect(second).toMatchObject({ key: whole.key, place: "a" });
    await index.remove(second!, 1_000);
    await advance(1_000);
    expect(await index.takeExpired(10, 1_000)).toEqual([]);
    expect((await catchToolError(() => index.reserve(whole, "a", 1_000))).code).toBe(
      "limit_exceeded",
    );
    await index.remove((await index.take(key, 1_000))!, 1_000);
    await index.reserve(whole, "a", 1_000);
  });

  test("those that are due first are taken first, and no more than asked for", async () => {
    const { index, advance } = await make();
    for (const number of [3, 1, 2]) {
      await index.reserve(testArtifact(number, 10).artifact, `${number}`, number * 1_000);
    }
    await advance(10_000);
    const places = async (max: number) =>
      (await index.takeExpired(max, 100_000)).map(({ place }) => place).toSorted();
    expect(await places(2)).toEqual(["1", "2"]);
    expect(await places(2)).toEqual(["3"]);
    expect(await places(2)).toEqual([]);
  });

  test("shares its quota with the artifacts in the database", async () => {
    const { artifacts, index } = await make();
    const [first, second] = [testArtifact(1, 6_000), testArtifact(2, 6_000)];
    await artifacts.put(first.artifact, first.data);
    const reserve = () => index.reserve(second.artifact, "place", 1_000);
    expect((await catchToolError(reserve)).code).toBe("limit_exceeded");
    await artifacts.delete(first.artifact.key);
    await reserve();
    const put = () => artifacts.put(first.artifact, first.data);
    expect((await catchToolError(put)).code).toBe("limit_exceeded");
  });
}
