import { randomInt } from "node:crypto";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

/** A server that ends with this process. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** Resolves when it has ended, and its files are removed. */
  stop(): Promise<void>;
}

/** A PostgreSQL on loopback, with an empty database `postgres`. */
export interface PostgresServer extends TestServer {
  /** The folder of `pg_dump`, `pg_ctl` and the others. */
  readonly programs: string;
  /** The data directory. */
  readonly data: string;
  /** The process id of the postmaster. */
  readonly pid: number;
  /** The account that the server runs as: PostgreSQL does not run as root. */
  readonly account: Account;
  /**
   * Ends the server and starts it again on the same port. `SIGINT`: connections are ended; `SIGQUIT`: it does not shut
   * down cleanly and recovers at the start; `SIGKILL`: the same, and its child processes end by themselves.
   */
  restart(signal: "SIGINT" | "SIGQUIT" | "SIGKILL"): Promise<void>;
}

/** An account of the system; empty: that of this process. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** Settings that make tests fast. A crash of the server would lose data. */
export const unsafePostgres: Readonly<Record<string, string>> = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
};

/** The folder of the programs of PostgreSQL; `undefined`: it is not installed. */
export function postgresPrograms(): string | undefined {
  return ["/usr/lib/postgresql", "/opt/homebrew/opt"]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((version) => join(folder, version, "bin")))
    .findLast((folder) => existsSync(join(folder, "initdb")));
}

/** The path of pgbouncer; `undefined`: it is not installed. */
export function pgbouncerProgram(): string | undefined {
  return ["/usr/sbin/pgbouncer", "/opt/homebrew/bin/pgbouncer"].find((path) => existsSync(path));
}

/**
 * Starts a PostgreSQL with a database of its own.
 *
 * @param settings of `postgresql.conf`, in addition to those that keep it small.
 * @throws Error if PostgreSQL is not installed.
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const programs = postgresPrograms();
  if (programs === undefined) {
    throw new Error("PostgreSQL is missing: apt-get install postgresql.");
  }
  const account = unprivilegedAccount();
  const folder = createFolder(account);
  const data = join(folder, "data");
  const port = await freePort();
  const all = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    max_connections: "100",
    shared_buffers: "32MB",
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const start = (): Promise<Program> =>
    startProgram([join(programs, "postgres"), "-D", data, ...flags], {
      account,
      folder,
      ready: /database system is ready to accept connections/,
    });
  let running: Program | undefined;
  const stop = async (): Promise<void> => {
    await running?.end();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const made = spawnSync(
      join(programs, "initdb"),
      ["-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale", "--no-sync"],
      { ...account, encoding: "utf8", cwd: folder },
    );
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
    let current = (running = await start());
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      port,
      programs,
      data,
      account,
      get pid() {
        return current.pid;
      },
      restart: async (signal) => {
        process.kill(current.pid, signal);
        await current.ended;
        current = running = await startAgain(start);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Starts a pgbouncer in transaction mode in front of a server.
 *
 * @throws Error if pgbouncer is not installed.
 */
export async function startPgbouncer(server: PostgresServer): Promise<TestServer> {
  const path = pgbouncerProgram();
  if (path === undefined) throw new Error("pgbouncer is missing: apt-get install pgbouncer.");
  const folder = createFolder(server.account);
  const port = await freePort();
  const config = join(folder, "pgbouncer.ini");
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${server.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
`,
  );
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const { end } = await startProgram([path, config], {
      account: server.account,
      folder,
      ready: /process up|listening on/,
    });
    const stop = async (): Promise<void> => {
      await end();
      remove();
    };
    return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, port, stop };
  } catch (error) {
    remove();
    throw error;
  }
}

/** After a SIGKILL, the child processes of the former server end a moment later; until then, it cannot start. */
async function startAgain(start: () => Promise<Program>): Promise<Program> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      const isBusy = /shared memory block|lock file/.test(String(error));
      if (!isBusy || attempt === 100) throw error;
      await delay(50);
    }
  }
}

/** A program that ends with this process. */
export interface Program {
  readonly pid: number;
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>;
  end(): Promise<void>;
}

/** How a program is started. */
export interface ProgramOptions {
  readonly account: Account;
  readonly folder: string;
  /** A line of its standard error, once it accepts connections. */
  readonly ready: RegExp;
}

/**
 * Prints the process id of the program, and ends when the program ends. At the end of the input, it interrupts the
 * program.
 */
const supervisor = `
exec 3<&0
"$@" <&- 3<&- &
pid=$!
echo $pid
(read -r _ <&3; kill -CONT $pid; kill -INT $pid) 2>/dev/null &
reader=$!
exec 3<&-
wait $pid
kill $reader 2>/dev/null
`;

/** Starts a program that ends with this process. */
export async function startProgram(
  command: readonly string[],
  { account, folder, ready }: ProgramOptions,
): Promise<Program> {
  const child: ChildProcess = spawn("/bin/sh", ["-c", supervisor, "sh", ...command], {
    ...account,
    cwd: folder,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error(`${command[0]} has no output.`);
  const pid = once(createInterface({ input: stdout }), "line");
  const lines: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    lines.push(line);
    if (!ready.test(line)) continue;
    stderr.resume();
    return {
      pid: Number((await pid)[0]),
      ended,
      end: async () => {
        child.stdin?.end();
        await ended;
      },
    };
  }
  throw new Error(`${command[0]} did not start:\n${lines.join("\n")}`);
}

/** Creates a folder for temporary files that belongs to the account. */
export function createFolder(account: Account): string {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-postgres-"));
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid ?? 0);
  return folder;
}

function unprivilegedAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  const read = (flag: string): number =>
    Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
  return { uid: read("-u"), gid: read("-g") };
}

/** A port that is free now. It is below 32,768: from there on, the system gives ports to outgoing connections. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(10_000, 32_768);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
  throw new Error("There is no free port.");
}
