import { inspect } from "node:util";
import { FakeClock } from "@toolweave/conformance/stores";
import { sqliteStore, type SqliteStore } from "@toolweave/stores";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { s3Artifacts, type S3Artifacts, type S3ArtifactsOptions } from "../src/index.ts";
import { openArtifacts } from "../src/s3-artifacts.ts";
import { failure } from "./support/failure.ts";
import { S3Server, testAccount } from "./support/s3-server.ts";
import { testArtifact, testKey } from "./support/test-artifact.ts";

let server: S3Server;
let clock: FakeClock;
let store: SqliteStore;
beforeAll(async () => {
  server = await S3Server.start();
});
beforeEach(() => {
  server.reset();
  clock = new FakeClock();
  store = sqliteStore({ path: ":memory:", clock });
  const opened = store;
  onTestFinished(() => opened.close());
});
afterAll(() => server.stop());

/** Pauses end at once, and deadlines never. */
const timers = {
  setTimeout(callback: () => void, ms: number) {
    if (ms < 30_000) queueMicrotask(callback);
    return {};
  },
  clearTimeout() {},
};
const { artifact, data } = testArtifact(1, 1_000);
const large = testArtifact(2, 200_000);

function options(more: Partial<S3ArtifactsOptions> = {}): S3ArtifactsOptions {
  return {
    index: store.artifactIndex,
    bucket: "tests",
    region: server.region,
    endpoint: server.origin,
    credentials: testAccount,
    timers,
    ...more,
  };
}

function open(more: Partial<S3ArtifactsOptions> = {}): S3Artifacts {
  const artifacts = openArtifacts(options(more), { maxPutBytes: 100_000, partBytes: 65_536 });
  onTestFinished(() => artifacts.close());
  return artifacts;
}

/** Replaces the only object. */
function replaceObject(change: (object: Buffer) => Buffer): void {
  const [name = "", object] = [...server.objects][0] ?? [];
  server.objects.set(name, change(object ?? Buffer.alloc(0)));
}

describe("requests", () => {
  test("an artifact is one object with a random name below the prefix", async () => {
    const artifacts = open({ prefix: "agents/a/" });
    await artifacts.put(artifact, data);
    const [name] = [...server.objects.keys()];
    expect(name).toMatch(/^tests\/agents\/a\/[0-9a-f]{32}$/);
    expect(name).not.toContain(artifact.key.slice(4));
    expect(server.seen.map(({ method }) => method)).toEqual(["PUT"]);
  });

  test("an artifact of more than one part is written by a multipart upload, each part with its digest", async () => {
    await open().put(large.artifact, large.data);
    const { seen } = server;
    expect(seen.map(({ method }) => method)).toEqual(["POST", "PUT", "PUT", "PUT", "PUT", "POST"]);
    expect(
      seen.every(({ headers }) => /^[0-9a-f]{64}$/.test(String(headers["x-amz-content-sha256"]))),
    ).toBe(true);
    expect(Buffer.compare([...server.objects.values()][0]!, large.data)).toBe(0);
  });

  test("a range is one request for these bytes", async () => {
    const artifacts = open();
    await artifacts.put(artifact, data);
    expect(await artifacts.read(artifact.key, 10, 5)).toEqual(data.slice(10, 15));
    expect(server.seen.at(-1)?.headers.range).toBe("bytes=10-14");
  });

  test.each([429, 500, 503])(
    "%d is followed by three more attempts, and then the error",
    async (status) => {
      const artifacts = open();
      server.override = () => ({ status });
      const error = await failure(() => artifacts.put(artifact, data));
      expect(error).toMatchObject({ code: "store_unavailable", retryable: true });
      expect(error.message).toContain(`(PUT: ${status})`);
      expect(server.seen.filter(({ method }) => method === "PUT")).toHaveLength(4);
      let failures = 3;
      server.override = () => (failures-- > 0 ? { status } : undefined);
      await artifacts.put(large.artifact, large.data);
      expect(await artifacts.read(large.artifact.key, 0, Infinity)).toEqual(large.data);
    },
  );

  test("other refusals are not repeated", async () => {
    const artifacts = open({ bucket: "missing-bucket" });
    const error = await failure(() => artifacts.put(artifact, data));
    expect(error.message).toContain('The bucket "missing-bucket" at http://127.0.0.1');
    expect(error.message).toContain("does not exist");
    expect(server.seen.filter(({ method }) => method === "PUT")).toHaveLength(1);
  });

  test("requests use the server's time, once it has refused the time of this machine", async () => {
    const artifacts = open();
    server.skewMs = 3_600_000;
    await artifacts.put(artifact, data);
    expect(server.seen.map(({ status }) => status)).toEqual([403, 200]);
    await artifacts.read(artifact.key, 0, 10);
    expect(server.seen.map(({ status }) => status)).toEqual([403, 200, 206]);
  });

  test("a server that refuses its own time, too, is not asked for ever", async () => {
    const artifacts = open();
    server.fault = { kind: "skew", at: 1, persists: true };
    const error = await failure(() => artifacts.put(artifact, data));
    expect(error.message).toContain("has refused the time of this machine");
    expect(server.seen.filter(({ method }) => method === "PUT")).toHaveLength(2);
  });

  test("a redirect is not followed, and names the options", async () => {
    const artifacts = open();
    server.override = () => ({ status: 307, headers: { location: "http://127.0.0.1:9/" } });
    const error = await failure(() => artifacts.put(artifact, data));
    expect(error.message).toContain("correct the options endpoint and region");
  });

  test("an error in an answer with the status 200 is one", async () => {
    const artifacts = open();
    server.override = ({ method, url }) =>
      method === "POST" && url?.includes("uploadId") === true
        ? { status: 200, body: "<Error><Code>InternalError</Code></Error>" }
        : undefined;
    const error = await failure(() => artifacts.put(large.artifact, large.data));
    expect(error.message).toContain("InternalError");
    expect(await artifacts.head(large.artifact.key)).toBeUndefined();
    expect([server.objects.size, server.uploads.size]).toEqual([0, 0]);
  });

  test("a server that never answers is left at the deadline", async () => {
    let expire = (): void => {};
    const artifacts = open({
      timers: {
        setTimeout: (callback) => ((expire = callback), {}),
        clearTimeout() {},
      },
    });
    server.fault = { kind: "hung", at: 1, persists: true, onSilence: () => expire() };
    const error = await failure(() => artifacts.put(artifact, data));
    expect(error.message).toContain("has not answered in time");
    expect(error.retryable).toBe(true);
    expect(await artifacts.head(artifact.key)).toBeUndefined();
  });
});

