import { spawn, spawnSync } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Interface } from "node:readline";

/** The effects of a program in starlark-go. */
export interface OracleResult {
  readonly output: string;
  readonly error: string;
  readonly trace: string;
}

/** The path of Debian's starlark-go as a program, built here; `undefined` if this machine has no Go or no starlark-go. */
export function buildOracle(): string | undefined {
  const program = join(mkdtempSync(join(tmpdir(), "starlark-oracle-")), "oracle");
  const source = join(import.meta.dirname, "../oracle/main.go");
  const built = spawnSync("go", ["build", "-o", program, source], {
    env: {
      ...process.env,
      GO111MODULE: "off",
      GOPATH: "/usr/share/gocode",
      GOCACHE: join(tmpdir(), "starlark-go-cache"),
    },
  });
  return built.status === 0 ? program : undefined;
}

/** Runs programs in starlark-go, one after the other. A program that ends the process has no result. */
export class Oracle {
  readonly #program: string;
  #process: ChildProcessWithoutNullStreams | undefined;
  #lines: Interface | undefined;
  #waiting: ((result: OracleResult | undefined) => void) | undefined;

  constructor(program: string) {
    this.#program = program;
  }

  run(
    source: string,
    options: Readonly<Record<string, boolean>> = {},
  ): Promise<OracleResult | undefined> {
    const child = this.#start();
    return new Promise((resolve) => {
      this.#waiting = resolve;
      child.stdin.write(`${JSON.stringify({ source, options })}\n`);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#process?.kill("SIGKILL");
  }

  #start(): ChildProcessWithoutNullStreams {
    if (this.#process !== undefined) return this.#process;
    const child = spawn(this.#program, [], { stdio: "pipe" });
    this.#process = child;
    child.stderr.resume();
    child.stdin.on("error", () => undefined);
    this.#lines = createInterface({ input: child.stdout });
    this.#lines.on("line", (line) => this.#settle(JSON.parse(line) as OracleResult));
    child.on("exit", () => {
      if (this.#process === child) this.#process = undefined;
      this.#settle(undefined);
    });
    return child;
  }

  #settle(result: OracleResult | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(result);
  }
}
