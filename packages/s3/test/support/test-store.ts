import { FakeClock } from "@toolweave/conformance/stores";
import { sqliteStore, type SqliteStore } from "@toolweave/stores";
import { onTestFinished } from "vitest";
import type { S3Artifacts, S3ArtifactsOptions } from "../../src/index.ts";
import { openArtifacts } from "../../src/s3-artifacts.ts";
import { testAccount, type S3Server } from "./s3-server.ts";

/** Pauses end at once, and deadlines never. */
const timers = {
  setTimeout(callback: () => void, ms: number): object {
    if (ms < 30_000) queueMicrotask(callback);
    return {};
  },
  clearTimeout(): void {},
};

/** A store in a bucket of the test server, with its rows in memory. */
export interface TestStore {
  readonly clock: FakeClock;
  readonly store: SqliteStore;
  options(more?: Partial<S3ArtifactsOptions>): S3ArtifactsOptions;
  /** Opens the store with small parts: an artifact of more than 100,000 bytes has several. */
  open(more?: Partial<S3ArtifactsOptions>): S3Artifacts;
  /** Replaces the only object. */
  replaceObject(change: (object: Buffer) => Buffer): void;
}

/** Makes the store of one test, and empties the server. */
export function testStore(server: S3Server): TestStore {
  server.reset();
  const clock = new FakeClock();
  const store = sqliteStore({ path: ":memory:", clock });
  onTestFinished(() => store.close());
  const options = (more: Partial<S3ArtifactsOptions> = {}): S3ArtifactsOptions => ({
    index: store.artifactIndex,
    bucket: "tests",
    region: server.region,
    endpoint: server.origin,
    credentials: testAccount,
    timers,
    ...more,
  });
  return {
    clock,
    store,
    options,
    open(more) {
      const artifacts = openArtifacts(options(more), { maxPutBytes: 100_000, partBytes: 65_536 });
      onTestFinished(() => artifacts.close());
      return artifacts;
    },
    replaceObject(change) {
      const [name = "", object] = [...server.objects][0] ?? [];
      server.objects.set(name, change(object ?? Buffer.alloc(0)));
    },
  };
}
