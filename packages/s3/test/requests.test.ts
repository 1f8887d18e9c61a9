import { inspect } from "node:util";
import { catchToolError } from "@toolweave/conformance/stores";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { s3Artifacts } from "../src/index.ts";
import { S3Server, testAccount } from "./support/s3-server.ts";
import { testArtifact } from "./support/test-artifact.ts";
import { testStore, type TestStore } from "./support/test-store.ts";

let server: S3Server;
let clock: TestStore["clock"];
let options: TestStore["options"];
let open: TestStore["open"];
beforeAll(async () => {
  server = await S3Server.start();
});
beforeEach(() => {
  ({ clock, options, open } = testStore(server));
});
afterAll(() => server.stop());

const { artifact, data } = testArtifact(1, 1_000);
const large = testArtifact(2, 200_000);

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
      const error = await catchToolError(() => artifacts.put(artifact, data));
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
    const error = await catchToolError(() => artifacts.put(artifact, data));
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
    const error = await catchToolError(() => artifacts.put(artifact, data));
    expect(error.message).toContain("has refused the time of this machine");
    expect(server.seen.filter(({ method }) => method === "PUT")).toHaveLength(2);
  });

  test("a redirect is not followed, and names the options", async () => {
    const artifacts = open();
    server.override = () => ({ status: 307, headers: { location: "http://127.0.0.1:9/" } });
    const error = await catchToolError(() => artifacts.put(artifact, data));
    expect(error.message).toContain("correct the options endpoint and region");
  });

  test("an error in an answer with the status 200 is one", async () => {
    const artifacts = open();
    server.override = ({ method, url }) =>
      method === "POST" && url?.includes("uploadId") === true
        ? { status: 200, body: "<Error><Code>InternalError</Code></Error>" }
        : undefined;
    const error = await catchToolError(() => artifacts.put(large.artifact, large.data));
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
    const error = await catchToolError(() => artifacts.put(artifact, data));
    expect(error.message).toContain("has not answered in time");
    expect(error.retryable).toBe(true);
    expect(await artifacts.head(artifact.key)).toBeUndefined();
    expect(server.requests).toBe(1);
    server.fault = undefined;
    clock.advance(1_000_000);
    expect(await artifacts.sweep()).toBe(1);
    expect(server.objects.size).toBe(0);
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
    const error = await catchToolError(() => artifacts.put(artifact, data));
    expect(error).toMatchObject({ code: "store_unavailable", retryable: false });
    expect(error.message).toContain(code);
    const everything = inspect(error, { depth: 10, showHidden: true });
    expect(everything).not.toMatch(/wrong-secret|WRONGID|AWS4-HMAC/);
  });

  test("a function that fails or returns none makes the store unavailable", async () => {
    const fails = open({ credentials: () => Promise.reject(new Error("no metadata service")) });
    expect((await catchToolError(() => fails.put(artifact, data))).message).toBe(
      "The credentials of the bucket are not available.",
    );
    const empty = open({ credentials: () => ({}) as never });
    const error = await catchToolError(() => empty.put(large.artifact, large.data));
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
