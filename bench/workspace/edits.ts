import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Config, EditTool } from "@google/gemini-cli-core";
import { createEditTool } from "@mariozechner/pi-coding-agent";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { mcpSource } from "@toolweave/mcp";
import { workspaceTools } from "@toolweave/workspace";
import { installedVersion, printTable } from "../lib/table.ts";

// The same edit in files of all formats, by the edit tools of others (README.md):
//
// node bench/workspace/edits.ts [--save]
const root = mkdtempSync(join(tmpdir(), "bench-edits-"));

/** Files with a line `edit me`, each in another format. */
const files: Readonly<Record<string, Buffer>> = {
  lf: Buffer.from("one\nedit me\nthree\n"),
  crlf: Buffer.from("one\r\nedit me\r\nthree\r\n"),
  "mixed line ends": Buffer.from("one\r\nedit me\nthree\r\nfour\n"),
  cr: Buffer.from("one\redit me\rthree\r"),
  "no end of line": Buffer.from("one\nedit me\nthree"),
  "utf-8 with mark": Buffer.from("\ufeffone\nedit me\nthree\n"),
  "latin-1": Buffer.from("caf\xe9\nedit me\nna\xefve\n", "latin1"),
  "utf-16": Buffer.concat([
    Buffer.from([0xff, 0xfe]),
    Buffer.from("one\nedit me\nthree\n", "utf16le"),
  ]),
  "invalid bytes": Buffer.from([0x6f, 0x0a, 0x80, 0xfe, 0x0a, ...Buffer.from("edit me\nthree\n")]),
  "trailing spaces": Buffer.from("one  \nedit me\nthree\t\n"),
  nul: Buffer.from("one\0\nedit me\nthree\n"),
  "typographic quotes": Buffer.from("“one”\nedit me\n‘three’ – four\n"),
};

type Edit = (path: string) => Promise<unknown>;

async function toolweave(): Promise<Edit> {
  const registry = new ToolRegistry([workspaceTools({ root, bash: false })]);
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  let calls = 0;
  return async (path) => {
    const edits = [{ old: "edit me", new: "edited" }];
    const id = `${(calls += 1)}`;
    const outcome = await executor.execute({ id, name: "edit_file", arguments: { path, edits } });
    if (!outcome.ok) throw new Error(outcome.error?.message);
  };
}

async function mcpServer(): Promise<Edit> {
  const server = join(
    import.meta.dirname,
    "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
  );
  const source = mcpSource({ name: "fs", command: process.execPath, args: [server, root] });
  await source.ready;
  const registry = new ToolRegistry([source]);
  const executor = new ToolExecutor({
    registry,
    policy: "autonomous",
    onAsk: () => ({ approved: true }),
  });
  let calls = 0;
  return async (path) => {
    const edits = [{ oldText: "edit me", newText: "edited" }];
    const id = `${(calls += 1)}`;
    const args = { path: join(root, path), edits };
    const outcome = await executor.execute({ id, name: "fs__edit_file", arguments: args });
    if (!outcome.ok) throw new Error(outcome.error?.message);
  };
}

function pi(): Edit {
  const tool = createEditTool(root);
  return (path) => tool.execute("1", { path, edits: [{ oldText: "edit me", newText: "edited" }] });
}

function geminiCli(): Edit {
  const config = new Config({
    sessionId: "bench",
    targetDir: root,
    cwd: root,
    model: "none",
    debugMode: false,
  });
  config.validatePathAccess = () => null;
  const bus = { publish: () => {}, subscribe: () => {}, unsubscribe: () => {} };
  const tool = new EditTool(config, bus as never);
  return async (path) => {
    const params = {
      file_path: join(root, path),
      old_string: "edit me",
      new_string: "edited",
      instruction: "Edit.",
    };
    const { error } = await tool
      .build(params)
      .execute({ abortSignal: new AbortController().signal } as never);
    if (error !== undefined) throw new Error(error.message);
  };
}

/** The file after the edit, if nothing else changes. */
function expected(bytes: Buffer): Buffer {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  const encoding = isWide ? "utf16le" : "latin1";
  const [old, fresh] = [Buffer.from("edit me", encoding), Buffer.from("edited", encoding)];
  const at = bytes.indexOf(old);
  return Buffer.concat([bytes.subarray(0, at), fresh, bytes.subarray(at + old.length)]);
}

const contenders: Readonly<Record<string, Edit>> = {
  toolweave: await toolweave(),
  "mcp server": await mcpServer(),
  pi: pi(),
  "gemini cli": geminiCli(),
};

const counts = new Map(Object.keys(contenders).map((name) => [name, { changed: 0, refused: 0 }]));
const rows: string[][] = [];
for (const [format, bytes] of Object.entries(files)) {
  const row = [format];
  for (const [name, edit] of Object.entries(contenders)) {
    const path = `${format.replaceAll(" ", "-")}-${name.replaceAll(" ", "-")}.txt`;
    writeFileSync(join(root, path), bytes);
    const isRefused = await edit(path).then(
      () => false,
      () => true,
    );
    const after = readFileSync(join(root, path));
    const count = counts.get(name) as { changed: number; refused: number };
    if (isRefused && after.equals(bytes)) {
      count.refused += 1;
      row.push("refused");
    } else if (after.equals(expected(bytes))) row.push("right");
    else {
      count.changed += 1;
      row.push("other bytes changed");
    }
  }
  rows.push(row);
}
rows.push(["other bytes changed", ...[...counts.values()].map(({ changed }) => `${changed}`)]);
rows.push(["refused", ...[...counts.values()].map(({ refused }) => `${refused}`)]);
const version = (name: string): string => installedVersion("workspace", name);
printTable("workspace-edits", {
  title: "Edits of one line in files of all formats",
  page: "bench/workspace/README.md",
  meaning:
    "Whether anything but the edited text is another one afterwards, byte by byte, with each contender's own published tool.",
  versions: {
    "@modelcontextprotocol/server-filesystem": version("@modelcontextprotocol/server-filesystem"),
    "@mariozechner/pi-coding-agent": version("@mariozechner/pi-coding-agent"),
    "@google/gemini-cli-core": version("@google/gemini-cli-core"),
  },
  columns: ["file", ...Object.keys(contenders)],
  rows,
});
rmSync(root, { recursive: true });
process.exit(0);
