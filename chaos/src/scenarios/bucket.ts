import { swiftProblem } from "@toolweave/test-support/swift-server";
import pg from "pg";
import { bucketFaults, FaultProxy } from "../bucket/fault-proxy.ts";
import { readBucketState } from "./read-bucket.ts";
import { SwiftBucket } from "../bucket/swift-bucket.ts";
import { createRandom } from "../cluster/random.ts";
import type { BucketState } from "../history/history.ts";
import { artifact, largeFile, lostObject } from "../operations/kinds.ts";
import { artifactSecret } from "../worker/tools.ts";
import { waitFor } from "./load-kinds.ts";
import { runLoad, type FaultContext } from "./run-load.ts";
import type { Scenario, ScenarioRun } from "./scenario.ts";
import { withPostgres } from "./with-postgres.ts";

const workers = 3;
/** The deadline of a request to the bucket, and the time for which one is held back. */
const timeoutMs = 2_000;
const heldMs = 3_000;

/** S1: artifacts are in a bucket that fails in every way, and workers are killed while they write. */
export const faultyBucket: Scenario = {
  id: "S1",
  summary:
    "artifacts in a bucket of OpenStack Swift: requests are refused, slow, cut in both directions, reset before and after they are processed; objects are deleted, and workers killed while they write",
  missing: swiftProblem,
  run: (run) =>
    withPostgres(run, {}, ({ url }) =>
      withBucket(run, async (bucket, proxies) => {
        let tables = "";
        let state: BucketState | undefined;
        let deleted = 0;
        const deleteObject = async (key: string): Promise<void> => {
          await bucket.delete(await readObjectName(url, tables, key));
          deleted++;
        };
        const result = await runLoad(run, {
          ...{ scenario: "S1", url, workers, clients: 12 },
          kinds: { artifact, lostObject: lostObject(deleteObject), largeFile },
          weights: { artifact: 14, lostObject: 5, largeFile: 1 },
          program: (slot, _generation, usual) => {
            const { region, credentials, url: origin } = bucket.server;
            const endpoint = proxies[slot]?.origin ?? origin;
            const settings = { bucket: bucket.name, endpoint, region, credentials, timeoutMs };
            return { ...usual, settings: { ...usual.settings, bucket: settings } };
          },
          prepare: async (schema) => void (tables = schema),
          secrets: () => [artifactSecret],
          lostStatements: () => count(proxies, "lost") + count(proxies, "cutAnswer"),
          async faults(context) {
            await Promise.all([
              killWriters(context, proxies),
              ...proxies.map((proxy, slot) => disturb(context, proxy, slot)),
            ]);
          },
          async readBucket(schema) {
            // What was held back arrives before the leases have expired.
            await Promise.all(proxies.map((proxy) => proxy.restore()));
            state = await readBucketState(url, schema, bucket);
            return state;
          },
        });
        const { swept = 0, objects = [] } = state ?? {};
        const faults = bucketFaults.map((fault) => [fault, count(proxies, fault)] as const);
        return {
          ...result,
          details: {
            ...{ ...result.details, deleted, swept, objects: objects.length },
            ...Object.fromEntries(faults),
          },
        };
      }),
    ),
};

function count(proxies: readonly FaultProxy[], fault: (typeof bucketFaults)[number]): number {
  return proxies.reduce((sum, { counts }) => sum + counts[fault], 0);
}

/** Does `work` with a bucket, and a proxy between each worker and it. */
async function withBucket<Result>(
  { seed }: ScenarioRun,
  work: (bucket: SwiftBucket, proxies: readonly FaultProxy[]) => Promise<Result>,
): Promise<Result> {
  const bucket = await SwiftBucket.start();
  const proxies: FaultProxy[] = [];
  try {
    for (let slot = 0; slot < workers; slot++) {
      const random = createRandom(seed * 100 + slot);
      proxies.push(await FaultProxy.start(bucket.server.url, random, heldMs));
    }
    return await work(bucket, proxies);
  } finally {
    for (const proxy of proxies) await proxy.end();
    await bucket.end();
  }
}

/** Few of a worker's requests have faults, then many, then nearly all. */
async function disturb(
  { cluster, recorder, random, signal, countRestart }: FaultContext,
  proxy: FaultProxy,
  slot: number,
): Promise<void> {
  while (await waitFor(random.between(100, 500), signal)) {
    const end = recorder.beginFault("network", cluster.nameAt(slot));
    proxy.disturb(random.pick([0.1, 0.3, 0.9]));
    await waitFor(random.between(500, 1_500), signal);
    proxy.disturb(0);
    end();
    countRestart();
  }
  await proxy.restore();
}

/** Kills one of the workers every 1 to 2 s, when it begins to write an object. */
async function killWriters(
  { cluster, random, signal }: FaultContext,
  proxies: readonly FaultProxy[],
): Promise<void> {
  while (await waitFor(random.between(1_000, 2_000), signal)) {
    const slot = Math.floor(random.between(0, workers));
    await proxies[slot]?.nextWrite(signal);
    if (!signal.aborted) await cluster.kill(slot);
  }
}

async function readObjectName(url: string, schema: string, key: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly object: string }>(
      `SELECT place::json ->> 'object' AS object FROM ${schema}.artifact_objects WHERE key = $1`,
      [key],
    );
    const [row] = rows;
    if (row === undefined) throw new Error(`The artifact ${key} has no row.`);
    return row.object;
  } finally {
    await client.end();
  }
}
