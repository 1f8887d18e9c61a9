import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installedVersion, median, printTable, spread } from "./lib/table.ts";

// The time until 10,000 tools are defined, registered and listed, in fresh processes (README.md):
//
// node bench/registry.ts [--rounds 15] [--save]
const { values } = parseArgs({
  options: { rounds: { type: "string" }, save: { type: "boolean" } },
});
const rounds = Number(values.rounds ?? 15);

const ways: Readonly<Record<string, string>> = {
  toolweave: "toolweave",
  "toolweave, a policy of five rules": "policy",
  "toolweave, a run with tool search": "search",
  "mastra createTool": "mastra",
};

const times = new Map<string, number[]>(Object.keys(ways).map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, way] of Object.entries(ways)) times.get(name)?.push(measure(way));
}
printTable("registry", {
  title: "10,000 tools",
  page: "bench/README.md",
  meaning: `From the first definition of a tool to the first list of their names, descriptions and schemas, in a fresh process that has imported the package. The median of ${rounds} processes that take turns, with the lowest and highest.`,
  versions: { "@mastra/core": installedVersion(".", "@mastra/core") },
  columns: ["contender", "ms"],
  rows: [...times].map(([name, own]) => [name, `${spread(own, 1)}`]),
});
if (!(median(times.get("toolweave") ?? []) > 0)) throw new Error("nothing was measured");

function measure(way: string): number {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "registry/child.ts"), way],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}
