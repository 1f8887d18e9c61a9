import { setTimeout as delay } from "node:timers/promises";
import * as kinds from "../operations/kinds.ts";
import type { RunOperation } from "../operations/kinds.ts";
import type { FaultContext } from "./run-load.ts";
import type { ScenarioRun } from "./scenario.ts";

/** The operations of the usual load. */
export const allKinds: Readonly<Record<string, RunOperation>> = {
  durableRun: kinds.durableRun,
  approval: kinds.approval,
  limitedCall: kinds.limitedCall,
  task: kinds.task,
  artifact: kinds.artifact,
};

/** Those that need no ledger. */
export const kindsWithoutLedger: Readonly<Record<string, RunOperation>> = {
  approval: kinds.approval,
  limitedCall: kinds.limitedCall,
  task: kinds.task,
  artifact: kinds.artifact,
};

/** Waits for some milliseconds; false: the faults must end. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<boolean> {
  await delay(ms, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

/** Kills one of the workers every 0.5 to 1 s. */
export async function killWorkers({ cluster, random, signal }: FaultContext): Promise<void> {
  while (await waitFor(random.between(500, 1_000), signal)) {
    await cluster.kill(Math.floor(random.between(0, 3)));
  }
}

/** Milliseconds of a run with a time, or of one that ends after a number of operations, which is short. */
export function inLongRun({ end }: ScenarioRun, longMs: number, shortMs: number): number {
  return "seconds" in end ? longMs : shortMs;
}
