import type { ChildProcess } from "node:child_process";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { callers, floor } from "./calls/callers.ts";
import type { Costs } from "./calls/child.ts";
import { answerOf, dismissed, forked, measured, median, print, row } from "./calls/rounds.ts";

// The speed of MCP tool calls, compared with the bare client of the SDK's first line (README.md):
//
// node bench/mcp/calls.ts [--rounds 9] [--calls 5000] [part of a contender's name…]
const { values, positionals } = parseArgs({
  options: { rounds: { type: "string" }, calls: { type: "string" } },
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
const widths = [20, 22, 10, 8, 8, 10, 8, 8];
print(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "CPU"}`);
print(
  `${rounds} rounds of ${calls} calls (HTTP: ${Math.ceil(calls / shareOverHttp)}); × ${floor} in the same round, higher is faster`,
);
print(row(widths, "", "", "time µs", "×", "lowest", "highest", "CPU µs", "×"));
const server = forked("http-server.ts");
const { url } = (await answerOf(server)) as { url: string };
for (const over of ["stdio", "HTTP"]) {
  const share = over === "HTTP" ? shareOverHttp : 1;
  const clients = new Map<string, ChildProcess>();
  for (const name of names) {
    const child = forked("child.ts", "callers.ts", name, ...(over === "HTTP" ? [url] : []));
    await answerOf(child);
    clients.set(name, child);
  }
  for (const concurrency of [1, 32]) {
    const rows = await measured(clients, rounds, {
      concurrency,
      calls: Math.ceil(calls / share),
    });
    const bare = rows.get(floor) ?? [];
    for (const [name, costs] of rows) {
      const timed = ratios(bare, costs, ({ wall }) => wall);
      const cpu = ratios(bare, costs, (one) => one.cpu);
      const what = `${over}, ${concurrency} at once`;
      const figures = [median(timed), Math.min(...timed), Math.max(...timed)];
      print(
        row(
          widths,
          what,
          name,
          median(costs.map(({ wall }) => wall)).toFixed(0),
          ...figures.map((ratio) => ratio.toFixed(2)),
          median(costs.map((one) => one.cpu)).toFixed(0),
          median(cpu).toFixed(2),
        ),
      );
    }
  }
  await dismissed(clients.values());
}
await dismissed([server]);

function ratios(
  bare: readonly Costs[],
  costs: readonly Costs[],
  of: (one: Costs) => number,
): readonly number[] {
  return costs.map((one, index) => of(bare[index] ?? one) / of(one));
}
