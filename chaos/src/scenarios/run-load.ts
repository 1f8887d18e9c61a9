import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { checkHistory } from "../checks/check-history.ts";
import { findUnknownCalls } from "../checks/calls.ts";
import { bundlePrograms, type Bundle } from "../cluster/bundle.ts";
import { startChild } from "../cluster/child-processes.ts";
import { Cluster, type WorkerProgram } from "../cluster/cluster.ts";
import { createRandom, type Random } from "../cluster/random.ts";
import { readAgentEvents } from "../history/agent-events.ts";
import { groupBy, type BucketState, type History, type Violation } from "../history/history.ts";
import { toHandOverFaults, type HandOver } from "../history/hand-overs.ts";
import { Recorder } from "../history/recorder.ts";
import { Load, type CallId } from "../operations/load.ts";
import type { RunOperation } from "../operations/kinds.ts";
import { agentTurns, type WorkerSettings } from "../worker/messages.ts";
import { readEffectLog, readStoredState } from "./read-tables.ts";
import type { LoadEnd, ScenarioResult, ScenarioRun } from "./scenario.ts";

/** The part of a run that faults act on. */
export interface FaultContext {
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly schema: string;
  /** Aborted when the load has ended: faults must end, and everything must work again. */
  readonly signal: AbortSignal;
  /** Counts a fault that is not a kill. */
  countRestart(): void;
}

/** The load of a scenario, and its faults. */
export interface LoadPlan {
  readonly scenario: string;
  /** The database, past all faults. */
  readonly url: string;
  /** The database as a worker reaches it. Default: `url`. */
  readonly workerUrl?: (slot: number) => string;
  /** Default: 3. */
  readonly workers?: number;
  /** The source of the worker, in `src`. Default: `worker/worker.ts`. */
  readonly worker?: string;
  /** Milliseconds of the leases. Default: 2,000. */
  readonly leaseMs?: number;
  /** Replaces the program or the environment of a worker. */
  readonly program?: (slot: number, generation: number, usual: WorkerProgram) => WorkerProgram;
  readonly kinds: Readonly<Record<string, RunOperation>>;
  /** How often each kind is chosen. Default: 1. */
  readonly weights?: Readonly<Record<string, number>>;
  /** Operations at the same time. Default: 12. */
  readonly clients?: number;
  /** Milliseconds for which a client waits for a reply. Default: 20,000. */
  readonly replyMs?: number;
  /** False: a version without a ledger takes part. Default: true. */
  readonly hasLedger?: boolean;
  readonly api?: WorkerSettings["api"];
  /** Further secrets that must not be in the database and in the bucket. */
  readonly secrets?: () => readonly string[];
  /** Prepares the store before the workers start. */
  readonly prepare?: (schema: string) => Promise<void>;
  /** Prepares what needs the workers, before the load begins. */
  readonly ready?: () => Promise<void>;
  /** Injects faults until its signal is aborted. Absent: none. */
  readonly faults?: (context: FaultContext) => Promise<void>;
  /** The runs that the engine has given to other workers, when everything has ended. Default: none. */
  readonly handOvers?: () => Promise<readonly HandOver[]>;
  /** Reads the bucket, if artifacts are in one, when everything has ended. */
  readonly readBucket?: (schema: string) => Promise<BucketState>;
  /** Checks what this scenario alone guarantees. */
  readonly check?: (history: History) => readonly Violation[];
  /** Figures of this scenario alone. */
  readonly details?: (history: History) => Readonly<Record<string, number>>;
  /** Statements whose answer was lost. Default: none. */
  readonly lostStatements?: () => number;
}

const rate = { calls: 20, windowMs: 1_000 };
const secret = "s3cret-of-the-chaos-suite-5f0c9a";
/** Milliseconds that operations have to end after the faults. */
const drainMs = 90_000;

