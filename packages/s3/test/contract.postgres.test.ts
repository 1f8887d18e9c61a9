import { describeStore } from "@toolweave/conformance/stores";
import { postgresStore } from "@toolweave/postgres";
import { afterAll, beforeAll, describe, inject } from "vitest";
import { testDatabase, type TestDatabase } from "../../postgres/test/support/test-database.ts";
import { s3Artifacts } from "../src/index.ts";
import { S3Server, testAccount } from "./support/s3-server.ts";

const url = inject("postgresUrl");

describe.skipIf(url === undefined)("with an index in PostgreSQL", () => {
  let database: TestDatabase;
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start();
    database = await testDatabase(url ?? "", `s3_${process.pid}`);
  });
  afterAll(async () => {
    await database.end();
    await server.stop();
  });

  describeStore(
    "in S3 and PostgreSQL",
    async ({ maxArtifactBytes, maxArtifactBytesPerOwner = maxArtifactBytes }) => {
      server.reset();
      const clock = await database.reset();
      const { pool, schema } = database;
      return {
        clock,
        open() {
          const store = postgresStore({
            pool,
            schema,
            timers: clock,
            ...(maxArtifactBytes === undefined ? {} : { maxArtifactBytes }),
            ...(maxArtifactBytesPerOwner === undefined ? {} : { maxArtifactBytesPerOwner }),
          });
          const artifacts = s3Artifacts({
            index: store.artifactIndex,
            bucket: "tests",
            region: server.region,
            endpoint: server.origin,
            credentials: testAccount,
          });
          const close = async (): Promise<void> => {
            await artifacts.close();
            store.close();
          };
          return { artifacts, close };
        },
      };
    },
    { ports: ["artifacts"] },
  );
});
