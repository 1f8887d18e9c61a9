import type { ChildProcess } from "node:child_process";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import type { Costs } from "./calls/child.ts";
import { callers, fronts } from "./calls/gateway-callers.ts";
import { answerOf, dismissed, forked, measured, median, print, row } from "./calls/rounds.ts";

// The cost that a gateway adds to a call (README.md):
//
// node bench/mcp/gateway.ts [--rounds 9] [--calls 1000] [part of a contender's name…]
const { values, positionals } = parseArgs({
  options: { rounds: { type: "string" }, calls: { type: "string" } },
  allowPositionals: true,
});
const rounds = Number(values.rounds ?? 9);
const calls = Number(values.calls ?? 1000);
const direct = "2025-11-25 direct";
const names = Object.keys(callers).filter(
  (name) =>
    name === direct || positionals.length === 0 || positionals.some((part) => name.includes(part)),
);

const widths = [20, 24, 14, 16, 10];
print(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "CPU"}`);
print(`${rounds} rounds of ${calls} calls; µs a call, and more than ${direct} in the same round`);
print(row(widths, "", "", "time µs", "added µs", "lowest", "highest"));
const servers = new Map<string, ChildProcess>();
const urls = new Map<string, string>();
for (const front of fronts) {
  const server = front === "direct" ? forked("http-server.ts") : forked("front.ts", front, "http");
  servers.set(front, server);
  urls.set(front, ((await answerOf(server)) as { readonly url: string }).url);
}
for (const over of ["stdio", "HTTP"]) {
  const clients = new Map<string, ChildProcess>();
  for (const name of names) {
    const url = urls.get(fronts.find((front) => name.endsWith(front)) ?? "") ?? "";
    const child = forked("child.ts", "gateway-callers.ts", name, ...(over === "HTTP" ? [url] : []));
    await answerOf(child);
    clients.set(name, child);
  }
  for (const concurrency of [1, 32]) {
    const rows = await measured(clients, rounds, { concurrency, calls });
    const bare = rows.get(direct) ?? [];
    for (const [name, costs] of rows) {
      const added = costs.map(({ wall }, index) => wall - (bare[index] as Costs).wall);
      const figures = [median(added), Math.min(...added), Math.max(...added)];
      print(
        row(
          widths,
          `${over}, ${concurrency} at once`,
          name,
          median(costs.map(({ wall }) => wall)).toFixed(0),
          ...(name === direct ? [] : figures.map((figure) => figure.toFixed(0))),
        ),
      );
    }
  }
  await dismissed(clients.values());
}
await dismissed(servers.values());
