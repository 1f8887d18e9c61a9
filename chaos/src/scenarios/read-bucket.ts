import { ToolError } from "@toolweave/core";
import type { ArtifactStore } from "@toolweave/core/stores";
import { postgresStore } from "@toolweave/postgres";
import { s3Artifacts, type S3Artifacts } from "@toolweave/s3";
import pg from "pg";
import type { BucketRow, BucketState } from "../history/history.ts";
import { readMiscounted } from "./read-tables.ts";
import { workerKey } from "../worker/messages.ts";
import { isArtifact } from "../worker/tools.ts";
import type { SwiftBucket } from "../bucket/swift-bucket.ts";

/** Longer than the lease of a write and of a removal. */
const lapseMs = 600_000;
/** An interrupted write is swept twice, as its bytes may arrive late. */
const sweeps = 2;

/** Moves the time of the database beyond all leases, sweeps, and reads what is left in the rows and in the bucket. */
export async function readBucketState(
  url: string,
  schema: string,
  bucket: SwiftBucket,
): Promise<BucketState> {
  const store = postgresStore({ connectionString: url, schema, key: workerKey });
  const { region, credentials, url: endpoint } = bucket.server;
  const artifacts = s3Artifacts({
    index: store.artifactIndex,
    bucket: bucket.name,
    ...{ region, credentials, endpoint, key: workerKey },
  });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let swept = 0;
    for (let sweep = 1; sweep <= sweeps; sweep++) {
      await moveTime(client, schema, sweep * lapseMs);
      // Two at once, as two replicas do.
      const counts = await Promise.all([sweepAll(artifacts), sweepAll(artifacts)]);
      swept += counts[0] + counts[1];
    }
    const { rows } = await client.query<{
      readonly key: string;
      readonly state: string;
      readonly size: number;
      readonly place: { readonly object: string; readonly bytes: number };
    }>(`SELECT key, state, size, place::json AS place FROM ${schema}.artifact_objects`);
    const names = await bucket.list();
    return {
      swept,
      rows: await inTurns(rows, async ({ key, state, size, place }): Promise<BucketRow> => {
        const found = await readArtifact(artifacts, key, size);
        return { key, state, object: place.object, bytes: place.bytes, found };
      }),
      objects: await inTurns(names, async (name) => ({ name, content: await bucket.read(name) })),
      parts: await bucket.listParts(),
      miscounted: await readMiscounted(client, schema),
    };
  } finally {
    await client.end();
    await artifacts.close();
    store.close();
  }
}

function sweepAll(artifacts: S3Artifacts): Promise<number> {
  return artifacts.sweep(1_000_000);
}

async function readArtifact(
  artifacts: ArtifactStore,
  key: string,
  size: number,
): Promise<BucketRow["found"]> {
  try {
    const bytes = await artifacts.read(key, 0, size);
    if (bytes === undefined) return "missing";
    return isArtifact(bytes, size) ? "whole" : "other";
  } catch (error) {
    if (ToolError.is(error)) return "unreadable";
    throw error;
  }
}

/** All processes that use this time have ended. */
async function moveTime(client: pg.Client, schema: string, ms: number): Promise<void> {
  await client.query(
    `CREATE OR REPLACE FUNCTION ${schema}.now_ms() RETURNS float8 LANGUAGE sql VOLATILE AS
      'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 + ${ms}'`,
  );
}

/** Four at a time. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const turn = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await work(item);
  };
  await Promise.all([turn(), turn(), turn(), turn()]);
  return results;
}
