import { once } from "node:events";
import { clientKinds } from "@toolweave/test-support/mcp-client";
import type { ReplicaHandle, Replicas } from "@toolweave/test-support/replicas";
import { createRandom } from "../cluster/random.ts";
import type { ClientError } from "../history/history.ts";
import { Recorder } from "../history/recorder.ts";
import { GatewayClient } from "../operations/gateway-client.ts";
import type { Disturbance } from "../operations/gateway-latencies.ts";
import * as operations from "../operations/gateway-load.ts";
import type { GatewayLoad, RunGatewayOperation } from "../operations/gateway-load.ts";
import { task } from "../operations/gateway-tasks.ts";
import type { DrainTimes } from "../worker/gateway-settings.ts";
import { inLongRun, waitFor } from "./load-kinds.ts";
import type { ScenarioRun } from "./scenario.ts";

/** Milliseconds that operations have to end after the faults. */
const drainMs = 90_000;

/** The number of clients of each kind. */
const clientsOfKind = 4;

const kinds: Readonly<Record<string, RunGatewayOperation>> = {
  payment: operations.payment,
  question: operations.question,
  approval: operations.approval,
  task,
};

/** The results of the load and of the faults. */
export interface DrivenGateways extends Pick<
  GatewayLoad,
  "recorder" | "cancels" | "waits" | "tasks"
> {
  readonly errors: readonly ClientError[];
  readonly kills: number;
  /** The number of gateways that were stopped with SIGTERM. */
  readonly drains: number;
  /** From each time when a gateway was killed, or had drained, until it has started again. */
  readonly disturbances: readonly Disturbance[];
}

/**
 * Runs clients of the gateways, and ends the gateways meanwhile.
 *
 * @param toName returns the name of the last process at an address.
 */
export async function driveGateways(
  run: ScenarioRun,
  { replicas, balancer }: Replicas,
  toName: (index: number) => string,
  drain: DrainTimes,
): Promise<DrivenGateways> {
  const { end, seed, signal } = run;
  const errors: ClientError[] = [];
  const report = (error: ClientError): void => void errors.push(error);
  const late = new AbortController();
  const load: GatewayLoad = {
    ...{ recorder: new Recorder(), report, tasks: [], cancels: [], waits: [] },
    random: createRandom(seed),
    gateways: replicas.map(({ url }, index) => ({ url, name: () => toName(index) })),
    deadline: AbortSignal.any([late.signal, signal]),
  };
  const loadOver = new AbortController();
  const faults = new GatewayFaults(replicas, toName, drain, load.recorder);
  const ending = faults.run(
    seed,
    inLongRun(run, 2_500, 500),
    AbortSignal.any([loadOver.signal, signal]),
  );
  const until = "seconds" in end ? performance.now() + end.seconds * 1_000 : Infinity;
  let begun = 0;
  const isOver = (): boolean =>
    signal.aborted ||
    ("seconds" in end
      ? performance.now() >= until
      : begun >= end.operations && faults.kills + faults.drains >= end.faults);
  const use = async (client: GatewayClient): Promise<void> => {
    while (!isOver()) await runOperation(load, client, `run_${++begun}`);
  };
  const clients = Array.from({ length: clientsOfKind }, () => clientKinds)
    .flat()
    .map((kind) => new GatewayClient(kind, balancer.url, report, load.deadline));
  const using = Promise.all(clients.map(use));
  let timer: NodeJS.Timeout | undefined;
  try {
    while (!isOver() && (await waitFor(20, signal)));
    loadOver.abort();
    // Operations that have begun end after the faults. If these have failed, they may never end.
    timer = setTimeout(() => late.abort(), drainMs);
    await ending;
    await using;
  } finally {
    clearTimeout(timer);
    late.abort();
    await Promise.all(clients.map((client) => client.close()));
  }
  const { kills, drains, disturbances } = faults;
  return { ...load, errors, kills, drains, disturbances };
}

async function runOperation(load: GatewayLoad, client: GatewayClient, id: string): Promise<void> {
  const { random, recorder } = load;
  const kind = random.pick(Object.keys(kinds));
  try {
    const wrong = await kinds[kind]?.(load, client, id);
    recorder.operations.push({ id, kind, ...(wrong === undefined ? {} : { wrong }) });
  } catch (error) {
    const unfinished = error instanceof Error ? error.message : String(error);
    recorder.operations.push({ id, kind, unfinished });
  }
}

/** Ends one gateway after another, and starts it again: two with SIGKILL, then one with SIGTERM. */
class GatewayFaults {
  kills = 0;
  drains = 0;
  readonly disturbances: { from: number; until: number }[] = [];
  readonly #replicas: readonly ReplicaHandle[];
  readonly #toName: (index: number) => string;
  readonly #drain: DrainTimes;
  readonly #recorder: Recorder;

  constructor(
    replicas: readonly ReplicaHandle[],
    toName: (index: number) => string,
    drain: DrainTimes,
    recorder: Recorder,
  ) {
    this.#replicas = replicas;
    this.#toName = toName;
    this.#drain = drain;
    this.#recorder = recorder;
  }

  /** Resolves when the last gateway that has ended runs again. */
  async run(seed: number, everyMs: number, signal: AbortSignal): Promise<void> {
    const random = createRandom(seed + 1);
    for (let number = 1; await waitFor(everyMs * random.between(0.8, 1.2), signal); number++) {
      const index = Math.floor(random.between(0, this.#replicas.length));
      const replica = this.#replicas[index] as ReplicaHandle;
      await (number % 3 === 0 ? this.#stop(replica, index) : this.#kill(replica, index));
      await replica.restart();
      const disturbance = this.disturbances.at(-1);
      if (disturbance !== undefined) disturbance.until = Date.now();
    }
  }

  /** Records that a gateway ends from now on; the returned function records that it has ended. */
  #beginEnd(kind: "kill" | "drain", index: number): () => void {
    this.disturbances.push({ from: Date.now(), until: Infinity });
    return this.#recorder.beginFault(kind, this.#toName(index));
  }

  async #kill(replica: ReplicaHandle, index: number): Promise<void> {
    this.kills += 1;
    const ended = this.#beginEnd("kill", index);
    await replica.kill();
    ended();
  }

  /**
   * The fault begins when the gateway has had its time to drain: before, it explains no error. It ends when the gateway
   * has closed its connections.
   */
  async #stop(replica: ReplicaHandle, index: number): Promise<void> {
    this.drains += 1;
    const { signal: never } = new AbortController();
    const closed = once(replica.process, "message");
    const stopped = replica.stop();
    await Promise.race([stopped, waitFor(this.#drain.delayMs - 50, never)]);
    const ended = this.#beginEnd("drain", index);
    await Promise.race([closed, stopped]);
    ended();
    await stopped;
  }
}
