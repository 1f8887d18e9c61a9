import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { McpStdioServer } from "../../options/mcp-options.ts";
import { detachedProcesses, isAlive, watchdog, type StartedProcess } from "./watchdog.ts";
import { ConnectionClosedError } from "../messages/transport-errors.ts";
import { TextTail } from "./line-reader.ts";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, resolve } from "node:path";

/** Characters of the standard error that are stored. */
const maxStderr = 4_000;

/** Milliseconds that a server gets to exit by itself, and again after SIGTERM. */
const exitGraceMs = 2_000;

/** Milliseconds in which the remaining output of an ended server is read. A detached process may keep the pipe open. */
const remainingOutputMs = 50;

/** Milliseconds that the platform gets to end a process, and that detached processes get to exit after it. */
const lastMs = 250;

const ownGroup = process.platform !== "win32";

/**
 * A server as a child process in its own process group: the processes it has started end with it, and with the host,
 * however the host ends. On Windows only the server itself ends. Processes that have left the group are named in a
 * process warning (`TOOLWEAVE_DETACHED`) where the platform lists them, and are not ended. Its streams belong to the
 * channel; its standard error is read here.
 */
export class ServerProcess {
  /** Resolves when it has ended and its output has been read. */
  readonly ended: Promise<void>;
  readonly #name: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<void>;
  readonly #tail = new TextTail(maxStderr);
  #hasExited = false;
  #wasAskedToEnd = false;
  #fate: string | undefined;
  #ending: Promise<void> | undefined;

