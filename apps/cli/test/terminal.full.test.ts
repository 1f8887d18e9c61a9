import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createFolder, greeter } from "./support/tool-module.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const hasScript = spawnSync("script", ["--version"]).status === 0;

/** Runs a command in a real terminal, made by script(1). */
function inTerminal(args: readonly string[], env: Readonly<Record<string, string>>): string {
  const words = [process.execPath, "--conditions=@toolweave/source", main, ...args];
  const line = words.map((word) => `'${word}'`).join(" ");
  const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env;
  const { stdout } = spawnSync("script", ["-qec", `stty cols 70 rows 3; ${line}`, "/dev/null"], {
    encoding: "utf8",
    input: "",
    env: { ...inherited, TERM: "xterm", ...env },
  });
  return stdout;
}

test.skipIf(!hasScript)(
  "in a real terminal a long list has colours and goes through the pager",
  () => {
    const path = join(createFolder({ "tools.mjs": greeter("Hello") }), "tools.mjs");
    const displayed = inTerminal(["inspect", path], { PAGER: "tr a-z A-Z" });
    expect(displayed).toContain("\u001b[1MGREET");
    expect(inTerminal(["inspect", path, "--no-pager", "--no-color"], {})).toContain(
      "greet  function  read-only",
    );
  },
);
