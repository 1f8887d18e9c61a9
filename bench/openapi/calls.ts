import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Round } from "./calls/child.ts";
import { callers } from "./calls/callers.ts";
import { tasks } from "./calls/tasks.ts";

// The cost of a call for the client, compared with undici (README.md):
//
// node bench/openapi/calls.ts [--rounds 9] [--calls 1000] [part of a contender's name…]
const { values, positionals } = parseArgs({
  options: { rounds: { type: "string" }, calls: { type: "string" } },
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
const { origin } = (await answerOf(server)) as { origin: string };
const names = Object.keys(callers).filter(
  (name) =>
    name === floor || positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
const clients: Client[] = [];
for (const name of names) {
  const child = forked("child.ts", name, origin, folder);
  await answerOf(child);
  clients.push({ name, process: child });
}

const { dependencies } = (await import("./package.json", { with: { type: "json" } })).default as {
  readonly dependencies: Readonly<Record<string, string>>;
};
const versions = names.map((name) => `${name} ${dependencies[name.split(".")[0] ?? ""] ?? ""}`);
print(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "CPU"}`);
print(versions.map((version) => version.trim()).join(", "));
print(`${rounds} rounds of ${calls} calls; CPU of the client, user and system`);
print(row("", "", "µs", "× undici", "lowest", "highest"));
for (const concurrency of [1, 64]) {
  for (const { name: task } of tasks) {
    const figures = await measured({ task, concurrency, calls });
    for (const [name, { cpu, ratios }] of figures) {
      const what = `${task}, ${concurrency} at once`;
      const [lowest = 1, highest = 1] = [ratios[0], ratios.at(-1)];
      print(row(what, name, cpu.toFixed(0), times(median(ratios)), times(lowest), times(highest)));
    }
  }
}
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
): Promise<Map<string, { readonly cpu: number; readonly ratios: readonly number[] }>> {
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
      return [name, { cpu: median(own), ratios: ratios.toSorted((a, b) => a - b) }];
    }),
  );
}

function ask(child: ChildProcess, message: object): Promise<Record<string, unknown>> {
  child.send(message);
  return answerOf(child);
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

async function answerOf(child: ChildProcess): Promise<Record<string, unknown>> {
  const [message] = (await once(child, "message")) as [Record<string, unknown>];
  return message;
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
}

function times(ratio: number): string {
  return ratio.toFixed(2);
}

function row(...cells: readonly string[]): string {
  const widths = [18, 34, 8, 10, 8, 8];
  return cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("");
}

function print(line: string): void {
  process.stdout.write(`${line.trimEnd()}\n`);
}
