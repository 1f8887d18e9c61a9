import { catchToolError } from "@toolweave/conformance/stores";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { S3Server } from "./support/s3-server.ts";
import { testArtifact } from "./support/test-artifact.ts";
import { testStore, type TestStore } from "./support/test-store.ts";

let server: S3Server;
let clock: TestStore["clock"];
let store: TestStore["store"];
let open: TestStore["open"];
beforeAll(async () => {
  server = await S3Server.start();
});
beforeEach(() => {
  ({ clock, store, open } = testStore(server));
});
afterAll(() => server.stop());

const { artifact, data } = testArtifact(1, 1_000);
const large = testArtifact(2, 200_000);

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
    const error = await catchToolError(() => artifacts.put(large.artifact, large.data));
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
    expect((await catchToolError(() => artifacts.sweep())).message).toContain("AccessDenied");
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
    expect((await catchToolError(() => artifacts.read(artifact.key, 0, 1))).code).toBe(
      "store_unavailable",
    );
  });
});
