import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs every script of a file. Line feeds are recorded as another character, since the shell writes line by line, and the
 * commands of a pipeline write at the same time. No program can be found, so that bash calls the handler in place of each: it records the
 * arguments. Programs whose names begin with f fail. A loop whose condition always holds ends after a second of CPU time.
 */
const harness = `
PATH=/nonexistent
command_not_found_handle() {
  printf '%s\\0' "\${@//$'\\n'/$'\\003'}" $'\\001' >&9
  case $1 in f*) return 1;; esac
  return 0
}
exec 9>"$2" 8<"$1"
while IFS= read -r -d '' script <&8; do
  ( ulimit -t 1; exec 8<&-; eval "$script" ) </dev/null >/dev/null 2>&1
  printf '\\2\\0' >&9
done
`;

/** The arguments of all programs that bash runs for each script. */
export function runInBash(scripts: readonly string[]): readonly (readonly (readonly string[])[])[] {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-oracle-"));
  try {
    const input = join(folder, "input");
    const output = join(folder, "output");
    const workspace = mkdtempSync(join(folder, "ws-"));
    writeFileSync(input, scripts.map((script) => `${script}\0`).join(""));
    const { status, stderr } = spawnSync(
      "/bin/bash",
      ["--noprofile", "--norc", "-c", harness, "bash", input, output],
      {
        cwd: workspace,
        env: { HOME: "/home-of-user", LC_ALL: "C.UTF-8" },
        timeout: 600_000,
        maxBuffer: 1 << 20,
      },
    );
    if (status !== 0)
      throw new Error(`bash ended with ${status}: ${stderr.toString().slice(0, 500)}`);
    return parseRecords(readFileSync(output, "utf8"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function parseRecords(text: string): readonly (readonly (readonly string[])[])[] {
  const scripts: string[][][] = [];
  let commands: string[][] = [];
  let argv: string[] = [];
  for (const part of text.split("\0").slice(0, -1)) {
    if (part === "\u0001") {
      commands.push(argv);
      argv = [];
    } else if (part === "\u0002") {
      scripts.push(commands);
      commands = [];
    } else argv.push(part.replaceAll("\u0003", "\n"));
  }
  return scripts;
}
