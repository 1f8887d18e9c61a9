import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import type { Command } from "commander";
import { expect, test } from "vitest";
import type { CliIo } from "../src/process/cli-io.ts";
import { exitCodeHelp } from "../src/process/exit-code.ts";
import { Output } from "../src/process/output.ts";
import { createProgram, runCli } from "../src/program.ts";
import { nodeProblem } from "../src/process/node-version.ts";
import { captureIo } from "./support/captured-io.ts";
import { openPetShop } from "./support/pet-shop.ts";

async function run(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { io, stdout, stderr } = captureIo();
  const code = await runCli(argv, io);
  return { code, stdout: stdout(), stderr: stderr() };
}

test("--version prints the package's version", async () => {
  const path = new URL("../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(path, "utf8")) as { version: string };
  expect(await run("--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

/** The path of the program and of each command, as a user types it. */
function commandPaths(command: Command, path: readonly string[] = []): string[][] {
  return [
    [...path],
    ...command.commands.flatMap((each) => commandPaths(each, [...path, each.name()])),
  ];
}

const stream = new PassThrough();
const { signal } = new AbortController();
const io: CliIo = { stdin: stream, stdout: stream, stderr: stream, env: {}, signal };
const paths = commandPaths(createProgram({ io, output: new Output(io), end: () => {} }));

test("the list of commands is complete", () => {
  expect(paths).toEqual(
    expect.arrayContaining([[], ["trust"], ["policy", "explain"], ["approvals", "revoke"]]),
  );
  expect(paths.length).toBeGreaterThanOrEqual(19);
});

test.each(paths.map((path) => [path]))(
  "the help of %j has examples and exit codes",
  async (command) => {
    const { code, stdout, stderr } = await run(...command, "--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Examples:\n  $ toolweave ");
    for (const exit of [0, 2, 130]) expect(stdout).toMatch(new RegExp(`^  ${exit} +\\w`, "m"));
    expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
  },
);

test("the help of a command has only the exit codes that apply to it", async () => {
  const codes = async (...command: string[]): Promise<string[]> => {
    const [, list = ""] = (await run(...command, "--help")).stdout.split("Exit codes:\n");
    return list.match(/^ {2}\d+/gm)?.map((code) => code.trim()) ?? [];
  };
  expect(await codes()).toEqual(["0", "1", "2", "3", "4", "10", "20", "130"]);
  expect(await codes("trust")).toEqual(["0", "2", "3", "130"]);
  expect(await codes("search")).toEqual(["0", "2", "3", "4", "130"]);
  expect(await codes("approvals", "list")).toEqual(["0", "1", "2", "3", "130"]);
  expect((await run("serve", "--help")).stdout).toContain("4    no source could be loaded\n");
});

test.each(
  paths
    .filter(
      (path) =>
        !["", "policy", "approvals", "db", "schedule", "starlark", "token"].includes(
          path.join(" "),
        ),
    )
    .map((path) => [path]),
)("%j has -v, --verbose", async (command) => {
  expect((await run(...command, "--help")).stdout).toMatch(/^ {2}-v, --verbose/m);
});

test("the README has the exit codes of the help", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, section = ""] = readme.split("\n## Exit codes\n");
  const rows = [...section.matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)].map(([, code, text = ""]) => [
    code,
    text.replaceAll("`", "").replace(/\[(\w+)\]\(#[\w-]+\)/g, "$1"),
  ]);
  const help = [...exitCodeHelp.matchAll(/^ {2}(\d+) +(.+(?:\n {7}.+)*)/gm)].map(
    ([, code, text = ""]) => [code, text.replace(/\n +/g, " ")],
  );
  expect(help).toHaveLength(8);
  expect(rows).toEqual(help);
});

test("without a command the help is on stderr and it is a usage error", async () => {
  const { code, stdout, stderr } = await run();
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("Usage: toolweave");
});

test.each([
  [
    ["cal", "x"],
    "toolweave: Unknown command 'cal'.\n  (Did you mean call?)\nSee `toolweave --help`.\n",
  ],
  [
    ["inspect", "--openapi", "x", "--jsno"],
    "toolweave: Unknown option '--jsno'.\n  (Did you mean --json?)\nSee `toolweave inspect --help`.\n",
  ],
  [
    ["inspect"],
    "toolweave: No tools: name a URL or a file, or use --openapi, --mcp, --tools, --workspace or --config. There is no toolweave.json in this folder.\nSee `toolweave inspect --help`.\n",
  ],
  [
    ["login", "museum"],
    "toolweave: No tools: use --mcp or --config. There is no toolweave.json in this folder.\nSee `toolweave login --help`.\n",
  ],
  [
    ["call", "x", "--openapi", "x", "--timeout", "1s"],
    "toolweave: --timeout must be a number of milliseconds, such as 5000.\nSee `toolweave call --help`.\n",
  ],
  [
    ["call", "--openapi", "x"],
    "toolweave: Missing required argument 'tool'.\nSee `toolweave call --help`.\n",
  ],
])("%j is a usage error", async (argv, stderr) => {
  expect(await run(...argv)).toEqual({ code: 2, stdout: "", stderr });
});

test("a mistyped option does not repeat the secret after it", async () => {
  const { code, stderr } = await run("call", "x", "--openapi", "x", "--atuh=bearer:SECRET");
  expect(code).toBe(2);
  expect(stderr).toContain("Unknown option '--atuh'");
  expect(stderr).not.toContain("SECRET");
});

test("arguments written as options have an error with the right notation", async () => {
  const { code, stderr } = await run("call", "x", "--openapi", "x", "--id", "7");
  expect(code).toBe(2);
  expect(stderr).toContain("without dashes: id=7");
});

test("an older Node.js version has an error with the required one", () => {
  expect(nodeProblem("v20.20.2")).toBe(
    "toolweave needs Node.js 22.19 or newer, but this is v20.20.2: install a newer version.",
  );
  expect(nodeProblem("v22.18.0")).toContain("22.19");
  expect(["v22.19.0", "v23.0.0", "v24.21.0"].map(nodeProblem)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([
  ["an unknown option", ["call", "get_pet", "--jsno", "--json"], 2, "--jsno"],
  ["an unknown tool", ["call", "no_pet", "--json", "--openapi", "DOCUMENT"], 2, "no_pet"],
  ["a missing document", ["call", "get_pet", "--json", "--openapi", "no/such"], 4, "no/such"],
  ["a missing lock", ["inspect", "--check", "--json", "--openapi", "DOCUMENT"], 2, "lock"],
  ["nothing to compare", ["lock", "--json", "--openapi", "no/such"], 4, "no/such"],
])("with --json %s is JSON on stdout, too", async (_name, words, code, about) => {
  const shop = await openPetShop();
  const argv = words.map((word) => (word === "DOCUMENT" ? shop.documentUrl : word));
  const ended = await run(...argv);
  expect(ended.code).toBe(code);
  const { error } = JSON.parse(ended.stdout) as {
    error: { exitCode: number; message: string };
  };
  expect(error).toEqual({ exitCode: code, message: expect.stringContaining(about) });
  expect(`toolweave: ${error.message}\n`).toBe(ended.stderr);
});

test("the help of a command that does not exist names near ones", async () => {
  const { code, stdout, stderr } = await run("help", "insepct");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("Unknown command 'insepct'.\n  (Did you mean inspect?)");
  expect((await run("help", "inspect")).stdout).toContain("Usage: toolweave inspect");
});

test("a value of an option that takes none is an error that says so, without the value", async () => {
  const { code, stderr } = await run("call", "add", "--json=s3cret");
  expect(code).toBe(2);
  expect(stderr).toContain("toolweave: --json takes no value: write --json alone.\n");
  expect(stderr).not.toContain("s3cret");
});