/** Runs the load with its faults, then checks everything that has happened. */
export async function runLoad(run: ScenarioRun, plan: LoadPlan): Promise<ScenarioResult> {
  const { seed, end, signal } = run;
  const { leaseMs = 2_000 } = plan;
  const started = performance.now();
  const schema = `chaos_${plan.scenario.toLowerCase().replaceAll(/\W/g, "_")}_${seed}_${process.pid}`;
  const folder = mkdtempSync(join(tmpdir(), "toolweave-chaos-log-"));
  const path = join(folder, "effects.ndjson");
  let bundle: Bundle | undefined;
  let cluster: Cluster | undefined;
  const closing: (() => void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    bundle = await bundlePrograms(plan.worker);
    closing.push(bundle.remove);
    const log = await startChild(bundle.effectLog, [path]);
    closing.push(() => void log.process.kill("SIGKILL"));
    const { worker: program } = bundle;
    const usual = (slot: number): WorkerProgram => ({
      program,
      settings: {
        url: plan.workerUrl?.(slot) ?? plan.url,
        effectLogPort: Number(log.ready),
        ...{ schema, leaseMs, rate, secret },
        ...(plan.api === undefined ? {} : { api: plan.api }),
      },
    });
    await plan.prepare?.(schema);
    const recorder = new Recorder();
    const programs = (slot: number, generation: number): WorkerProgram =>
      plan.program?.(slot, generation, usual(slot)) ?? usual(slot);
    cluster = new Cluster(plan.workers ?? 3, programs, recorder);
    await cluster.start();
    await plan.ready?.();
    const { restarts, load } = await driveLoad({
      plan,
      end,
      seed,
      signal,
      cluster,
      recorder,
      schema,
    });
    await cluster.end();
    signal.throwIfAborted();
    const { effects, events } = readEffectLog(path);
    const agents = readAgentEvents(events, agentTurns);
    const { audit, tables } = await readStoredState(plan.url, schema, leaseMs);
    const bucket = await plan.readBucket?.(schema);
    const handOvers = toHandOverFaults((await plan.handOvers?.()) ?? [], events, recorder.faults);
    const history: History = {
      ...recorder,
      ...{ effects, audit, tables, rate },
      faults: [...recorder.faults, ...handOvers],
      attempts: [...recorder.attempts, ...agents.attempts],
      answers: [...recorder.answers, ...agents.answers],
      budgets: agents.budgets,
      secrets: [secret, ...(plan.secrets?.() ?? [])],
      ...(bucket === undefined ? {} : { bucket }),
    };
    const crashes = cluster.crashes.map((text) => ({ invariant: "process", text }));
    const kinds = groupBy(recorder.operations, ({ kind }) => kind);
    return {
      ...{ scenario: plan.scenario, seed, restarts },
      seconds: Math.round((performance.now() - started) / 100) / 10,
      operations: recorder.operations.length,
      effects: effects.length,
      kills: cluster.kills,
      lostAnswers: load.lostReplies + (plan.lostStatements?.() ?? 0),
      unknowns: findUnknownCalls(history.answers).size,
      violations: [...checkHistory(history), ...(plan.check?.(history) ?? []), ...crashes],
      details: {
        ...Object.fromEntries([...kinds].map(([kind, found]) => [kind, found.length])),
        ...plan.details?.(history),
        ...(plan.handOvers === undefined ? {} : { handOvers: handOvers.length }),
      },
    };
  } finally {
    await cluster?.end();
    for (const close of closing.toReversed()) close();
  }
}

interface Drive {
  readonly plan: LoadPlan;
  readonly end: LoadEnd;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly schema: string;
}

async function driveLoad({ plan, end, seed, signal, cluster, recorder, schema }: Drive): Promise<{
  readonly restarts: number;
  readonly load: Load;
}> {
  const deadline = new AbortController();
  const loadOver = new AbortController();
  let restarts = 0;
  const random = createRandom(seed);
  const load = new Load({
    ...{ cluster, recorder, random },
    replyMs: plan.replyMs ?? 20_000,
    hasLedger: plan.hasLedger ?? true,
    deadline: AbortSignal.any([deadline.signal, signal]),
  });
  const faults = plan.faults?.({
    ...{ cluster, recorder, schema },
    random: createRandom(seed + 1),
    signal: AbortSignal.any([loadOver.signal, signal]),
    countRestart: () => void restarts++,
  });
  const until = "seconds" in end ? performance.now() + end.seconds * 1_000 : Infinity;
  let operations = 0;
  const isOver = (): boolean =>
    signal.aborted ||
    ("seconds" in end
      ? performance.now() >= until
      : operations >= end.operations && cluster.kills + restarts >= end.faults);
  const kinds = Object.keys(plan.kinds).flatMap((kind) =>
    Array.from({ length: plan.weights?.[kind] ?? 1 }, () => kind),
  );
  const client = async (): Promise<void> => {
    while (!isOver()) {
      const kind = random.pick(kinds);
      await runOperation(load, kind, plan.kinds[kind] as RunOperation, `run_${++operations}`);
    }
  };
  const clients = Promise.all(Array.from({ length: plan.clients ?? 12 }, client));
  // Operations that have begun end after the faults.
  await Promise.race([clients, untilEnd(isOver)]);
  loadOver.abort();
  // If the faults have failed, operations may never end.
  const timer = setTimeout(() => deadline.abort(), drainMs);
  try {
    await faults;
    await clients;
    await askAgain(load);
  } finally {
    deadline.abort();
    clearTimeout(timer);
  }
  return { restarts, load };
}

async function untilEnd(isOver: () => boolean): Promise<void> {
  while (!isOver()) await delay(20);
}

async function runOperation(
  load: Load,
  kind: string,
  run: RunOperation,
  id: string,
): Promise<void> {
  const { operations } = load.recorder;
  try {
    const wrong = await run(load, id);
    operations.push({ id, kind, ...(wrong === undefined ? {} : { wrong }) });
  } catch (error) {
    operations.push({
      id,
      kind,
      unfinished: error instanceof Error ? error.message : String(error),
    });
  }
}

/** Asks for the outcome of durable calls once more, when everything works: it has to be the same as before. */
async function askAgain(load: Load): Promise<void> {
  const calls = new Map(
    load.recorder.answers
      .filter(({ tool }) => tool === "pay")
      .map(({ runId, callId, tool }): [string, CallId] => [
        `${runId}/${callId}`,
        { runId, callId, tool },
      ]),
  );
  const waiting = [...calls.values()].slice(-400);
  const ask = async (): Promise<void> => {
    for (let call = waiting.pop(); call !== undefined; call = waiting.pop()) {
      await load.askUntilFinal(call, { type: "call", ...call, arguments: {}, durable: true });
    }
  };
  await Promise.all([ask(), ask(), ask(), ask()]).catch((error: unknown) => {
    load.recorder.operations.push({ id: "final", kind: "durableRun", unfinished: String(error) });
  });
}
