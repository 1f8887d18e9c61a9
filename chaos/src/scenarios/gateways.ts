import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { clientKinds } from "@toolweave/test-support/mcp-client";
import { killInTurn, startReplicas, type Replicas } from "@toolweave/test-support/replicas";
import { findUnknownCalls } from "../checks/calls.ts";
import { checkHistory } from "../checks/check-history.ts";
import { checkClientErrors } from "../checks/client-errors.ts";
import { bundlePrograms, type Bundle } from "../cluster/bundle.ts";
import { startChild } from "../cluster/child-processes.ts";
import { createRandom } from "../cluster/random.ts";
import { groupBy, type ClientError, type Effect, type History } from "../history/history.ts";
import { Recorder } from "../history/recorder.ts";
import { GatewayClient } from "../operations/gateway-client.ts";
import { measureLatencies } from "../operations/gateway-latencies.ts";
import * as operations from "../operations/gateway-load.ts";
import type { GatewayLoad, GatewayUser } from "../operations/gateway-load.ts";
import { endMarks, type GatewaySettings } from "../worker/gateway-settings.ts";
import { inLongRun } from "./load-kinds.ts";
import { readEffectLog, readStoredState } from "./read-tables.ts";
import type { Scenario, ScenarioResult, ScenarioRun } from "./scenario.ts";
import { withPostgres } from "./with-postgres.ts";

/** G1: gateways behind a load balancer are killed. */
export const killedGateways: Scenario = {
  id: "G1",
  summary: "kill -9 of one of 3 MCP gateways behind a load balancer every 5 s",
  run: (run) => withPostgres(run, {}, ({ url }) => runGateways(run, url)),
};

const leaseMs = 2_000;
/** Milliseconds that operations have to end after the kills. */
const drainMs = 30_000;

const kinds = {
  payment: operations.payment,
  question: operations.question,
  approval: operations.approval,
  task: operations.task,
};

