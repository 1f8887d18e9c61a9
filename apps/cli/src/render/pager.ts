import { spawn } from "node:child_process";
import { once } from "node:events";
import { splitCommand } from "../input/split-command.ts";
import type { CliIo } from "../process/cli-io.ts";
import type { Output } from "../process/output.ts";

/**
 * Writes a long list: on a terminal that it does not fit, through `$PAGER` or `less`. No shell is started.
 *
 * @param enabled false: `--no-pager`.
 * @throws UsageError if `PAGER` is no command line.
 */
export async function writeList(
  lines: readonly string[],
  enabled: boolean,
  io: CliIo,
  output: Output,
): Promise<void> {
  const { rows } = io.stdout;
  // 0: a terminal that does not know its size.
  const isLong = rows !== undefined && rows > 0 && lines.length >= rows;
  const command = enabled && output.isTerminal && isLong ? pagerCommand(io.env) : undefined;
  if (command !== undefined && (await page(`${lines.join("\n")}\n`, command, io.env))) return;
  // Line by line: the reader may close a pipe.
  for (const line of lines) await output.write(`${line}\n`);
}

function pagerCommand(env: CliIo["env"]): readonly [string, ...string[]] | undefined {
  const { PAGER: pager = "less" } = env;
  return pager.trim() === "" || pager.trim() === "cat" ? undefined : splitCommand(pager, "PAGER");
}

/** False: the pager cannot be started. */
async function page(
  text: string,
  [command, ...args]: readonly [string, ...string[]],
  env: CliIo["env"],
): Promise<boolean> {
  // It ends by itself if the text fits, keeps colours, and leaves the text on the screen.
  const child = spawn(command, args, {
    stdio: ["pipe", "inherit", "inherit"],
    env: { LESS: "FRX", ...env },
  });
  // A person may leave it before it has read everything.
  child.stdin.on("error", () => {});
  try {
    await once(child, "spawn");
  } catch {
    return false;
  }
  child.stdin.end(text);
  await once(child, "close");
  return true;
}