describe("credentials", () => {
  test("a function returns them for every request, with a session token", async () => {
    let calls = 0;
    server.account = { ...testAccount, sessionToken: "token-1" };
    const artifacts = open({
      credentials: async () => ({ ...testAccount, sessionToken: `token-${++calls}` }),
    });
    await artifacts.put(artifact, data);
    server.account = { ...testAccount, sessionToken: "token-2" };
    await artifacts.read(artifact.key, 0, 10);
    expect(server.seen.map(({ status }) => status)).toEqual([200, 206]);
  });

  test.each([
    ["a secret", { ...testAccount, secretAccessKey: "wrong-secret" }, "SignatureDoesNotMatch"],
    ["an access key", { ...testAccount, accessKeyId: "WRONGID" }, "InvalidAccessKeyId"],
  ])("%s that is wrong is refused, and no error contains it", async (_name, credentials, code) => {
    const artifacts = open({ credentials });
    const error = await failure(() => artifacts.put(artifact, data));
    expect(error).toMatchObject({ code: "store_unavailable", retryable: false });
    expect(error.message).toContain(code);
    const everything = inspect(error, { depth: 10, showHidden: true });
    expect(everything).not.toMatch(/wrong-secret|WRONGID|AWS4-HMAC/);
  });

  test("a function that fails or returns none makes the store unavailable", async () => {
    const fails = open({ credentials: () => Promise.reject(new Error("no metadata service")) });
    expect((await failure(() => fails.put(artifact, data))).message).toBe(
      "The credentials of the bucket are not available.",
    );
    const empty = open({ credentials: () => ({}) as never });
    const error = await failure(() => empty.put(large.artifact, large.data));
    expect(error.message).toContain("has returned no accessKeyId and secretAccessKey");
  });

  test.each([
    "http://user:hidden-password@127.0.0.1:9000",
    "ftp://files.example.com",
    "https://s3.example.com/path",
    "https://s3.example.com?secret=hidden-password",
    "hidden-password",
  ])("the endpoint %s is refused, and not repeated", (endpoint) => {
    let message = "";
    try {
      s3Artifacts(options({ endpoint }));
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain("endpoint is an origin");
    expect(message).not.toContain("hidden-password");
  });

  test.each([
    [{ bucket: "a/b" }, "bucket is not"],
    [{ region: "" }, "region is missing"],
    [{ prefix: "../" }, "prefix takes"],
    [{ prefix: "/a" }, "prefix takes"],
    [{ prefix: "a b" }, "prefix takes"],
    [{ key: "short" }, "key needs at least 32 bytes"],
    [{ timeoutMs: 0 }, "timeoutMs is 0"],
    [{ credentials: { accessKeyId: "a" } }, "credentials needs"],
    [{ index: undefined }, "index is missing"],
    [{ buckets: "a" }, "buckets"],
  ])("%j is an invalid option", (more, text) => {
    expect(() => s3Artifacts(options(more as never))).toThrow(text);
  });
});

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
      const error = await failure(() => artifacts.read(one.artifact.key, 0, Infinity));
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
      const error = await failure(() => artifacts.read(artifact.key, offset, length));
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
      expect((await failure(() => artifacts.read(artifact.key, 0, 10))).retryable).toBe(false);
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
    const error = await failure(() => artifacts.read(large.artifact.key, 0, 131_072));
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
    const error = await failure(() => artifacts.read(short.key, 0, 10));
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
    const error = await failure(() => later.read(artifact.key, 0, 10));
    expect(error.message).toContain("add it to key");
    expect(error.retryable).toBe(false);
    expect((await failure(() => open().read(artifact.key, 0, 10))).message).toContain(
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

describe("what is left behind", () => {
  test("an expired artifact is deleted with its object by a sweep", async () => {
    const artifacts = open();
    await artifacts.put({ ...artifact, expiresAt: clock.now() + 1_000 }, data);
    expect(await artifacts.sweep()).toBe(0);
    clock.advance(1_000);
    expect(await artifacts.sweep()).toBe(1);
    expect(server.objects.size).toBe(0);
    expect(await artifacts.sweep()).toBe(0);
  });

  test("bytes that arrive after an interrupted write was swept are deleted by the next sweep", async () => {
    const { artifactIndex } = store;
    const artifacts = open();
    await artifactIndex.reserve(artifact, JSON.stringify({ object: "late", bytes: 1_000 }), 1_000);
    clock.advance(1_000);
    expect(await artifacts.sweep()).toBe(1);
    server.objects.set("tests/late", Buffer.from(data));
    clock.advance(1_000_000);
    expect(await artifacts.sweep()).toBe(1);
    expect(server.objects.size).toBe(0);
    clock.advance(1_000_000);
    expect(await artifacts.sweep()).toBe(0);
  });

  test("a writer that was held up beyond its lease does not complete what a sweep has taken", async () => {
    const artifacts = open();
    server.override = ({ method, url }) => {
      if (method !== "PUT" || !url?.includes("partNumber=2")) return undefined;
      server.override = undefined;
      clock.advance(10_000_000);
      void store.artifactIndex.takeExpired(10, 1_000);
      return undefined;
    };
    const error = await failure(() => artifacts.put(large.artifact, large.data));
    expect(error.message).toContain("was held up for too long");
    expect(await artifacts.head(large.artifact.key)).toBeUndefined();
    clock.advance(1_000);
    await artifacts.sweep();
    expect([server.objects.size, server.uploads.size]).toEqual([0, 0]);
  });

  test("one object that cannot be deleted does not keep the others", async () => {
    const artifacts = open();
    const all = [1, 2, 3].map((number) => testArtifact(number, 10));
    for (const one of all) {
      await artifacts.put({ ...one.artifact, expiresAt: clock.now() + 1_000 }, one.data);
    }
    const [name = ""] = [...server.objects.keys()];
    clock.advance(1_000);
    server.override = ({ url }) =>
      url === `/${name}`
        ? { status: 403, body: "<Error><Code>AccessDenied</Code></Error>" }
        : undefined;
    expect((await failure(() => artifacts.sweep())).message).toContain("AccessDenied");
    expect([...server.objects.keys()]).toEqual([name]);
    server.override = undefined;
    clock.advance(1_000_000);
    expect(await artifacts.sweep()).toBe(1);
    expect(server.objects.size).toBe(0);
  });

  test("a closed store is unavailable", async () => {
    const artifacts = open();
    await artifacts.put(artifact, data);
    await artifacts.close();
    await artifacts.close();
    expect((await failure(() => artifacts.read(artifact.key, 0, 1))).code).toBe(
      "store_unavailable",
    );
  });
});
