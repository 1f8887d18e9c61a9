import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { SandboxManager } from "@anthropic-ai/sandbox-runtime";
import { ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { analyzeCommand, workspaceTools, type SandboxChoice } from "@toolweave/workspace";
import { rgPath } from "@vscode/ripgrep";
import { installedVersion, median, printTable } from "../lib/table.ts";

// The costs of a workspace's tools beside bare Node.js and others (README.md):
//
// node bench/workspace/costs.ts [--save]
const root = realpathSync(mkdtempSync(join(tmpdir(), "bench-workspace-")));

/** Calls the tools of a workspace. */
function caller(sandbox: SandboxChoice) {
  const registry = new ToolRegistry([workspaceTools({ root, sandbox })]);
  const executor = new ToolExecutor({
    registry,
    policy: "autonomous",
    timeoutMs: 0,
    maxTimeoutMs: 0,
  });
  let calls = 0;
  return async (name: string, args: JsonObject): Promise<unknown> => {
    const outcome = await executor.execute({ id: `${(calls += 1)}`, name, arguments: args });
    if (!outcome.ok)
      throw new Error(
        `${name}: ${outcome.error?.message ?? JSON.stringify(outcome.result?.content)}`,
      );
    return outcome.result;
  };
}

type Work = () => unknown;

/** The median milliseconds of each, measured in turns. */
async function measure<Name extends string>(
  contenders: Readonly<Record<Name, Work>>,
  rounds: number,
): Promise<Record<Name, number>> {
  const times = new Map<string, number[]>();
  for (let round = -2; round < rounds; round++) {
    for (const [name, work] of Object.entries<Work>(contenders)) {
      const start = performance.now();
      await work();
      const taken = performance.now() - start;
      if (round >= 0) times.set(name, [...(times.get(name) ?? []), taken]);
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)])) as Record<
    Name,
    number
  >;
}

/** Runs a command as Node.js does, and drops its output. */
function bareSpawn(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", () => {});
    child.on("error", reject);
    child.on("close", () => resolve());
  });
}

const rows: string[][] = [];
const add = (
  what: string,
  ours: number,
  anchor: string,
  of: number | undefined,
  goal: string,
): void => {
  const text = (ms: number): string =>
    ms < 1 ? `${(ms * 1000).toFixed(1)} µs` : `${ms.toFixed(1)} ms`;
  rows.push([
    what,
    text(ours),
    anchor,
    of === undefined ? "" : text(of),
    of === undefined ? "" : (ours / of).toFixed(2),
    goal,
  ]);
};

// Analysis of commands.
const scripts = readFileSync(
  join(import.meta.dirname, "../../packages/workspace/test/policy/support/usual-commands.txt"),
  "utf8",
)
  .trimEnd()
  .split("\n");
const analysis = await measure(
  {
    all: () => {
      for (const script of scripts) analyzeCommand(script);
    },
  },
  50,
);
add("analysis of a usual command", analysis.all / scripts.length, "", undefined, "25 µs");
const hostile = await measure(
  {
    all: () => analyzeCommand("$(".repeat(5_000)),
    quoted: () => analyzeCommand("a=(".repeat(3_333)),
    long: () => analyzeCommand("echo a;".repeat(1_428)),
  },
  5,
);
add(
  "analysis of the worst of three hostile scripts of 10,000 characters",
  Math.max(hostile.all, hostile.quoted, hostile.long),
  "",
  undefined,
  "20 ms",
);

// Reading a small file.
writeFileSync(join(root, "small.txt"), "a line of a small file\n".repeat(50));
const none = caller("none");
const path = join(root, "small.txt");
const { Jail } = await import("../../packages/workspace/src/jail/jail.ts");
const jail = new Jail([{ path: root, access: "write" }]);
const thousand = (work: () => void) => () => {
  for (let count = 0; count < 1000; count++) work();
};
const reads = await measure(
  {
    jail: thousand(() => {
      const file = jail.openFile("small.txt", () => {});
      readFileSync(file.fd);
      file.close();
    }),
    plain: thousand(() => readFileSync(path)),
    realpath: thousand(() => {
      const real = realpathSync(path);
      if (!real.startsWith(root + sep)) throw new Error("outside");
      readFileSync(real);
    }),
  },
  15,
);
add("read of a small file in the jail", reads.jail / 1000, "readFileSync", reads.plain / 1000, "2");
add(
  "read of a small file in the jail",
  reads.jail / 1000,
  "realpathSync, then readFileSync",
  reads.realpath / 1000,
  "0.6",
);
const calls = await measure(
  {
    tool: () => none("read_file", { path: "small.txt" }),
    plain: () => readFile(path),
    realpath: async () => readFile(await realpath(path)),
  },
  200,
);
add("read_file of a small file, with the executor", calls.tool, "readFile", calls.plain, "");

