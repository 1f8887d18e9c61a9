import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  createFolder,
  freePort,
  startProgram,
  type Account,
  type Program,
  type TestServer,
} from "./postgres-server.ts";

/** The part of a server that its standby needs. */
export interface PostgresPrimary {
  readonly port: number;
  readonly programs: string;
  readonly account: Account;
}

/** A copy of a server, which follows it by streaming replication until it is promoted (`SELECT pg_promote()`). */
export interface PostgresStandby extends TestServer, PostgresPrimary {
  readonly pid: number;
}

/**
 * Copies a running server with `pg_basebackup`, and starts the copy as its standby. It ends with this process.
 *
 * @throws Error if the copy cannot be made.
 */
export async function startStandby(primary: PostgresPrimary): Promise<PostgresStandby> {
  const { programs, account } = primary;
  const folder = createFolder(account);
  const data = join(folder, "data");
  const port = await freePort();
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  let program: Program;
  try {
    const source = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "postgres"];
    const { status, stderr } = spawnSync(
      join(programs, "pg_basebackup"),
      [...source, "-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync"],
      { ...account, encoding: "utf8", cwd: folder },
    );
    if (status !== 0) throw new Error(`pg_basebackup failed: ${stderr}`);
    const settings = {
      port: String(port),
      listen_addresses: "127.0.0.1",
      unix_socket_directories: folder,
      shared_buffers: "32MB",
      max_connections: "100",
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    program = await startProgram([join(programs, "postgres"), "-D", data, ...flags], {
      account,
      folder,
      ready: /database system is ready to accept read-only connections/,
    });
  } catch (error) {
    remove();
    throw error;
  }
  return {
    ...{ port, programs, account, pid: program.pid },
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await program.end();
      remove();
    },
  };
}
