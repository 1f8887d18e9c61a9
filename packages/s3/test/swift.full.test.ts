import { catchToolError, describeStore, FakeClock } from "@toolweave/conformance/stores";
import { sqliteStore } from "@toolweave/stores";
import { startSwift, swiftProblem, type SwiftServer } from "@toolweave/test-support/swift-server";
import { AwsClient } from "aws4fetch";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { s3Artifacts, type S3Artifacts, type S3ArtifactsOptions } from "../src/index.ts";
import { testArtifact, testKey } from "./support/test-artifact.ts";

const problem = swiftProblem();
const MiB = 1_048_576;

describe.skipIf(problem !== undefined)(`with OpenStack Swift (${problem ?? "installed"})`, () => {
  let swift: SwiftServer;
  let client: AwsClient;
  beforeAll(async () => {
    swift = await startSwift();
    client = new AwsClient({ ...swift.credentials, service: "s3", region: swift.region });
    const made = await client.fetch(`${swift.url}/tests`, { method: "PUT" });
    if (made.status !== 200) throw new Error(`The bucket was not made: ${made.status}.`);
  });
  afterAll(() => swift?.stop());

  /** The names of the objects in the bucket. */
  async function objects(): Promise<readonly string[]> {
    const answer = await client.fetch(`${swift.url}/tests`);
    if (answer.status !== 200) throw new Error(`The bucket was not listed: ${answer.status}.`);
    return [...(await answer.text()).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key ?? "");
  }

  /** The names of the stored parts of uploads, by Swift's own interface. */
  async function parts(prefix: string): Promise<readonly string[]> {
    const { accessKeyId, secretAccessKey } = swift.credentials;
    const headers = { "x-auth-user": accessKeyId, "x-auth-key": secretAccessKey };
    const signedIn = await fetch(`${swift.url}/auth/v1.0`, { headers });
    const token = signedIn.headers.get("x-auth-token") ?? "";
    const url = `${signedIn.headers.get("x-storage-url")}/tests%2Bsegments?prefix=${prefix}`;
    const answer = await fetch(url, { headers: { "x-auth-token": token } });
    if (!answer.ok) throw new Error(`The parts were not listed: ${answer.status}.`);
    return (await answer.text()).split("\n").filter((name) => name !== "");
  }

  function open(
    more: Partial<S3ArtifactsOptions> = {},
    clock: FakeClock = new FakeClock(),
  ): { readonly artifacts: S3Artifacts; readonly close: () => Promise<void> } {
    const store = sqliteStore({ path: ":memory:", clock });
    const artifacts = s3Artifacts({
      index: store.artifactIndex,
      bucket: "tests",
      region: swift.region,
      endpoint: swift.url,
      credentials: swift.credentials,
      ...more,
    });
    const close = async (): Promise<void> => {
      await artifacts.close();
      store.close();
    };
    return { artifacts, close };
  }

  for (const { name, key } of [
    { name: "Swift and SQLite", key: [] },
    { name: "Swift and SQLite, sealed", key: testKey },
  ]) {
    describeStore(
      `in ${name}`,
      ({ maxArtifactBytes, maxArtifactBytesPerOwner = maxArtifactBytes }) => {
        const clock = new FakeClock();
        const limits = {
          ...(maxArtifactBytes === undefined ? {} : { maxArtifactBytes }),
          ...(maxArtifactBytesPerOwner === undefined ? {} : { maxArtifactBytesPerOwner }),
        };
        const store = sqliteStore({ path: ":memory:", clock, ...limits });
        return {
          clock,
          open: () => ({
            artifacts: s3Artifacts({
              index: store.artifactIndex,
              bucket: "tests",
              region: swift.region,
              endpoint: swift.url,
              credentials: swift.credentials,
              key,
            }),
          }),
          dispose: () => store.close(),
        };
      },
      { ports: ["artifacts"] },
    );
  }

  test("a wrong secret is refused with a text that names the correction, and nothing is stored", async () => {
    const before = await objects();
    const { artifacts, close } = open({
      credentials: { ...swift.credentials, secretAccessKey: "wrong" },
    });
    const { artifact, data } = testArtifact(1, 10);
    const error = await catchToolError(() => artifacts.put(artifact, data));
    expect(error).toMatchObject({ code: "store_unavailable", retryable: false });
    expect(error.message).toMatch(/403 SignatureDoesNotMatch/);
    expect(error.message).not.toContain("wrong");
    expect(await objects()).toEqual(before);
    await close();
  });

  test("the server refuses bytes whose digest is another one", async () => {
    const answer = await client.fetch(`${swift.url}/tests/digest`, {
      method: "PUT",
      body: "some bytes",
      headers: { "x-amz-content-sha256": "0".repeat(64) },
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toMatch(/<Code>(?:BadDigest|XAmzContentSHA256Mismatch)</);
  });

  test("a bucket that does not exist is named", async () => {
    const { artifacts, close } = open({ bucket: "missing" });
    const { artifact, data } = testArtifact(2, 10);
    const error = await catchToolError(() => artifacts.put(artifact, data));
    expect(error.message).toMatch(/The bucket "missing" at .* does not exist/);
    await close();
  });

  test.each([undefined, testKey])(
    "an artifact in three parts is the same byte for byte, and nothing of it is left",
    async (key) => {
      const { artifacts, close } = open({
        prefix: "parts/",
        ...(key === undefined ? {} : { key }),
      });
      const { artifact, data } = testArtifact(3, 20 * MiB + 77);
      await artifacts.put(artifact, data);
      expect(Buffer.compare((await artifacts.read(artifact.key, 0, Infinity))!, data)).toBe(0);
      const [from, to] = [8 * MiB - 5, 8 * MiB + 70_000];
      const part = await artifacts.read(artifact.key, from, to - from);
      expect(Buffer.compare(part!, data.subarray(from, to))).toBe(0);
      expect(await parts("parts/")).toHaveLength(3);
      await artifacts.delete(artifact.key);
      expect((await objects()).filter((name) => name.startsWith("parts/"))).toEqual([]);
      expect(await parts("parts/")).toEqual([]);
      await close();
    },
  );

  test("an upload that was interrupted is aborted when its lease has expired", async () => {
    const clock = new FakeClock();
    const store = sqliteStore({ path: ":memory:", clock });
    const { artifact } = testArtifact(4, 20 * MiB);
    const place = JSON.stringify({ object: "cut/object", bytes: 20 * MiB, parts: true });
    await store.artifactIndex.reserve(artifact, place, 1_000);
    const started = await client.fetch(`${swift.url}/tests/cut/object?uploads`, { method: "POST" });
    const upload = /<UploadId>([^<]*)/.exec(await started.text())?.[1] ?? "";
    const url = `${swift.url}/tests/cut/object?partNumber=1&uploadId=${upload}`;
    const body = new Uint8Array(5 * MiB);
    expect((await client.fetch(url, { method: "PUT", body })).status).toBe(200);
    expect(await parts("cut/")).not.toEqual([]);
    const { artifacts, close } = open({ index: store.artifactIndex });
    clock.advance(1_000);
    expect(await artifacts.sweep()).toBe(1);
    expect(await parts("cut/")).toEqual([]);
    await close();
    store.close();
  });

  test("no text of a sealed artifact is in the bucket", async () => {
    const { artifacts, close } = open({ prefix: "sealed/", key: testKey });
    const secret = "a secret that a tool returned";
    const data = Buffer.from(secret.repeat(1_000));
    const { artifact } = testArtifact(5, data.byteLength);
    await artifacts.put(artifact, data);
    const names = (await objects()).filter((name) => name.startsWith("sealed/"));
    expect(names).toHaveLength(1);
    const answer = await client.fetch(`${swift.url}/tests/${names[0]}`);
    expect(Buffer.from(await answer.arrayBuffer()).includes("secret that")).toBe(false);
    await close();
  });
});
