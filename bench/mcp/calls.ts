import type { ChildProcess } from "node:child_process";
import { parseArgs } from "node:util";
import { callers, floor } from "./calls/callers.ts";
import type { Costs } from "./calls/child.ts";
import { installedVersion, median, printTable, spread } from "../lib/table.ts";
import { awaitAnswer, dismissed, forked, measured } from "./calls/rounds.ts";

// The speed of MCP tool calls, compared with the bare client of the SDK's first line (README.md):
//
// node bench/mcp/calls.ts [--rounds 9] [--calls 5000] [--save] [part of a contender's name…]
const { values, positionals } = parseArgs({
  options: { rounds: { type: "string" }, calls: { type: "string" }, save: { type: "boolean" } },
  allowPositionals: true,
});
const rounds = Number(values.rounds ?? 9);
const calls = Number(values.calls ?? 5000);
/** Over HTTP a call takes longer. */
const shareOverHttp = 5;

const names = Object.keys(callers).filter(
  (name) =>
    name === floor || positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
const rows: string[][] = [];
const versions = Object.fromEntries(
  [
    "@modelcontextprotocol/sdk",
    "@modelcontextprotocol/client",
    "@ai-sdk/mcp",
    "@langchain/mcp-adapters",
    "@openai/agents",
  ].map((name) => [name, installedVersion("mcp", name)]),
);
const server = forked("http-server.ts");
const { url } = (await awaitAnswer(server)) as { url: string };
for (const over of ["stdio", "HTTP"]) {
  const share = over === "HTTP" ? shareOverHttp : 1;
  const clients = new Map<string, ChildProcess>();
  for (const name of names) {
    const child = forked("child.ts", "callers.ts", name, ...(over === "HTTP" ? [url] : []));
    await awaitAnswer(child);
    clients.set(name, child);
  }
  for (const concurrency of [1, 32]) {
    const taken = await measured(clients, rounds, {
      concurrency,
      calls: Math.ceil(calls / share),
    });
    const bare = taken.get(floor) ?? [];
    for (const [name, costs] of taken) {
      rows.push([
        `${over}, ${concurrency} at once`,
        name,
        median(costs.map(({ wall }) => wall)).toFixed(0),
        spread(ratios(bare, costs, ({ wall }) => wall)),
        median(costs.map(({ cpu }) => cpu)).toFixed(0),
        median(ratios(bare, costs, ({ cpu }) => cpu)).toFixed(2),
      ]);
    }
  }
  await dismissed(clients.values());
}
await dismissed([server]);
printTable("mcp-calls", {
  title: "A call of an MCP tool",
  page: "bench/mcp/README.md",
  meaning: `The time of a call to an echo server and the CPU of the client, and how many times as fast as \`callTool\` of the SDK 1.x that is: higher is faster. The median of ${rounds} rounds of ${calls} calls (over HTTP ${Math.ceil(calls / shareOverHttp)}), with the lowest and highest round.`,
  versions,
  columns: ["transport", "contender", "time µs", "× speed", "CPU µs", "× speed by CPU"],
  rows,
});

function ratios(
  bare: readonly Costs[],
  costs: readonly Costs[],
  of: (one: Costs) => number,
): readonly number[] {
  return costs.map((one, index) => of(bare[index] ?? one) / of(one));
}
