import { rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ArtifactIndex, StoredArtifact } from "@toolweave/core/stores";
import { postgresStore } from "@toolweave/postgres";
import { s3Artifacts, type S3Artifacts } from "@toolweave/s3";
import { sqliteStore } from "@toolweave/stores";
import { startPostgres } from "@toolweave/test-support/postgres-server";
import { startSwift } from "@toolweave/test-support/swift-server";
import { AwsClient } from "aws4fetch";
import { installedVersion, printTable, spread } from "../lib/table.ts";

// Artifacts of 64 KiB in a bucket, beside bare signed requests to the same server (README.md):
//
// node --conditions=@toolweave/source bench/s3/artifacts.ts [--save]
const size = 65_536;
/** The artifact that ranges are read from. */
const largeSize = 1_048_576;
const rounds = 5;
const warmUps = 1;
const callsInRound = 16;

const swift = await startSwift();
const postgres = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), "toolweave-bench-s3-"));
const client = new AwsClient({ ...swift.credentials, service: "s3", region: swift.region });
const data = new Uint8Array(largeSize).map((_, index) => (index * 31 + (index >> 8)) & 255);
const small = data.subarray(0, size);

let count = 0;
function newArtifact(bytes: number): StoredArtifact {
  return {
    key: `art_${(++count).toString(16).padStart(32, "0")}`,
    owner: '["session",null]',
    mediaType: "application/octet-stream",
    size: bytes,
    createdAt: 0,
    expiresAt: 9e12,
  };
}

async function send(path: string, init: RequestInit, status: number): Promise<Uint8Array> {
  const answer = await client.fetch(`${swift.url}/bench/${path}`, init);
  if (answer.status !== status) throw new Error(`${path}: ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

interface Contender {
  readonly name: string;
  put(): Promise<unknown>;
  /** 64 KiB from a place of the large artifact. */
  get(from: number): Promise<Uint8Array | undefined>;
}

async function bare(): Promise<Contender> {
  await send("", { method: "PUT" }, 200);
  await send("large", { method: "PUT", body: data }, 200);
  return {
    name: "aws4fetch and fetch",
    put: () => send(`small-${++count}`, { method: "PUT", body: small }, 200),
    get: (from) => send("large", { headers: { range: `bytes=${from}-${from + size - 1}` } }, 206),
  };
}

async function stored(name: string, index: ArtifactIndex, key?: string): Promise<Contender> {
  const artifacts: S3Artifacts = s3Artifacts({
    index,
    bucket: "bench",
    endpoint: swift.url,
    region: swift.region,
    credentials: swift.credentials,
    ...(key === undefined ? {} : { key }),
  });
  const large = newArtifact(largeSize);
  await artifacts.put(large, data);
  return {
    name,
    put: () => artifacts.put(newArtifact(size), small),
    get: (from) => artifacts.read(large.key, from, size),
  };
}

/** Milliseconds for one call, with a number of them at once. */
async function measure(
  call: (number: number) => Promise<unknown>,
  atOnce: number,
): Promise<number> {
  const start = performance.now();
  for (let done = 0; done < callsInRound; done += atOnce) {
    const calls = Math.min(atOnce, callsInRound - done);
    await Promise.all(Array.from({ length: calls }, (_, index) => call(done + index)));
  }
  return (performance.now() - start) / callsInRound;
}

async function get(contender: Contender, number: number): Promise<void> {
  const from = (number % 15) * size;
  const read = await contender.get(from);
  if (read === undefined || Buffer.compare(read, data.subarray(from, from + size)) !== 0) {
    throw new Error(`${contender.name} has read other bytes.`);
  }
}

const operations: readonly (readonly [
  string,
  (by: Contender, number: number) => Promise<unknown>,
])[] = [
  ["put 64 KiB", (by) => by.put()],
  ["get 64 KiB of 1 MiB", get],
];

try {
  const floor = await bare();
  const inPostgres = postgresStore({ connectionString: postgres.url, maxArtifactBytes: 1e12 });
  const inSqlite = sqliteStore({ path: join(folder, "store.db"), maxArtifactBytes: 1e12 });
  const contenders = [
    await stored("s3Artifacts, PostgreSQL", inPostgres.artifactIndex),
    await stored("s3Artifacts, PostgreSQL, sealed", inPostgres.artifactIndex, "k".repeat(32)),
    await stored("s3Artifacts, SQLite", inSqlite.artifactIndex),
  ];
  const rows: string[][] = [];
  for (const [operation, call] of operations) {
    for (const atOnce of [1, 16]) {
      const times = new Map<Contender, { readonly ms: number; readonly ratio: number }[]>();
      for (let round = -warmUps; round < rounds; round++) {
        for (const contender of contenders) {
          const before = await measure((number) => call(floor, number), atOnce);
          const ms = await measure((number) => call(contender, number), atOnce);
          const after = await measure((number) => call(floor, number), atOnce);
          if (round < 0) continue;
          const ratio = (before + after) / 2 / ms;
          times.set(contender, [...(times.get(contender) ?? []), { ms, ratio }]);
        }
      }
      for (const [contender, measured] of times) {
        rows.push([
          operation,
          String(atOnce),
          contender.name,
          spread(measured.map(({ ratio }) => ratio)),
          spread(
            measured.map(({ ms }) => ms),
            1,
          ),
        ]);
      }
    }
  }
  inPostgres.close();
  inSqlite.close();
  printTable("s3-artifacts", {
    title: "Artifacts in a bucket",
    page: "bench/s3/README.md",
    meaning:
      "The rate of `s3Artifacts`, divided by that of bare signed requests to the same OpenStack Swift in neighbouring rounds: higher is better. A put has two statements of the index beside its request, and a get has one.",
    versions: { aws4fetch: installedVersion("s3", "aws4fetch") },
    columns: ["operation", "at once", "contender", "ratio to bare requests", "ms per call"],
    rows,
  });
} finally {
  await swift.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true });
}
process.exit();
