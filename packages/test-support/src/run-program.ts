import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { compileCache } from "./index.ts";

/** How a program has ended. */
export interface ProgramEnd {
  /** 13: the process has ended although an `await` at the top level was pending. */
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs a module in a process of its own, until it ends by itself.
 *
 * @param module its text; or its URL, if it starts threads, which cannot have a parent without a file.
 * @param cwd the folder from which the imports of a text are resolved: `import.meta.dirname`.
 */
export async function runProgram(module: string | URL, cwd: string): Promise<ProgramEnd> {
  const program =
    typeof module === "string" ? ["--input-type=module", "-e", module] : [fileURLToPath(module)];
  const args = ["--conditions=@toolweave/source", "--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...args, ...program], {
    cwd,
    env: { PATH: process.env["PATH"], ...compileCache },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [[code], output, errors] = await Promise.all([
    once(child, "close") as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, output, errors };
}
