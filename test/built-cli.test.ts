import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundlePackage } from "../scripts/lib/bundle-package.ts";

const cli = resolve(import.meta.dirname, "../apps/cli");
let temp: string;

// Beside a manifest and the dependencies, as an installed package; the other packages are their sources.
beforeAll(async () => {
  temp = mkdtempSync(join(tmpdir(), "toolweave-built-"));
  const installed = join(temp, "package");
  mkdirSync(join(temp, "empty"));
  mkdirSync(installed);
  cpSync(join(cli, "package.json"), join(installed, "package.json"));
  symlinkSync(join(cli, "node_modules"), join(installed, "node_modules"), "junction");
  await bundlePackage(cli, join(installed, "dist"));
});
afterAll(() => rmSync(temp, { recursive: true, force: true }));

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runBuilt(argv: readonly string[]): Result {
  const main = join(temp, "package/dist/main.js");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@toolweave/source", main, ...argv],
    {
      cwd: join(temp, "empty"),
      encoding: "utf8",
      env: {
        ...process.env,
        TOOLWEAVE_STORE: join(temp, "store", "approvals.json"),
        XDG_CONFIG_HOME: join(temp, "config"),
        NO_COLOR: "1",
      },
    },
  );
  return { code: status, stdout, stderr };
}

test("every command of the built CLI has a help", () => {
  const help = runBuilt(["--help"]);
  expect(help).toMatchObject({ code: 0, stderr: "" });
  const list = /\nCommands:\n([^]*?)\n\n/.exec(help.stdout)?.[1] ?? "";
  const commands = [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name = ""]) => name);
  expect(commands).toEqual(expect.arrayContaining(["doctor", "init", "inspect", "serve"]));
  for (const command of commands.filter((name) => name !== "help")) {
    expect({ command, ...runBuilt([command, "--help"]) }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Usage: toolweave ${command}`) as string,
      stderr: "",
    });
  }
});

// Each loads its implementation, which shares modules with the entry.
test.each<[argv: readonly string[], code: number, output: RegExp]>([
  [["doctor"], 0, /ok {4}Node\.js: v\d[^]*toolweave\.json does not exist[^]* 0 failed/],
  [["inspect"], 2, /There is no toolweave\.json in this folder/],
  [["lock"], 2, /There is no toolweave\.json in this folder/],
  [["types"], 2, /There is no toolweave\.json in this folder/],
  [["search", "pets"], 2, /There is no toolweave\.json in this folder/],
  [["call", "greet"], 2, /There is no toolweave\.json in this folder/],
  [["serve"], 2, /There is no toolweave\.json in this folder/],
  [["policy", "explain", "greet"], 2, /There is no toolweave\.json in this folder/],
  [["login", "server"], 2, /There is no toolweave\.json in this folder/],
  [["trust"], 2, /toolweave\.json/],
  [["install", "cursor"], 2, /toolweave\.json/],
  [["import", "missing.json"], 2, /missing\.json/],
  [["add", "missing.yaml"], 2, /There is no file/],
  [["init"], 2, /Nothing was written/],
  [["approvals", "list"], 0, /0 pending/],
  [["conform", "missing.ts"], 2, /missing\.ts/],
  [["completion", "bash"], 0, /toolweave/],
])("the built CLI runs %j to its end", (argv, code, output) => {
  const result = runBuilt(argv);
  expect([result.code, result.stdout + result.stderr]).toEqual([
    code,
    expect.stringMatching(output),
  ]);
  expect(result.stderr).not.toContain("Warning");
});
