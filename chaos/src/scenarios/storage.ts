import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PostgresServer } from "@toolweave/test-support/postgres-server";
import pg from "pg";
import { allKinds, waitFor } from "./load-kinds.ts";
import { runLoad } from "./run-load.ts";
import type { Scenario } from "./scenario.ts";
import { withOwnPostgres } from "./with-postgres.ts";

/** P3: the disk is full, or there is no connection left. */
export const exhaustedDatabase: Scenario = {
  id: "P3",
  summary: "the disk of the database is full for 1.5 s, or all its connections are used",
  missing() {
    const folder = mountSmallDisk();
    if (folder === undefined) return "only root can mount a small file system (tmpfs).";
    unmount(folder);
    return undefined;
  },
  run: (run) =>
    withSmallDisk((folder) =>
      withOwnPostgres({ max_connections: "40" }, async (server) => {
        const url = await createDatabase(server, folder);
        return runLoad(run, {
          ...{ scenario: "P3", url, kinds: allKinds },
          async faults({ recorder, random, signal, countRestart }) {
            while (await waitFor(1_000, signal)) {
              const end = recorder.beginFault("storage");
              const release = await random.pick([fillDisk, useConnections])(url);
              await waitFor(1_500, signal);
              await release();
              end();
              countRestart();
            }
          },
        });
      }),
    ),
};

const diskBytes = 200 * 2 ** 20;

async function withSmallDisk<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mountSmallDisk();
  if (folder === undefined) throw new Error("A small file system cannot be mounted.");
  try {
    return await work(folder);
  } finally {
    unmount(folder);
  }
}

function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-chaos-disk-"));
  const { status } = spawnSync("mount", [
    "-t",
    "tmpfs",
    "-o",
    `size=${diskBytes}`,
    "tmpfs",
    folder,
  ]);
  if (status === 0) return folder;
  rmdirSync(folder);
  return undefined;
}

function unmount(folder: string): void {
  spawnSync("umount", ["-l", folder]);
  rmdirSync(folder);
}

/** Creates a database whose tables are on the small disk. Its log is not: a full log would end the server. */
async function createDatabase(server: PostgresServer, folder: string): Promise<string> {
  const { uid, gid } = server.account;
  if (uid !== undefined) chownSync(folder, uid, gid ?? 0);
  await withClient(server.url, async (client) => {
    await client.query(`CREATE TABLESPACE small LOCATION '${folder}'`);
    await client.query("CREATE DATABASE chaos TABLESPACE small");
  });
  const url = new URL(server.url);
  url.pathname = "/chaos";
  return url.href;
}

/** Fills the disk of the database. The returned function frees it. */
async function fillDisk(url: string): Promise<() => Promise<void>> {
  const client = await connectWhenPossible(url);
  await client.query("CREATE UNLOGGED TABLE public.filler (bytes text)");
  await client.query("ALTER TABLE public.filler ALTER COLUMN bytes SET STORAGE PLAIN");
  for (let rows = 1_000; rows >= 1;) {
    try {
      await client.query(
        `INSERT INTO public.filler SELECT repeat('x', 7000) FROM generate_series(1, ${rows})`,
      );
    } catch {
      rows = Math.floor(rows / 10);
    }
  }
  return async () => {
    await client.query("DROP TABLE public.filler");
    await client.end();
  };
}

/** Ends the connections of all others, and uses every one that is free. The returned function frees them. */
async function useConnections(url: string): Promise<() => Promise<void>> {
  const clients = [await connectWhenPossible(url)];
  await clients[0]?.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  const over = new AbortController();
  const use = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const client = await connect(url).catch(() => undefined);
      if (client === undefined) await waitFor(20, over.signal);
      else clients.push(client);
    }
  };
  const using = Promise.all([use(), use(), use()]);
  return async () => {
    over.abort();
    await using;
    await Promise.all(clients.map((client) => client.end()));
  };
}

async function connectWhenPossible(url: string): Promise<pg.Client> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connect(url);
    } catch (error) {
      if (attempt === 100) throw error;
      await waitFor(50, new AbortController().signal);
    }
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // The server may end it.
  client.on("error", () => {});
  await client.connect();
  return client;
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = await connect(url);
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
