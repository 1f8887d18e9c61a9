import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCommand, type CommandResult } from "../lib/run-command.ts";

/** One command of a rehearsal. */
export interface Row {
  readonly place: string;
  readonly command: string;
  /** The exit code. */
  readonly code: number;
  readonly seconds: number;
}

/** Options of a `Consumer`. */
export interface ConsumerOptions {
  readonly temp: string;
  /** The address of the registry, with a slash at the end. */
  readonly registry: string;
  /** Added to the environment of every command. */
  readonly env: Readonly<Record<string, string>>;
}

/** A user of the packages: runs commands with its own home, configuration and caches, and records them. */
export class Consumer {
  readonly rows: Row[] = [];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the Node.js that runs this script. */
  readonly binFolder: string = dirname(process.execPath);
  readonly #temp: string;

  constructor({ temp, registry, env }: ConsumerOptions) {
    this.#temp = temp;
    const home = join(temp, "home");
    mkdirSync(home);
    const settings = [
      `registry=${registry}`,
      // The registry accepts every token, but npm publishes only with one.
      `${registry.replace(/^https?:/, "")}:_authToken=rehearsal`,
      "fund=false",
      "audit=false",
      "update-notifier=false",
    ];
    writeFileSync(join(home, ".npmrc"), `${settings.join("\n")}\n`);
    // What npm or pnpm gave to this script is not for the commands that it runs.
    const inherited = Object.keys(process.env).filter((name) =>
      /^(?:npm_|pnpm_|xdg_|yarn_|CI$)/i.test(name),
    );
    this.env = {
      ...Object.fromEntries(inherited.map((name) => [name, undefined])),
      HOME: home,
      npm_config_userconfig: join(home, ".npmrc"),
      npm_config_globalconfig: join(home, "global-npmrc"),
      npm_config_cache: join(temp, "npm-cache"),
      YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, ""),
      YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
      YARN_ENABLE_TELEMETRY: "0",
      // Yarn 4 does not install versions that are younger than a day or more.
      YARN_NPM_MINIMAL_AGE_GATE: "0",
      NODE_COMPILE_CACHE: join(temp, "compile-cache"),
      ...env,
    };
  }

  /** Creates an empty folder. */
  folder(): string {
    return mkdtempSync(join(this.#temp, "consumer-"));
  }

  /** Runs a command line as a reader does, in a shell, and records and prints it. */
  async run(place: string, command: string, cwd: string): Promise<CommandResult> {
    const start = performance.now();
    const result = await runCommand("sh", ["-c", command], {
      cwd,
      env: this.env,
      binFolder: this.binFolder,
      timeoutMs: 600_000,
    });
    this.record(place, command, result.code, start);
    if (result.code !== 0) process.stdout.write(`${result.output.trim().slice(-3000)}\n`);
    return result;
  }

  /** Records and prints a command that began at `start`, a time of `performance.now()`. */
  record(place: string, command: string, code: number, start: number): void {
    const seconds = (performance.now() - start) / 1000;
    this.rows.push({ place, command, code, seconds });
    const columns = [`exit ${code}`, `${seconds.toFixed(1)} s`.padStart(8), place, command];
    process.stdout.write(`${columns.join("  ")}\n`);
  }
}
