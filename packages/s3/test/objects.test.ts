import { catchToolError } from "@toolweave/conformance/stores";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { S3Server } from "./support/s3-server.ts";
import { testArtifact, testKey } from "./support/test-artifact.ts";
import { testStore, type TestStore } from "./support/test-store.ts";

let server: S3Server;
let store: TestStore["store"];
let open: TestStore["open"];
let replaceObject: TestStore["replaceObject"];
beforeAll(async () => {
  server = await S3Server.start();
});
beforeEach(() => {
  ({ store, open, replaceObject } = testStore(server));
});
afterAll(() => server.stop());

const { artifact, data } = testArtifact(1, 1_000);
const large = testArtifact(2, 200_000);

describe("what is read", () => {
  test("an object that another program has deleted is an artifact that does not exist", async () => {
    const artifacts = open();
    await artifacts.put(artifact, data);
    server.objects.clear();
    expect(await artifacts.read(artifact.key, 0, 10)).toBeUndefined();
    expect(await artifacts.read(artifact.key, 0, Infinity)).toBeUndefined();
    await artifacts.delete(artifact.key);
    expect(await artifacts.head(artifact.key)).toBeUndefined();
  });

  test("an object that was changed fails by its digest when it is read as a whole", async () => {
    const artifacts = open();
    for (const one of [{ artifact, data }, large]) {
      await artifacts.put(one.artifact, one.data);
      replaceObject((object) => object.map((byte) => byte ^ 1) as Buffer);
      const error = await catchToolError(() => artifacts.read(one.artifact.key, 0, Infinity));
      expect(error).toMatchObject({ code: "store_unavailable", retryable: false });
      expect(error.message).toContain("was changed after it was stored");
      await artifacts.delete(one.artifact.key);
    }
  });

  test.each([
    ["shorter", (object: Buffer) => object.subarray(0, 500)],
    ["longer", (object: Buffer) => Buffer.concat([object, object])],
    ["empty", () => Buffer.alloc(0)],
  ])("an object that is %s than what was stored fails for every range", async (_name, change) => {
    const artifacts = open();
    await artifacts.put(artifact, data);
    replaceObject(change);
    for (const [offset, length] of [
      [0, 10],
      [400, 300],
      [0, 1_000],
    ] as const) {
      const error = await catchToolError(() => artifacts.read(artifact.key, offset, length));
      expect(error.message).toContain("is not the one that was stored");
    }
  });

  test("a server that ignores the range, or sends another one, is noticed", async () => {
    const artifacts = open();
    await artifacts.put(artifact, data);
    const body = data.subarray(0, 10);
    const range = (text: string) => ({ status: 206, headers: { "content-range": text }, body });
    for (const answer of [
      { status: 200, body },
      range("bytes 1-10/1000"),
      range("bytes 0-9/999"),
      { ...range("bytes 0-9/1000"), body: data.subarray(0, 9) },
    ]) {
      server.override = () => answer;
      expect((await catchToolError(() => artifacts.read(artifact.key, 0, 10))).retryable).toBe(
        false,
      );
    }
  });
});

describe("sealed artifacts", () => {
  test("every range is the same as before, and the text is not in the object", async () => {
    const artifacts = open({ key: testKey });
    const text = Buffer.from("a secret of a tool ".repeat(12_000));
    const sealed = { ...large.artifact, size: text.byteLength };
    await artifacts.put(sealed, text);
    for (const [from, to] of [
      [0, 1],
      [65_535, 65_537],
      [65_536, 131_072],
      [100, 200_000],
    ] as const) {
      expect(Buffer.from((await artifacts.read(sealed.key, from, to - from))!)).toEqual(
        text.subarray(from, to),
      );
    }
    const [object] = [...server.objects.values()];
    expect(object!.includes("secret of")).toBe(false);
    expect(object!.byteLength).toBe(text.byteLength + 4 * 16);
  });

  const chunk = 65_552;
  test.each([
    ["a changed byte", (object: Buffer) => (object.writeUInt8(object.readUInt8(5) ^ 1, 5), object)],
    [
      "two chunks in another order",
      (object: Buffer) =>
        Buffer.concat([
          object.subarray(chunk, 2 * chunk),
          object.subarray(0, chunk),
          object.subarray(2 * chunk),
        ]),
    ],
    [
      "a chunk twice",
      (object: Buffer) =>
        Buffer.concat([
          object.subarray(0, chunk),
          object.subarray(0, chunk),
          object.subarray(2 * chunk),
        ]),
    ],
  ])("%s does not open", async (_name, change) => {
    const artifacts = open({ key: testKey });
    await artifacts.put(large.artifact, large.data);
    replaceObject((object) => change(Buffer.from(object)));
    const error = await catchToolError(() => artifacts.read(large.artifact.key, 0, 131_072));
    expect(error).toMatchObject({ code: "store_unavailable", retryable: false });
  });

  test("a shorter object does not pass as one of its own, even if the row says so", async () => {
    const artifacts = open({ key: testKey });
    const index = store.artifactIndex;
    await artifacts.put(large.artifact, large.data);
    const { place } = (await index.get(large.artifact.key))!;
    const short = { ...large.artifact, key: artifact.key, size: 65_536 };
    const token = await index.reserve(short, place, 1_000);
    await index.complete(short.key, token, JSON.stringify({ ...JSON.parse(place), bytes: chunk }));
    replaceObject((object) => object.subarray(0, chunk));
    const error = await catchToolError(() => artifacts.read(short.key, 0, 10));
    expect(error.message).toContain("was changed after it was stored");
  });

  test("keys rotate: the first seals, every one opens, and without it the error names the option", async () => {
    const next = "another key of the tests, 32 bytes";
    await open({ key: testKey }).put(artifact, data);
    const both = open({ key: [next, testKey] });
    await both.put(large.artifact, large.data);
    expect(await both.read(artifact.key, 0, Infinity)).toEqual(data);
    const later = open({ key: next });
    expect(await later.read(large.artifact.key, 0, 10)).toEqual(large.data.slice(0, 10));
    const error = await catchToolError(() => later.read(artifact.key, 0, 10));
    expect(error.message).toContain("add it to key");
    expect(error.retryable).toBe(false);
    expect((await catchToolError(() => open().read(artifact.key, 0, 10))).message).toContain(
      "add it to key",
    );
  });

  test("an empty artifact is authenticated, too", async () => {
    const artifacts = open({ key: testKey });
    const empty = { ...artifact, size: 0 };
    await artifacts.put(empty, new Uint8Array());
    expect([...server.objects.values()][0]!.byteLength).toBe(16);
    expect(await artifacts.read(empty.key, 0, 10)).toEqual(new Uint8Array());
  });
});
