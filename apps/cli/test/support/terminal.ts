import { spawn, spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { tempFolder } from "./temp-file.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** A shell in a real terminal. */
export interface Terminal {
  /** Types characters. */
  type(text: string): void;
  /** Resolves with the output since the last call when `text` appears in it. */
  until(text: string): Promise<string>;
}

/** True if a program is installed. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** A `PATH` on which `toolweave` is the command of this checkout. */
export function pathWithToolweave(): string {
  const folder = tempFolder();
  const command = join(folder, "toolweave");
  writeFileSync(
    command,
    `#!/bin/sh\nexec '${process.execPath}' --conditions=@toolweave/source '${main}' "$@"\n`,
  );
  chmodSync(command, 0o755);
  return `${folder}${delimiter}${process.env["PATH"] ?? ""}`;
}

/** Opens a shell in a pseudo-terminal of `script`(1), until the test ends. */
export function openTerminal(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Terminal {
  const child = spawn("script", ["-qfec", command, "/dev/null"], {
    cwd,
    env: { TERM: "dumb", PATH: process.env["PATH"], NO_COLOR: "1", ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  let onOutput = (): void => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    onOutput();
  });
  return {
    type: (text) => void child.stdin.write(text),
    until: (text) =>
      new Promise((resolve) => {
        onOutput = () => {
          const end = output.indexOf(text);
          if (end === -1) return;
          const before = output.slice(0, end + text.length);
          output = output.slice(end + text.length);
          onOutput = () => {};
          resolve(before);
        };
        onOutput();
      }),
  };
}
