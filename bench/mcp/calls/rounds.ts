import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Costs, Round } from "./child.ts";

/** Until code is compiled and connections exist. */
const warmUps = 4;

const leaving = new WeakSet<ChildProcess>();

/** A script of this folder in a child process. One that exits before `dismissed` ends the bench. */
export function forked(script: string, ...args: readonly string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, script), args);
  child.once("exit", (code) => {
    if (leaving.has(child)) return;
    process.stderr.write(`${script} ${args.join(" ")} ended with ${String(code)}\n`);
    process.exit(1);
  });
  return child;
}

/** Its next message. */
export async function awaitAnswer(child: ChildProcess): Promise<unknown> {
  const [message] = (await once(child, "message")) as [unknown];
  return message;
}

/** Resolves when all of them have ended. */
export async function dismissed(children: Iterable<ChildProcess>): Promise<void> {
  await Promise.all(
    Array.from(children, (child) => {
      leaving.add(child);
      const ended = child.exitCode ?? once(child, "exit");
      child.disconnect();
      return ended;
    }),
  );
}

/**
 * Contenders take turns, and a figure compares neighbours, so that other load on the machine
 * affects both.
 */
export async function measured(
  clients: ReadonlyMap<string, ChildProcess>,
  rounds: number,
  round: Round,
): Promise<ReadonlyMap<string, readonly Costs[]>> {
  const taken = new Map<string, Costs[]>([...clients.keys()].map((name) => [name, []]));
  for (let turn = -warmUps; turn < rounds; turn++) {
    for (const [name, child] of clients) {
      child.send(round);
      const costs = (await awaitAnswer(child)) as Costs | { readonly error: string };
      if ("error" in costs) throw new Error(`${name}: ${costs.error}`);
      if (turn >= 0) taken.get(name)?.push(costs);
    }
  }
  return taken;
}