// Commands.
const bwrap = caller("bwrap");
const landlock = caller("landlock");
const commands = await measure(
  {
    none: () => none("bash", { command: "true" }),
    bwrap: () => bwrap("bash", { command: "true" }),
    landlock: () => landlock("bash", { command: "true" }),
    spawn: () => bareSpawn("bash", ["--noprofile", "--norc", "-c", "true"]),
  },
  60,
);
// Not in turns with the others: its processes end after its answer.
await SandboxManager.initialize({
  network: { allowedDomains: [], deniedDomains: [] },
  filesystem: { denyRead: [], allowWrite: [root], denyWrite: [] },
  ripgrep: { command: rgPath },
} as never);
const { srt } = await measure(
  {
    srt: async () => bareSpawn("bash", ["-c", await SandboxManager.wrapWithSandbox("true")]),
  },
  30,
);
await SandboxManager.reset();
add("bash without a sandbox", commands.none, "spawn of bash", commands.spawn, "+1 ms");
add("bash in landlock", commands.landlock, "spawn of bash", commands.spawn, "");
add("bash in bwrap", commands.bwrap, "spawn of bash", commands.spawn, "+6 ms");
add("bash in bwrap", commands.bwrap, "sandbox-runtime", srt, "0.3");
const background = await measure(
  { tool: () => none("bash", { command: "sleep 60 & echo hi" }) },
  10,
);
add("bash with a process that stays in the background", background.tool, "", undefined, "100 ms");

// Output.
const flood = "head -c 200000000 /dev/zero | tr '\\0' '\\n'";
const outputs = await measure(
  { tool: () => none("bash", { command: flood }), pipe: () => bareSpawn("bash", ["-c", flood]) },
  5,
);
add("bash with an output of 200 MB", outputs.tool, "drain of a pipe", outputs.pipe, "1.1");

// Search.
for (let folder = 0; folder < 80; folder++) {
  mkdirSync(join(root, `tree/d${folder}`), { recursive: true });
  for (let file = 0; file < 100; file++) {
    const line = `const value${file} = compute(${folder}, "some text to search in");\n`;
    writeFileSync(
      join(root, `tree/d${folder}/f${file}.ts`),
      line.repeat(300) + (file === 7 ? "createServer(1)\n" : ""),
    );
  }
}
const searches = await measure(
  {
    tool: () => none("search", { pattern: String.raw`createServer\(`, path: "tree" }),
    rg: () => execFileSync(rgPath, ["-n", String.raw`createServer\(`, join(root, "tree")]),
  },
  5,
);
add("search in 8,000 files with 150 MB", searches.tool, "ripgrep", searches.rg, "2.5");

// Long files.
const log = openSync(join(root, "big.log"), "w");
const chunk = Buffer.from(
  "2026-11-24 12:00:00 GET /items/123456 200 12 ms and some more text to fill the line up\n".repeat(
    12_000,
  ),
);
let written = 0;
while (written < 1024 ** 3) written += writeSync(log, chunk);
closeSync(log);
const lines = Math.floor(written / 87);
const pages = await measure(
  {
    middle: () =>
      none("read_file", { path: "big.log", offset: Math.floor(lines * 0.96), limit: 10 }),
    first: () => none("read_file", { path: "big.log", limit: 100 }),
    last: () => none("read_file", { path: "big.log", offset: -200 }),
  },
  3,
);
add("read_file at 96 % of 1 GiB", pages.middle, "", undefined, "1.2 s");
add("read_file of the first page of 1 GiB", pages.first, "", undefined, "10 ms");
add("read_file of the last 200 lines of 1 GiB", pages.last, "", undefined, "10 ms");
const sparse = openSync(join(root, "sparse.log"), "w");
writeSync(sparse, "first line\n".repeat(10_000));
ftruncateSync(sparse, 10 * 1024 ** 3);
closeSync(sparse);
const huge = await measure(
  { first: () => none("read_file", { path: "sparse.log", limit: 100 }) },
  5,
);
add("read_file of the first page of 10 GiB", huge.first, "", undefined, "10 ms");

// Edits.
writeFileSync(
  join(root, "large.ts"),
  Array.from(
    { length: 150_000 },
    (_, line) => `export const value${line} = ${line}; // a comment that fills the line up\n`,
  ).join(""),
);
let turn = 0;
const edits = await measure(
  {
    tool: () => {
      turn += 1;
      const [old, fresh] =
        turn % 2 === 1 ? ["value149000 =", "edited149000 ="] : ["edited149000 =", "value149000 ="];
      return none("edit_file", { path: "large.ts", edits: [{ old, new: fresh } as JsonObject] });
    },
    naive: () => {
      const text = readFileSync(join(root, "large.ts"), "utf8");
      writeFileSync(join(root, "copy.ts"), text.replace("value149000 =", "edited149000 ="));
    },
  },
  9,
);
add(
  "edit_file in 11 MB, kept safe on the disk",
  edits.tool,
  "readFile, replace, writeFile",
  edits.naive,
  "60 ms",
);

const version = (name: string): string => installedVersion("workspace", name);
printTable("workspace", {
  title: "The tools of a workspace",
  page: "bench/workspace/README.md",
  meaning:
    "The median time of each tool, and how many times as long as its anchor it takes: lower is faster. The goal is a ratio, or a time.",
  versions: {
    "@anthropic-ai/sandbox-runtime": version("@anthropic-ai/sandbox-runtime"),
    "@vscode/ripgrep": version("@vscode/ripgrep"),
  },
  columns: ["work", "toolweave", "anchor", "of the anchor", "×", "goal"],
  rows,
});
rmSync(root, { recursive: true });
process.exit(0);
