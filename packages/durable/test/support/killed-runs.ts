import { setTimeout as delay } from "node:timers/promises";
import type { MachineConfig } from "./agent-process.ts";
import {
  nextLine,
  startEffects,
  startNode,
  type EffectRecord,
  type Machine,
  type NodeProcess,
} from "./machines.ts";
import { startBalancer } from "@toolweave/test-support/balancer";
import type { RestateServer } from "@toolweave/test-support/restate-server";

/** A run of the agent on several machines. */
export interface KilledRun extends Pick<MachineConfig, "engine" | "mode" | "script" | "schema"> {
  readonly machines: readonly Machine[];
  /** The PostgreSQL, for a machine. */
  readonly databaseUrl: (machine: Machine) => string;
  /** The numbers of the effects after which the process is killed, before its tool gets an answer. */
  readonly killAt: readonly number[];
  /** The process is paused in place of being killed, and continues when the run has ended. Default: false. */
  readonly pauses?: boolean;
  readonly restate?: RestateServer;
  /** Resolves when the run has ended. */
  readonly ended: (id: string) => Promise<void>;
  /** Starts the run through the engine's server; absent: the first machine starts it. */
  readonly start?: (id: string) => Promise<void>;
}

/** The log of a run, and the number of kills. */
export interface KilledRunReport {
  readonly log: readonly EffectRecord[];
  readonly kills: number;
}

const leaseMs = 1000;
const runId = "run_1";

/** Runs the agent to its end, and kills its process with SIGKILL in the calls that `killAt` says. */
export async function killedRun(run: KilledRun): Promise<KilledRunReport> {
  const effects = await startEffects(run.killAt);
  const running = new Map<string, NodeProcess>();
  let kills = 0;
  let isOver = false;
  const basePort = 20_000 + (process.pid % 20_000);
  const start = (machine: Machine, index: number, startRun?: string): NodeProcess => {
    const config: MachineConfig = {
      machine: machine.name,
      engine: run.engine,
      mode: run.mode,
      script: run.script,
      schema: run.schema,
      leaseMs,
      databaseUrl: run.databaseUrl(machine),
      effectsUrl: `http://${machine.host}:${effects.port}`,
      host: machine.address,
      port: basePort + index,
      ingressUrl: run.restate?.ingressUrl ?? "http://127.0.0.1",
      ...(startRun === undefined ? {} : { start: startRun }),
    };
    const child = startNode("agent-process.ts", [JSON.stringify(config)], machine.namespace);
    running.set(machine.name, child);
    return child;
  };
  const targets = run.machines.map(({ address }, index) => ({ address, port: basePort + index }));
  const balancer = run.restate === undefined ? undefined : await startBalancer(targets);
  const killing = (async () => {
    for (;;) {
      const name = await nextLine(effects.process, "hold").catch(() => undefined);
      const index = run.machines.findIndex((machine) => machine.name === name);
      const machine = run.machines[index];
      if (name === undefined || machine === undefined) return;
      kills += 1;
      if (run.pauses === true) {
        running.get(name)?.pause();
        continue;
      }
      await running.get(name)?.kill();
      // The process starts the run again, which has no effect.
      if (!isOver) start(machine, index, run.start === undefined ? runId : undefined);
    }
  })();
  try {
    for (const [index, machine] of run.machines.entries()) {
      if (index === 0 && run.start === undefined) continue;
      await nextLine(start(machine, index), "ready");
    }
    if (run.start === undefined) start(run.machines[0] as Machine, 0, runId);
    else {
      await run.restate?.register(`http://127.0.0.1:${balancer?.port}`);
      await run.start(runId);
    }
    await run.ended(runId);
    if (run.pauses === true) {
      for (const child of running.values()) child.wake();
      effects.process.write("answer");
      // The process has time to do what it must not do.
      await delay(5000);
    }
    return { log: effects.log(), kills };
  } finally {
    isOver = true;
    for (const child of running.values()) await child.kill();
    await balancer?.stop();
    await effects.stop();
    await killing;
  }
}

/** The names of the effects, sorted, each as often as it happened. */
export function effectsIn({ log }: KilledRunReport): string[] {
  return log.flatMap(({ kind, name }) => (kind === "effect" ? [name] : [])).sort();
}

/** The effects that happened more than once. */
export function duplicatesIn(report: KilledRunReport): string[] {
  const all = effectsIn(report);
  return [...new Set(all.filter((name, index) => all[index - 1] === name))];
}
