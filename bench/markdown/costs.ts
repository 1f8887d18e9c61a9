import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { markdownSource } from "@toolweave/markdown";
import { median, printTable } from "../lib/table.ts";

// The costs of tools of markdown files (README.md):
//
// node bench/markdown/costs.ts [--save]
const self = fileURLToPath(import.meta.url);
const root = mkdtempSync(join(tmpdir(), "bench-markdown-"));

function write(folder: string, name: string, script: string): void {
  const lines = script.split("\n").map((line) => `  ${line}`);
  const text = `---
parameters:
  path: { type: string, description: Workspace-relative path to read. }
  encoding: { type: string, description: The encoding of the file. }
  max_bytes: { type: number }
script: |
${lines.join("\n")}
timeout_ms: 30000
---
# ${name}

Read a file of the workspace. Long files are cut.
`;
  mkdirSync(join(folder, ".toolweave/tools"), { recursive: true });
  writeFileSync(join(folder, ".toolweave/tools", `${name}.md`), text);
}

const reader = `def run(args):
    text = fs.read(args["path"])
    limit = args.get("max_bytes", 4000)
    if len(text) > limit:
        return {"text": string.truncate(text, limit), "truncated": True}
    return {"text": text, "truncated": False}`;

/** The milliseconds until a folder is listed, twice, in this process. */
async function list(folder: string): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < 2; round++) {
    const start = performance.now();
    const registry = new ToolRegistry([markdownSource(folder)]);
    await registry.ready;
    const count = new ToolExecutor({ registry }).toolset.specs().length;
    times.push(performance.now() - start);
    if (count !== 1000) throw new Error(`${count} tools are listed.`);
    await registry.close();
  }
  return times;
}

if (process.argv[2] === "list") {
  process.stdout.write(JSON.stringify(await list(process.argv[3] as string)));
  process.exit(0);
}

const many = join(root, "many");
for (let index = 0; index < 1000; index++) write(many, `tool_${index}`, reader);
const lists = Array.from(
  { length: 7 },
  () =>
    JSON.parse(
      execFileSync(process.execPath, [...process.execArgv, self, "list", many], {
        encoding: "utf8",
      }),
    ) as [number, number],
);

const few = join(root, "few");
write(few, "plain", 'def run(args):\n    return args["n"]');
write(
  few,
  "ten",
  'def run(args):\n    for i in range(10):\n        meta.call_tool("direct", {"n": i})\n    return 10',
);
write(
  few,
  "many",
  'def run(args):\n    for i in range(900):\n        time.now()\n    return meta.call_tool("asks", {})',
);
write(few, "once", 'def run(args):\n    return meta.call_tool("asks", {})');
const input = { type: "object" } as const;
const direct = defineTool({
  name: "direct",
  description: "Direct.",
  input,
  execute: ({ n }) => ({ n }),
});
const asks = defineTool({
  name: "asks",
  description: "Asks.",
  input,
  needsApproval: true,
  execute: () => 1,
});
const registry = new ToolRegistry([markdownSource(few), direct, asks]);
await registry.ready;
const executor = new ToolExecutor({ registry, policy: "supervised" });
let calls = 0;
const call = (name: string): Promise<unknown> =>
  executor.execute({ id: `${(calls += 1)}`, name, arguments: { n: 1 } });

/** The median milliseconds of a call, of each in turns. */
async function measure<Name extends string>(
  works: Readonly<Record<Name, () => Promise<unknown>>>,
  rounds: number,
  repeats: number,
): Promise<Record<Name, number>> {
  const times = new Map<string, number[]>();
  for (let round = -3; round < rounds; round++) {
    for (const [name, work] of Object.entries<() => Promise<unknown>>(works)) {
      const start = performance.now();
      for (let repeat = 0; repeat < repeats; repeat++) await work();
      const taken = (performance.now() - start) / repeats;
      if (round >= 0) times.set(name, [...(times.get(name) ?? []), taken]);
    }
  }
  return Object.fromEntries(Array.from(times, ([name, each]) => [name, median(each)])) as Record<
    Name,
    number
  >;
}

/** Only the second part of a call that waits for a person. */
async function resumed(name: string): Promise<number> {
  const outcome = await executor.execute({ id: `${(calls += 1)}`, name, arguments: {} });
  if (outcome.status !== "interrupted") throw new Error(`${name} does not wait.`);
  const start = performance.now();
  const ended = await executor.resume(outcome.interruption, [{ type: "approve" }]);
  const taken = performance.now() - start;
  if (!ended.ok) throw new Error(ended.error?.message);
  return taken;
}

const each = await measure(
  { direct: () => call("direct"), plain: () => call("plain"), ten: () => call("ten") },
  15,
  200,
);
const journals = { many: [] as number[], once: [] as number[] };
for (let round = 0; round < 25; round++) {
  journals.many.push(await resumed("many"));
  journals.once.push(await resumed("once"));
}
await registry.close();
rmSync(root, { recursive: true });

const microseconds = (ms: number): string => `${Math.round(ms * 1000)} µs`;
const milliseconds = (ms: number): string => `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
printTable("markdown", {
  title: "Tools of markdown files",
  page: "bench/markdown/README.md",
  meaning:
    "A thousand files are read in a new process; no script is compiled before its first call. The other rows are what a script adds to the same call without it. Medians.",
  versions: {},
  columns: ["what", "time"],
  rows: [
    ["1,000 files, first list", milliseconds(median(lists.map(([first]) => first)))],
    ["1,000 files, next list", milliseconds(median(lists.map(([, second]) => second)))],
    ["call of a script", microseconds(each.plain - each.direct)],
    ["call of a tool in it", microseconds((each.ten - each.plain) / 10 - each.direct)],
    ["900 results of a journal", milliseconds(median(journals.many) - median(journals.once))],
  ],
});
