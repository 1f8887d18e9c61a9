import type { ChildProcess } from "node:child_process";
import { parseArgs } from "node:util";
import type { Costs } from "./calls/child.ts";
import { callers, fronts } from "./calls/gateway-callers.ts";
import { installedVersion, median, printTable, spread } from "../lib/table.ts";
import { awaitAnswer, dismissed, forked, measured } from "./calls/rounds.ts";

// The cost that a gateway adds to a call (README.md):
//
// node bench/mcp/gateway.ts [--rounds 9] [--calls 1000] [--save] [part of a contender's name…]
const { values, positionals } = parseArgs({
  options: { rounds: { type: "string" }, calls: { type: "string" }, save: { type: "boolean" } },
  allowPositionals: true,
});
const rounds = Number(values.rounds ?? 9);
const calls = Number(values.calls ?? 1000);
const direct = "2025-11-25 direct";
const names = Object.keys(callers).filter(
  (name) =>
    name === direct || positionals.length === 0 || positionals.some((part) => name.includes(part)),
);

const table: string[][] = [];
const servers = new Map<string, ChildProcess>();
const urls = new Map<string, string>();
for (const front of fronts) {
  const server = front === "direct" ? forked("http-server.ts") : forked("front.ts", front, "http");
  servers.set(front, server);
  urls.set(front, ((await awaitAnswer(server)) as { readonly url: string }).url);
}
for (const over of ["stdio", "HTTP"]) {
  const clients = new Map<string, ChildProcess>();
  for (const name of names) {
    const url = urls.get(fronts.find((front) => name.endsWith(front)) ?? "") ?? "";
    const child = forked("child.ts", "gateway-callers.ts", name, ...(over === "HTTP" ? [url] : []));
    await awaitAnswer(child);
    clients.set(name, child);
  }
  for (const concurrency of [1, 32]) {
    const rows = await measured(clients, rounds, { concurrency, calls });
    const bare = rows.get(direct) ?? [];
    for (const [name, costs] of rows) {
      const added = costs.map(({ wall }, index) => wall - (bare[index] as Costs).wall);
      const byHand = rows.get(name.replace("toolweave", "by hand")) ?? [];
      const shares = added.map((own, index) => {
        const other = (byHand[index] as Costs).wall - (bare[index] as Costs).wall;
        return own / other;
      });
      table.push([
        `${over}, ${concurrency} at once`,
        name,
        median(costs.map(({ wall }) => wall)).toFixed(0),
        ...(name === direct ? ["", ""] : [spread(added, 0), median(shares).toFixed(2)]),
      ]);
    }
  }
  await dismissed(clients.values());
}
await dismissed(servers.values());
printTable("gateway", {
  title: "What a gateway adds to a call",
  page: "bench/mcp/README.md",
  meaning: `The time of a call to an echo server behind a gateway, what that is more than without one, and how many times as much as a gateway by hand adds: a server of the SDK whose handlers call its client, and which checks nothing. The median of ${rounds} rounds of ${calls} calls, with the lowest and highest round.`,
  versions: { "@modelcontextprotocol/sdk": installedVersion("mcp", "@modelcontextprotocol/sdk") },
  columns: ["transport", "client and gateway", "time µs", "added µs", "× by hand"],
  rows: table,
});