  private constructor(name: string, child: ChildProcessWithoutNullStreams) {
    this.#name = name;
    this.#child = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#tail.add(text));
    this.#exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#hasExited = true;
        if (!this.#wasAskedToEnd) this.#fate = describeExit(code, signal);
        // Other processes of the group may keep its output open, which would hide its end.
        this.#signal("SIGKILL");
        watchdog.ended(this.pid);
        // A busy host reaches the timer before it reads: what has arrived is read first.
        setTimeout(() => setImmediate(() => this.#destroyStreams()), remainingOutputMs);
        resolve();
      });
    });
    this.ended = new Promise((resolve) => void child.once("close", () => resolve()));
    // Errors of the streams are handled by the channel; the end of the process is handled above.
    for (const part of [child, child.stdin, child.stdout, child.stderr]) part.on("error", () => {});
  }

  /**
   * Starts a server.
   *
   * @throws ConnectionClosedError when it cannot be started.
   */
  static async start(server: McpStdioServer): Promise<ServerProcess> {
    const { name, command, args = [], env: configured, cwd } = server;
    const env = serverEnvironment(configured);
    const options = { cwd, env, detached: ownGroup, windowsHide: true };
    try {
      if (ownGroup) await findProgram(command, cwd, env["PATH"]);
      const watched = watchdog.start(command, args);
      if (watched === undefined) {
        const child = spawn(command, args, { ...options, stdio: "pipe" });
        const started = new ServerProcess(name, child);
        await once(child, "spawn");
        return started;
      }
      const child = spawn(watched.command, watched.args, {
        ...options,
        stdio: ["pipe", "pipe", "pipe", watched.channel],
      }) as ChildProcessWithoutNullStreams;
      const started = new ServerProcess(name, child);
      watchdog.started(child.pid);
      if (child.pid === undefined) await once(child, "spawn");
      return started;
    } catch (error) {
      throw new ConnectionClosedError((error as Error).message, "", error);
    }
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get stdin(): Writable {
    return this.#child.stdin;
  }

  get stdout(): Readable {
    return this.#child.stdout;
  }

  /** End of its standard error. */
  get output(): string {
    return this.#tail.text;
  }

  /** How it ended; `undefined`: it has not, or was asked to end. */
  get exitReason(): string | undefined {
    return this.#fate;
  }

  /**
   * Ends it and the processes of its group, by force if it does not exit by itself. Idempotent; never rejects.
   *
   * @param withinMs Milliseconds that it gets, and again after SIGTERM.
   */
  end(withinMs: number = exitGraceMs): Promise<void> {
    return (this.#ending ??= this.#end(withinMs));
  }

  async #end(withinMs: number): Promise<void> {
    const detached = this.#hasExited ? [] : detachedProcesses(this.pid);
    // If it no longer reads, it is exiting already.
    this.#wasAskedToEnd = this.#child.stdin.writable;
    this.#child.stdin.end();
    if (!(await this.#exitsWithin(withinMs))) {
      this.#signal("SIGTERM");
      if (!(await this.#exitsWithin(withinMs))) {
        this.#signal("SIGKILL");
        await this.#exitsWithin(lastMs);
      }
    }
    // After its exit, its last output is read first.
    if (!this.#hasExited) this.#destroyStreams();
    await this.#report(detached);
  }

  async #exitsWithin(withinMs: number): Promise<boolean> {
    if (this.#hasExited) return true;
    const timeout = new AbortController();
    const { signal } = timeout;
    const expired = pause(withinMs, undefined, { signal }).catch(() => {});
    await Promise.race([this.#exited, expired]);
    timeout.abort();
    return this.#hasExited;
  }

  async #report(detached: readonly StartedProcess[]): Promise<void> {
    if (!detached.some(isAlive)) return;
    // Many of them exit when they notice that the server has ended.
    await pause(lastMs);
    const left = detached.filter(isAlive);
    if (left.length === 0) return;
    const names = left.map(({ pid, name }) => `${name} (${pid})`).join(", ");
    process.emitWarning(`The MCP server ${this.#name} has left processes behind: ${names}.`, {
      code: "TOOLWEAVE_DETACHED",
    });
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      if (ownGroup) process.kill(-this.pid, signal);
      else this.#child.kill(signal);
    } catch {
      // The group is empty.
    }
  }

  #destroyStreams(): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
  }
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null
    ? `the server exited with the code ${code}`
    : `the server was terminated by ${signal}`;
}

/** Variables with which programs reach other machines through the proxy and with the certificates of the host. */
const network = [
  "ALL_PROXY",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "NODE_USE_ENV_PROXY",
  "NODE_USE_SYSTEM_CA",
  "NO_PROXY",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
];

/** Variables of the host that programs need to run and that are not secret. */
const inherited =
  process.platform === "win32"
    ? [
        "APPDATA",
        "COMSPEC",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "NUMBER_OF_PROCESSORS",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "USERNAME",
        "USERPROFILE",
        "WINDIR",
      ]
    : ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

/** The configuration of npm, with which `npx` finds a company's registry; not its credentials. */
const npmSetting = /^npm_config_(?!.*(?:auth|token|passw|otp$|(?:^|_)key$))(?!key$)/i;

/** Returns the environment of a server: a few variables of the host, and those of its options. */
function serverEnvironment(
  configured: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const environment: Record<string, string> = {};
  // On Windows the names are the same in any case.
  const shared = [...inherited, ...network, ...network.map((name) => name.toLowerCase())];
  const npm = Object.keys(process.env).filter((name) => npmSetting.test(name));
  for (const name of [...shared, ...npm]) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return { ...environment, ...configured };
}

/**
 * Checks that a program exists before the shell starts it, whose error message would be another one.
 *
 * @param path Search path of programs: `PATH`.
 * @throws Error with the code `ENOENT` or `EACCES`.
 */
async function findProgram(
  command: string,
  cwd: string | undefined,
  path: string | undefined,
): Promise<void> {
  const folder = cwd ?? process.cwd();
  if (cwd !== undefined && !(await isFolder(cwd)))
    throw notFoundError(`there is no such folder: ${cwd}`);
  // Without a path, the platform uses its own.
  if (!command.includes("/") && path === undefined) return;
  const candidates = command.includes("/")
    ? [resolve(folder, command)]
    : (path ?? "").split(delimiter).map((place) => resolve(folder, place, command));
  let refusal = notFoundError(`there is no such program: ${command}`);
  for (const candidate of candidates) {
    const found = await checkProgram(candidate);
    if (found === "program") return;
    if (found === "no program") {
      refusal = Object.assign(new Error(`${candidate} is not executable`), { code: "EACCES" });
    }
  }
  throw refusal;
}

async function checkProgram(file: string): Promise<"program" | "no program" | undefined> {
  try {
    if (!(await stat(file)).isFile()) return undefined;
  } catch {
    return undefined;
  }
  return access(file, constants.X_OK).then(
    () => "program" as const,
    () => "no program" as const,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function notFoundError(message: string): Error {
  return Object.assign(new Error(message), { code: "ENOENT" });
}