async function runGateways(run: ScenarioRun, url: string): Promise<ScenarioResult> {
  const { seed } = run;
  const started = performance.now();
  const schema = `chaos_g1_${seed}_${process.pid}`;
  const folder = mkdtempSync(join(tmpdir(), "toolweave-chaos-log-"));
  const path = join(folder, "effects.ndjson");
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const bundle = await bundlePrograms("worker/gateway.ts");
    closing.push(bundle.remove);
    const log = await startChild(bundle.effectLog, [path]);
    closing.push(() => log.process.kill("SIGKILL"));
    const starts = [0, 0, 0];
    const toName = (index: number): string => `gateway ${index + 1}.${starts[index]}`;
    const replicas = await startGateways(bundle, (index, port) => {
      starts[index] = (starts[index] ?? 0) + 1;
      const store = { url, schema, leaseMs, effectLogPort: Number(log.ready) };
      return { name: toName(index), port, ...store };
    });
    let isClosed = false;
    const close = async (): Promise<void> => {
      if (!isClosed) await replicas.close();
      isClosed = true;
    };
    closing.push(close);
    const driven = await drive(run, replicas, toName);
    await close();
    run.signal.throwIfAborted();
    const { recorder, errors } = driven;
    const isMark = ({ tool }: Effect): boolean => Object.values<string>(endMarks).includes(tool);
    const logged = readEffectLog(path).effects;
    const effects = logged.filter((effect) => !isMark(effect));
    const { audit, tables } = await readStoredState(url, schema, leaseMs);
    const history: History = {
      ...recorder,
      ...{ effects, audit, tables, budgets: [], secrets: [] },
      // A request may have been at any gateway, and a call at another one.
      faults: recorder.faults.map(({ kind, from, until }) => ({ kind, from, until })),
      approvals: findApprovals(effects, audit),
      rate: { calls: Infinity, windowMs: 1_000 },
    };
    const crashes = Array.from({ length: replicas.crashes() }, () => ({
      invariant: "process",
      text: "A gateway has ended by itself.",
    }));
    const counts = [
      ...groupBy(recorder.operations, ({ kind }) => kind),
      ...groupBy(errors, ({ type }) => type),
    ];
    return {
      ...{ scenario: "G1", seed, restarts: 0, kills: driven.kills },
      seconds: Math.round((performance.now() - started) / 100) / 10,
      operations: recorder.operations.length,
      effects: effects.length,
      lostAnswers: errors.length,
      unknowns: findUnknownCalls(recorder.answers).size,
      violations: [
        ...checkHistory(history),
        ...checkClientErrors(errors, recorder.faults),
        ...crashes,
      ],
      details: {
        ...Object.fromEntries(counts.map(([name, found]) => [name, found.length])),
        ...measureLatencies({ ...driven, marks: logged.filter(isMark) }),
      },
    };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

function startGateways(
  { worker: gateway }: Bundle,
  toSettings: (index: number, port: number) => GatewaySettings,
): Promise<Replicas> {
  return startReplicas(gateway, (_folder, index, port) => [
    JSON.stringify(toSettings(index, port)),
  ]);
}

/** What the load and the kills have led to. */
interface Driven extends Pick<GatewayLoad, "recorder" | "cancels" | "waits"> {
  readonly errors: readonly ClientError[];
  readonly kills: number;
  /** From each kill until the gateway has started again. */
  readonly disturbances: readonly { readonly from: number; readonly until: number }[];
}

async function drive(
  run: ScenarioRun,
  { replicas, balancer }: Replicas,
  toName: (index: number) => string,
): Promise<Driven> {
  const { end, seed, signal } = run;
  const recorder = new Recorder();
  const errors: ClientError[] = [];
  const disturbances: { from: number; until: number }[] = [];
  const over = new AbortController();
  const deadline = AbortSignal.any([over.signal, signal]);
  const load: GatewayLoad = {
    ...{ recorder, deadline, cancels: [], waits: [] },
    random: createRandom(seed),
  };
  const killing = killInTurn(replicas, inLongRun(run, 5_000, 1_000), (index) => {
    const ended = recorder.beginFault("kill", toName(index));
    const disturbance = { from: Date.now(), until: Infinity };
    disturbances.push(disturbance);
    return { ended, restarted: () => (disturbance.until = Date.now()) };
  });
  const until = "seconds" in end ? performance.now() + end.seconds * 1_000 : Infinity;
  let begun = 0;
  const isOver = (): boolean =>
    signal.aborted ||
    ("seconds" in end
      ? performance.now() >= until
      : begun >= end.operations && killing.kills() >= end.faults);
  const report = (error: ClientError): void => void errors.push(error);
  const use = async (user: GatewayUser): Promise<void> => {
    while (!isOver()) {
      // The SDK's client of 2026-07-28 refuses the result of a call that continues as a task.
      const possible = Object.keys(kinds).filter(
        (kind) => kind !== "task" || !user.client.isModern,
      );
      const kind = load.random.pick(possible) as keyof typeof kinds;
      await runOperation(load, user, kind, `run_${++begun}`);
    }
    await Promise.all([user.client.close(), user.other.close()]);
  };
  // A task of a session is known in that session alone.
  const users = [...clientKinds, ...clientKinds].map((kind): GatewayUser => {
    const client = new GatewayClient(kind, balancer.url, report, deadline);
    return { client, other: client };
  });
  const using = Promise.all(users.map(use));
  let timer: NodeJS.Timeout | undefined;
  try {
    if ("seconds" in end) {
      timer = setTimeout(() => over.abort(), end.seconds * 1_000 + drainMs);
      await Promise.race([using, endOf(end.seconds * 1_000, signal)]);
      await killing.end();
    }
    await using;
  } finally {
    await killing.end();
    clearTimeout(timer);
    over.abort();
  }
  return { ...load, errors, disturbances, kills: killing.kills() };
}

async function endOf(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}

async function runOperation(
  load: GatewayLoad,
  user: GatewayUser,
  kind: keyof typeof kinds,
  id: string,
): Promise<void> {
  const { operations: all } = load.recorder;
  try {
    const wrong = await kinds[kind](load, user, id);
    all.push({ id, kind, ...(wrong === undefined ? {} : { wrong }) });
  } catch (error) {
    all.push({ id, kind, unfinished: error instanceof Error ? error.message : String(error) });
  }
}

/** The approvals of the calls that have an effect, as the audit has them: a call without one has the id "none". */
function findApprovals(effects: readonly Effect[], audit: History["audit"]): History["approvals"] {
  return effects
    .filter(({ tool }) => tool === "transfer")
    .map(({ runId, callId, executed }) => {
      const record = audit.find(
        (one) =>
          one.decision === "approved" &&
          one.runId === executed?.runId &&
          one.callId === executed.callId,
      );
      return { runId, callId, interruptionId: record?.interruptionId ?? "none" };
    });
}
