import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installedVersion, median, printTable, spread } from "../lib/table.ts";
import type { Round } from "./calls/child.ts";
import { callers } from "./calls/callers.ts";
import { tasks } from "./calls/tasks.ts";

// The cost of a call for the client, compared with undici (README.md):
//
// node bench/openapi/calls.ts [--rounds 9] [--calls 1000] [--save] [part of a contender's name…]
const { values, positionals } = parseArgs({
  options: { rounds: { type: "string" }, calls: { type: "string" }, save: { type: "boolean" } },
  allowPositionals: true,
});
const rounds = Number(values.rounds ?? 9);
const calls = Number(values.calls ?? 1000);
/** Until code is compiled and connections exist. */
const warmUps = 4;
const floor = "undici.request";

interface Client {
  readonly name: string;
  readonly process: ChildProcess;
}

const folder = mkdtempSync(join(tmpdir(), "toolweave-calls-"));
let isOver = false;
const server = forked("server.ts");
const { origin } = (await awaitAnswer(server)) as { origin: string };
const names = Object.keys(callers).filter(
  (name) =>
    name === floor || positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
const clients: Client[] = [];
for (const name of names) {
  const child = forked("child.ts", name, origin, folder);
  await awaitAnswer(child);
  clients.push({ name, process: child });
}

const rows: string[][] = [];
for (const concurrency of [1, 64]) {
  for (const { name: task } of tasks) {
    const figures = await measured({ task, concurrency, calls });
    for (const [name, { cpu, ratios }] of figures) {
      rows.push([`${task}, ${concurrency} at once`, name, cpu.toFixed(0), spread(ratios)]);
    }
  }
}
printTable("openapi-calls", {
  title: "A call of an OpenAPI operation",
  page: "bench/openapi/README.md",
  meaning: `CPU of the client for a call over loopback, and how many times that of the same exchange by \`undici.request\` it is. The median of ${rounds} rounds of ${calls} calls, with the lowest and highest round.`,
  versions: Object.fromEntries(
    ["undici", ...names.filter((name) => name !== floor && name !== "toolweave")].map((name) => [
      name,
      installedVersion("openapi", name),
    ]),
  ),
  columns: ["exchange", "contender", "µs", "× undici.request"],
  rows,
});
isOver = true;
for (const { process: child } of clients) child.disconnect();
server.disconnect();
rmSync(folder, { recursive: true });

/**
 * Contenders take turns, and a ratio compares neighbours, so that other load on the machine affects
 * both.
 */
async function measured(
  round: Round,
): Promise<ReadonlyMap<string, { readonly cpu: number; readonly ratios: readonly number[] }>> {
  const cpu = new Map<string, number[]>(clients.map(({ name }) => [name, []]));
  for (let turn = -warmUps; turn < rounds; turn++) {
    for (const { name, process: child } of clients) {
      const one = await ask(child, round);
      if ("error" in one) throw new Error(`${name}: ${one.error}`);
      const { good, bad } = (await ask(server, {})) as { good: number; bad: number };
      const isComplete = bad === 0 && good >= round.calls && good < round.calls + round.concurrency;
      if (!isComplete) throw new Error(`${name}: ${good} good requests, ${bad} bad ones`);
      if (turn >= 0) cpu.get(name)?.push(one["cpu"] as number);
    }
  }
  const floors = cpu.get(floor) ?? [];
  return new Map(
    [...cpu].map(([name, own]) => {
      const ratios = own.map((one, index) => one / (floors[index] ?? Number.NaN));
      return [name, { cpu: median(own), ratios }];
    }),
  );
}

function ask(child: ChildProcess, message: object): Promise<Record<string, unknown>> {
  child.send(message);
  return awaitAnswer(child);
}

function forked(script: string, ...args: readonly string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, "calls", script), args);
  child.once("exit", (code) => {
    if (isOver) return;
    process.stderr.write(`${script} ${args[0] ?? ""} ended with ${String(code)}\n`);
    process.exit(1);
  });
  return child;
}

async function awaitAnswer(child: ChildProcess): Promise<Record<string, unknown>> {
  const [message] = (await once(child, "message")) as [Record<string, unknown>];
  return message;
}
