import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { startPostgres } from "@toolweave/test-support/postgres-server";
import { startStandby, type PostgresPrimary } from "@toolweave/test-support/postgres-standby";
import pg from "pg";
import { startSwitchedPort, type SwitchedPort } from "./switched-port.ts";

type Server = PostgresPrimary & { readonly pid: number; stop(): Promise<void> };

/** A primary, a standby that follows it, and one address that always leads to the primary. */
export class ReplicatedPostgres {
  readonly #isSynchronous: boolean;
  readonly #address: SwitchedPort;
  readonly #servers: Server[];
  #primary: Server;
  #standby: Server | undefined;

  private constructor(primary: Server, address: SwitchedPort, isSynchronous: boolean) {
    this.#primary = primary;
    this.#servers = [primary];
    this.#address = address;
    this.#isSynchronous = isSynchronous;
  }

  /** @param isSynchronous a commit waits until the standby has it. */
  static async start(isSynchronous: boolean): Promise<ReplicatedPostgres> {
    const primary = await startPostgres();
    const address = await startSwitchedPort(primary.port);
    const replicated = new ReplicatedPostgres(primary, address, isSynchronous);
    try {
      await replicated.addStandby();
      return replicated;
    } catch (error) {
      await replicated.end();
      throw error;
    }
  }

  get url(): string {
    return toUrl(this.#address.port);
  }

  /** Adds a standby to the primary. */
  async addStandby(): Promise<void> {
    this.#standby = await startStandby(this.#primary);
    this.#servers.push(this.#standby);
    if (!this.#isSynchronous) return;
    await this.#setOnPrimary("synchronous_standby_names = '*'");
    const synchronous = "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'";
    while (!(await this.#finds(this.#primary, synchronous))) await delay(50);
  }

  /** Ends the replication: what is committed from now on is lost when the standby is promoted. */
  async disconnectStandby(): Promise<void> {
    const standby = this.#standby as Server;
    await query(standby, "ALTER SYSTEM SET primary_conninfo = ''");
    await query(standby, "SELECT pg_reload_conf()");
    while (await this.#finds(standby, "SELECT FROM pg_stat_wal_receiver")) await delay(20);
  }

  /** Kills the primary with all its processes, and promotes the standby. */
  async failOver(): Promise<void> {
    const standby = this.#standby as Server;
    this.#address.switchTo(undefined);
    killWithChildren(this.#primary.pid);
    await query(standby, "SELECT pg_promote()");
    this.#primary = standby;
    this.#standby = undefined;
    // It has the settings of the former primary, and no standby yet.
    if (this.#isSynchronous) await this.#setOnPrimary("synchronous_standby_names = ''");
    this.#address.switchTo(standby.port);
  }

  async end(): Promise<void> {
    await this.#address.end();
    for (const server of this.#servers) await server.stop();
  }

  async #setOnPrimary(setting: string): Promise<void> {
    await query(this.#primary, `ALTER SYSTEM SET ${setting}`);
    await query(this.#primary, "SELECT pg_reload_conf()");
  }

  async #finds(server: Server, text: string): Promise<boolean> {
    return (await query(server, text)) > 0;
  }
}

/** Runs a statement. Returns the number of its rows. */
async function query({ port }: Server, text: string): Promise<number> {
  const client = new pg.Client({ connectionString: toUrl(port) });
  await client.connect();
  try {
    return (await client.query(text)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}

function toUrl(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/** A child process that survives its server could still commit. */
function killWithChildren(pid: number): void {
  process.kill(pid, "SIGSTOP");
  const { stdout } = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
  for (const child of stdout.split("\n").filter((line) => line !== "")) {
    process.kill(Number(child), "SIGKILL");
  }
  process.kill(pid, "SIGKILL");
}
