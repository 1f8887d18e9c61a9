import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Listening } from "./loopback-only.ts";

const guard = new URL("loopback-only.ts", import.meta.url);

/** The parameters to start a server. */
export interface ServerProgram {
  /** The folder beside this file with the list of packages to install. */
  readonly name: string;
  /** The script to run, within its `node_modules`. */
  readonly script: string;
  /**
   * Writes the server's configuration into an empty folder for its data; returns arguments and
   * environment. `installed` is the folder of the packages.
   */
  prepare(
    folder: string,
    installed: string,
  ): {
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  };
}

/** A public server program in a separate process: installed, started, on loopback only. */
export class RunningServer {
  /** `http://127.0.0.1:…` */
  readonly origin: string;
  /** The files that the server writes: its data, and temporary files. */
  readonly home: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, home: string, port: number) {
    this.#child = child;
    this.home = home;
    this.origin = `http://127.0.0.1:${port}`;
  }

  /**
   * Installs the missing packages (from the npm registry, without scripts, at most five minutes)
   * and waits until it listens, at most one minute. An error contains the server's output.
   */
  static async start(program: ServerProgram): Promise<RunningServer> {
    const place = fileURLToPath(new URL(`${program.name}/`, import.meta.url));
    install(place);
    const installed = join(place, "node_modules");
    const home = mkdtempSync(join(tmpdir(), `${program.name}-`));
    const folder = join(home, "data");
    const temporary = join(home, "temporary");
    mkdirSync(folder);
    mkdirSync(temporary);
    const { args = [], env = {} } = program.prepare(folder, installed);
    const script = join(installed, program.script);
    const child = spawn(process.execPath, ["--import", guard.href, script, ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: home, TMPDIR: temporary, ...env },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // A separate process group, so that it ends with all its child processes.
      detached: true,
    });
    try {
      return new RunningServer(child, home, await listening(child));
    } catch (error) {
      await end(child, home);
      throw error;
    }
  }

  stop(): Promise<void> {
    return end(this.#child, this.home);
  }
}

function install(folder: string): void {
  const args = [
    "-y",
    "pnpm@12",
    "install",
    "--frozen-lockfile",
    "--prefer-offline",
    "--use-stderr",
  ];
  execFileSync("npx", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"], timeout: 300_000 });
}

async function end(child: ChildProcess, home: string): Promise<void> {
  // Without an exit code the group still exists, since its leader does.
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const exit = once(child, "exit");
    process.kill(-child.pid, "SIGKILL");
    await exit;
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

function listening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let written = "";
    const keep = (chunk: Buffer): void => {
      written = (written + chunk.toString()).slice(-4_000);
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    const fail = (what: string): void => {
      clearTimeout(timer);
      reject(new Error(`The server ${what}:\n${written}`));
    };
    const timer = setTimeout(fail, 60_000, "did not listen within a minute");
    child.once("error", ({ message }) => fail(message));
    child.once("exit", (code, signal) => fail(`ended with ${code ?? signal}`));
    child.once("message", (message: Listening) => {
      clearTimeout(timer);
      resolve(message.listening);
    });
  });
}
