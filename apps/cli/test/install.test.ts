import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { hostFiles, hostNames, userFile } from "../src/commands/hosts/host-files.ts";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { project, type Project } from "./support/project.ts";

/** A project with a trusted configuration. */
async function served(): Promise<Project & { readonly place: Parameters<typeof userFile>[1] }> {
  const made = project();
  await made.run(["init", "--yes"]);
  return { ...made, place: { env: made.env, platform: process.platform, folder: made.folder } };
}

function writeHostFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
}

test("hosts have their files where they document them", () => {
  const posix = { env: { HOME: "/home/ada" }, folder: "/work" };
  const paths = (platform: NodeJS.Platform): readonly string[] =>
    hostNames.flatMap((host) => hostFiles(host, { ...posix, platform }).map(({ path }) => path));
  expect(paths("linux")).toEqual([
    "/home/ada/.config/Claude/claude_desktop_config.json",
    "/home/ada/.claude.json",
    "/work/.mcp.json",
    "/home/ada/.cursor/mcp.json",
    "/work/.cursor/mcp.json",
    "/home/ada/.config/Code/User/mcp.json",
    "/work/.vscode/mcp.json",
    "/home/ada/.codex/config.toml",
    "/work/.codex/config.toml",
    "/home/ada/.codeium/windsurf/mcp_config.json",
  ]);
  expect(paths("darwin")).toEqual(
    expect.arrayContaining([
      "/home/ada/Library/Application Support/Claude/claude_desktop_config.json",
      "/home/ada/Library/Application Support/Code/User/mcp.json",
    ]),
  );
  const windows = { env: { APPDATA: "/appdata", USERPROFILE: "/ada" }, folder: "/work" };
  expect(userFile("claude-desktop", { ...windows, platform: "win32" }).path).toMatch(
    /appdata.Claude.claude_desktop_config\.json$/,
  );
  expect(userFile("cursor", { ...windows, platform: "win32" }).path).toMatch(
    /ada.\.cursor.mcp\.json$/,
  );
});

test.each(hostNames)(
  "install and --remove leave the rest of the file of %s as it was",
  async (host) => {
    const { run, folder, place } = await served();
    const { path, format, block } = userFile(host, place);
    const before =
      format === "toml"
        ? '# mine\nmodel = "m" # best\n\n[mcp_servers.docs] # one\ncommand = "docs"\nenv = { KEY = "s3cret" }\n'
        : `{\n  // mine\n  "${block}": {\n    "docs": { "command": "docs", "env": { "KEY": "s3cret" } } // one\n  },\n  "other": true\n}\n`;
    writeHostFile(path, before);
    const installed = await run(["install", host, "--yes"]);
    expect(installed.code).toBe(0);
    expect(installed.stderr).toContain(join(folder, "toolweave.json"));
    expect(installed.stderr + installed.stdout).not.toContain("s3cret");
    const text = readFileSync(path, "utf8");
    for (const line of before.split("\n").filter((line) => /mine|best|one/.test(line))) {
      expect(text).toContain(line.replace(" // one", ""));
    }
    expect(text).toContain("one");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const copies = (): string[] =>
      readdirSync(dirname(path)).filter((name) => name.endsWith(".bak"));
    expect(copies()).toHaveLength(1);
    expect(readFileSync(join(dirname(path), copies()[0] ?? ""), "utf8")).toBe(before);
    // A second time there is nothing to do.
    expect((await run(["install", host, "--yes"])).stdout).toContain("already");
    expect(copies()).toHaveLength(1);
    const removed = await run(["install", host, "--remove", "--yes", "--json"]);
    expect(JSON.parse(removed.stdout)).toMatchObject({ host, file: path, change: "removed" });
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(copies()).toHaveLength(2);
  },
);

