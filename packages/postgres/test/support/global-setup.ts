import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Of a server that runs for all tests; absent: there is no PostgreSQL. */
    postgresUrl: string | undefined;
    /** Of a pgbouncer in transaction mode in front of it; absent: a quick run, or there is none. */
    pgbouncerUrl: string | undefined;
  }
}

interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

let stop = async (): Promise<void> => {};

/** Ends what `setup` has started. */
export async function teardown(): Promise<void> {
  await stop();
}

/** Starts one PostgreSQL on loopback for the test run, and in a full run a pgbouncer in front of it. */
export async function setup(project: TestProject): Promise<void> {
  const folders = ["/usr/lib/postgresql", "/opt/homebrew/opt"];
  const bin = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((version) => join(folder, version, "bin")))
    .findLast((folder) => existsSync(join(folder, "initdb")));
  if (bin === undefined) {
    if (process.env["CI"]) throw new Error("PostgreSQL is missing: apt-get install postgresql.");
    console.log("The tests of PostgreSQL are skipped: it is not installed.");
    return;
  }
  const account = unprivilegedAccount();
  const folder = mkdtempSync(join(tmpdir(), "toolweave-postgres-"));
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid ?? 0);
  const started: ChildProcess[] = [];
  stop = async (): Promise<void> => {
    for (const child of started.toReversed()) {
      child.stdin?.end();
      if (child.exitCode === null) await once(child, "exit");
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const data = join(folder, "data");
    const made = spawnSync(
      join(bin, "initdb"),
      ["-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale", "--no-sync"],
      { ...account, encoding: "utf8", cwd: folder },
    );
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
    const port = await freePort();
    const settings = {
      port: String(port),
      listen_addresses: "127.0.0.1",
      unix_socket_directories: folder,
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
      max_connections: "100",
      shared_buffers: "32MB",
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    await start([join(bin, "postgres"), "-D", data, ...flags], /ready to accept connections/);
    const address = (at: number) => `postgres://postgres@127.0.0.1:${at}/postgres`;
    project.provide("postgresUrl", address(port));
    if (project.config.env["TOOLWEAVE_FULL"] === "1" && existsSync("/usr/sbin/pgbouncer")) {
      const poolPort = await freePort();
      const config = join(folder, "pgbouncer.ini");
      writeFileSync(
        config,
        `[databases]
postgres = host=127.0.0.1 port=${port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${poolPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
`,
      );
      await start(["/usr/sbin/pgbouncer", config], /process up|listening on/);
      project.provide("pgbouncerUrl", address(poolPort));
    }
  } catch (error) {
    await stop();
    throw error;
  }

  /** Starts a program that ends with this process: the shell waits for the end of its input. */
  async function start(command: readonly string[], ready: RegExp): Promise<void> {
    const script = '"$@" <&- & pid=$!; read -r _; kill -INT $pid; wait $pid';
    const child = spawn("/bin/sh", ["-c", script, "sh", ...command], {
      ...account,
      cwd: folder,
      stdio: ["pipe", "ignore", "pipe"],
    });
    started.push(child);
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      lines.push(line);
      if (ready.test(line)) {
        child.stderr.resume();
        return;
      }
    }
    throw new Error(`${command[0]} did not start:\n${lines.join("\n")}`);
  }
}

/** PostgreSQL does not run as root. */
function unprivilegedAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) =>
    Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
  return { uid: idOf("-u"), gid: idOf("-g") };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("There is no free port.");
  return address.port;
}
