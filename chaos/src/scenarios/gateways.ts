import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresStore } from "@toolweave/postgres";
import { startReplicas, type Replicas } from "@toolweave/test-support/replicas";
import { findUnknownCalls } from "../checks/calls.ts";
import { checkHistory } from "../checks/check-history.ts";
import { checkGateways, type TaskCase } from "../checks/gateways.ts";
import { bundlePrograms } from "../cluster/bundle.ts";
import { startChild } from "../cluster/child-processes.ts";
import { groupBy, groupByCall, type Effect, type History } from "../history/history.ts";
import { measureLatencies } from "../operations/gateway-latencies.ts";
import type { AcceptedTask } from "../operations/gateway-load.ts";
import { endMarks, type DrainTimes, type GatewaySettings } from "../worker/gateway-settings.ts";
import { workerKey } from "../worker/messages.ts";
import { driveGateways } from "./drive-gateways.ts";
import { readEffectLog, readStoredState } from "./read-tables.ts";
import type { Scenario, ScenarioResult, ScenarioRun } from "./scenario.ts";
import { withPostgres } from "./with-postgres.ts";

/** G1: gateways behind a load balancer are killed, and stopped. */
export const killedGateways: Scenario = {
  id: "G1",
  summary: "kill -9, or SIGTERM, of one of 3 MCP gateways behind a load balancer every 2 to 3 s",
  run: (run) => withPostgres(run, {}, ({ url }) => runGateways(run, url)),
};

const leaseMs = 2_000;

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
    // In long runs, those of `toolweave serve`.
    const drain: DrainTimes =
      "seconds" in run.end
        ? { delayMs: 3_000, graceMs: 5_000 }
        : { delayMs: 1_000, graceMs: 1_000 };
    const store = { url, schema, leaseMs, effectLogPort: Number(log.ready), drain };
    const { replicas, toName } = await startGateways(bundle.worker, store);
    let isClosed = false;
    const close = async (): Promise<void> => {
      if (!isClosed) await replicas.close();
      isClosed = true;
    };
    closing.push(close);
    const driven = await driveGateways(run, replicas, toName, drain);
    await close();
    run.signal.throwIfAborted();
    const { recorder, errors } = driven;
    const isMark = ({ tool }: Effect): boolean => Object.values<string>(endMarks).includes(tool);
    const logged = readEffectLog(path).effects;
    const effects = logged.filter((effect) => !isMark(effect));
    const { audit, tables } = await readStoredState(url, schema, leaseMs);
    const tasks = await readTasks(url, schema, driven.tasks);
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
      text: "A gateway has ended by itself, or with an exit code other than 0.",
    }));
    const counts = [
      ...groupBy(recorder.operations, ({ kind }) => kind),
      ...groupBy(errors, ({ type }) => type),
    ];
    return {
      ...{ scenario: "G1", seed, restarts: driven.drains, kills: driven.kills },
      seconds: Math.round((performance.now() - started) / 100) / 10,
      operations: recorder.operations.length,
      effects: effects.length,
      lostAnswers: errors.length,
      unknowns: findUnknownCalls(recorder.answers).size,
      violations: [
        ...checkHistory(history),
        ...checkGateways({ ...recorder, effects, errors, tasks }),
        ...crashes,
      ],
      details: {
        ...Object.fromEntries(counts.map(([name, found]) => [name, found.length])),
        unknownTasks: tasks.filter(({ stored }) => stored?.lost === true).length,
        ...measureLatencies({ ...driven, marks: logged.filter(isMark) }),
      },
    };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/** Starts the gateways. `toName`: the name of the last process at an address. */
async function startGateways(
  program: string,
  settings: Omit<GatewaySettings, "name" | "port">,
): Promise<{ readonly replicas: Replicas; readonly toName: (index: number) => string }> {
  const starts = [0, 0, 0];
  const toName = (index: number): string => `gateway ${index + 1}.${starts[index]}`;
  const replicas = await startReplicas(program, (_folder, index, port) => {
    starts[index] = (starts[index] ?? 0) + 1;
    const gateway: GatewaySettings = { ...settings, name: toName(index), port };
    return [JSON.stringify(gateway)];
  });
  return { replicas, toName };
}

/** The tasks as the store has them, when everything has ended. */
async function readTasks(
  url: string,
  schema: string,
  accepted: readonly AcceptedTask[],
): Promise<readonly TaskCase[]> {
  const store = postgresStore({ connectionString: url, schema, key: workerKey });
  try {
    return await Promise.all(
      accepted.map(async (task) => ({ ...task, stored: await store.tasks.get(task.taskId) })),
    );
  } finally {
    store.close();
  }
}

/** The approvals of the calls that have an effect, as the audit has them: a call without one has the id "none". */
function findApprovals(effects: readonly Effect[], audit: History["audit"]): History["approvals"] {
  const approved = groupByCall(audit.filter(({ decision }) => decision === "approved"));
  return effects
    .filter(({ tool }) => tool === "transfer")
    .map(({ runId, callId, executed }) => {
      const [record] = approved.get(`${executed?.runId}/${executed?.callId}`) ?? [];
      return { runId, callId, interruptionId: record?.interruptionId ?? "none" };
    });
}