test("install makes the file of a host that has none", async () => {
  const { run, place, folder } = await served();
  for (const host of hostNames) {
    const { path, block, format } = userFile(host, place);
    expect((await run(["install", host, "--yes", "--name", "shop"])).code).toBe(0);
    const text = readFileSync(path, "utf8");
    const config = join(folder, "toolweave.json");
    const args = ["-y", "toolweave", "serve", "--config", config];
    const typed = ["vscode", "claude-code"].includes(host) ? { type: "stdio" } : {};
    const server = { ...typed, command: "npx", args };
    const written = {
      json: JSON.stringify({ [block]: { shop: server } }, null, 2),
      toml: `[mcp_servers.shop]\ncommand = "npx"\nargs = [${args.map((arg) => JSON.stringify(arg)).join(", ")}]`,
    };
    expect(text).toBe(`${written[format]}\n`);
  }
});

test("install displays the change and asks, and a no changes nothing", async () => {
  const { env, place } = await served();
  const { path } = userFile("cursor", place);
  const { io, stdin, said, stderr } = captureIo({ terminal: true, env });
  const ended = runCli(["install", "cursor"], io);
  await said("Write this change? [y/N]");
  expect(stderr()).toContain('+     "toolweave": {');
  stdin.write("n\n");
  expect([await ended, existsSync(path)]).toEqual([3, false]);
});

test("install writes nothing with --dry-run, without agreement, and for a file that is not trusted", async () => {
  const { run, place, write } = await served();
  const { path } = userFile("cursor", place);
  const dry = await run(["install", "cursor", "--dry-run"]);
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('+     "toolweave": {')]);
  expect((await run(["install", "cursor"])).code).toBe(2);
  write("toolweave.json", JSON.stringify({ mcpServers: { other: { command: "x" } } }));
  expect((await run(["install", "cursor", "--yes"])).code).toBe(3);
  expect(existsSync(path)).toBe(false);
});

test("a file of a host that is not valid is not changed", async () => {
  const { run, place } = await served();
  for (const [host, text] of [
    ["cursor", '{ "mcpServers": '],
    ["codex", "mcp_servers = \n"],
    ["vscode", '{ "servers": [] }'],
  ] as const) {
    const { path } = userFile(host, place);
    writeHostFile(path, text);
    const { code, stderr } = await run(["install", host, "--yes"]);
    expect([code, readFileSync(path, "utf8")]).toEqual([2, text]);
    expect(stderr).toContain(path);
  }
});

test("the file that a link leads to is changed, and the link remains", async () => {
  const { run, place, home } = await served();
  const { path } = userFile("cursor", place);
  const target = join(home, "dotfiles.json");
  writeFileSync(target, "{}\n");
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  expect((await run(["install", "cursor", "--yes"])).code).toBe(0);
  expect(readFileSync(target, "utf8")).toContain("toolweave");
});

test("a table in braces of Codex gets the server, too", async () => {
  const { run, place } = await served();
  const { path } = userFile("codex", place);
  writeHostFile(path, 'mcp_servers = { docs = { command = "docs" } } # one\n');
  expect((await run(["install", "codex", "--yes"])).code).toBe(0);
  expect(readFileSync(path, "utf8")).toMatch(/^mcp_servers = \{.*docs.*toolweave.*\}.*# one\n$/);
});

test("install names the variables that the host needs, and the servers that it starts beside toolweave", async () => {
  const { run, write, place } = await served();
  const memory = { command: "memory", env: { KEY: "${SHOP_KEY}" } };
  write("toolweave.json", JSON.stringify({ mcpServers: { memory } }));
  await run(["trust", "--yes"]);
  const { path } = userFile("cursor", place);
  writeHostFile(path, JSON.stringify({ mcpServers: { memory: { command: "memory" } } }));
  const { code, stderr } = await run(["install", "cursor", "--yes"]);
  expect(code).toBe(0);
  expect(stderr).toContain(
    "Cursor must have SHOP_KEY in its environment: start it from a shell that has it.\n",
  );
  expect(stderr).toContain("memory is still configured in Cursor itself, where no policy applies.");
});
