import { join } from "node:path";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { describeStore, FakeClock } from "@toolweave/conformance/stores";
import { sqliteStore } from "@toolweave/stores";
import { afterAll, beforeAll } from "vitest";
import { s3Artifacts } from "../src/index.ts";
import { S3Server, testAccount } from "./support/s3-server.ts";
import { testKey } from "./support/test-artifact.ts";

let server: S3Server;
beforeAll(async () => {
  server = await S3Server.start();
});
afterAll(() => server.stop());

for (const { name, key } of [
  { name: "S3 and SQLite", key: [] },
  { name: "S3 and SQLite, sealed", key: testKey },
]) {
  describeStore(
    `in ${name}`,
    ({ maxArtifactBytes, maxArtifactBytesPerOwner = maxArtifactBytes }) => {
      server.reset();
      const clock = new FakeClock();
      const folder = mkdtempSync(join(tmpdir(), "toolweave-s3-"));
      return {
        clock,
        open() {
          const store = sqliteStore({
            path: join(folder, "store.db"),
            clock,
            ...(maxArtifactBytes === undefined ? {} : { maxArtifactBytes }),
            ...(maxArtifactBytesPerOwner === undefined ? {} : { maxArtifactBytesPerOwner }),
          });
          const artifacts = s3Artifacts({
            index: store.artifactIndex,
            bucket: "tests",
            region: server.region,
            endpoint: server.origin,
            credentials: testAccount,
            key,
          });
          const close = async (): Promise<void> => {
            await artifacts.close();
            store.close();
          };
          return { artifacts, close };
        },
        dispose: () => rmSync(folder, { recursive: true }),
      };
    },
    { ports: ["artifacts"] },
  );
}
