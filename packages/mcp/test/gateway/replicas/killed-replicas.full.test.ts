import { setTimeout as wait } from "node:timers/promises";
import type { JsonObject } from "@toolweave/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { scenarioFailure, serverResults } from "../../../conformance-suite/server-results.ts";
import { readText } from "../../support/open-gateway.ts";
import { cluster, suiteCluster } from "../../support/replicas/cluster.ts";
import { killInTurn, type Killing, type ReplicaHandle } from "@toolweave/test-support/replicas";
import {
  clientKinds,
  plainClient,
  type ClientKind,
  type Seen,
} from "@toolweave/test-support/mcp-client";

const killEveryMs = 5_000;

/** Kills one replica after another, and starts it again, until the test is done. */
function killUntilDone(replicas: readonly ReplicaHandle[]): Killing {
  const killing = killInTurn(replicas, killEveryMs);
  onTestFinished(() => killing.end());
  return killing;
}

describe("three gateways behind a load balancer, of which one is killed and started again every 5 seconds,", () => {
  it.each(["2025-11-25", "2026-07-28"])(
    "pass each scenario of the official suite of %s during which none was killed",
    async (revision) => {
      const { replicas, balancer, close } = await suiteCluster();
      onTestFinished(close);
      const { passed: scenarios } = await serverResults(revision, () =>
        Promise.resolve({ url: balancer.url, close: () => Promise.resolve() }),
      );
      expect(scenarios.length).toBeGreaterThan(20);
      const killing = killUntilDone(replicas);
      const failures: string[] = [];
      let interrupted = 0;
      let slow = 0;
      for (const scenario of scenarios) {
        for (let isRepeated = false; ;) {
          const wasKilled = killing.observe();
          const failure = await scenarioFailure(balancer.url, revision, scenario);
          if (failure === undefined) break;
          if (!wasKilled()) {
            if (isRepeated) {
              failures.push(failure);
              break;
            }
            // Some scenarios wait half a second for a response, which a busy machine exceeds.
            isRepeated = true;
            slow += 1;
            continue;
          }
          // Its session or its call may have been in the process that was killed: it is run again.
          interrupted += 1;
        }
      }
      await killing.end();
      process.stdout.write(
        `${revision}: ${scenarios.length} scenarios, ${killing.kills()} kills, ${interrupted} scenarios interrupted by a kill and run again, ${slow} others run again, ${balancer.interrupted()} connections lost, ${failures.length} failures\n`,
      );
      expect(failures).toEqual([]);
      expect(killing.kills()).toBeGreaterThan(1);
    },
  );

  it("give their clients no other error than 404 for a lost session, and those of requests that were in flight", async () => {
    const gateways = await cluster();
    onTestFinished(() => gateways.close());
    const killing = killUntilDone(gateways.replicas);
    const until = performance.now() + 60_000;
    const counts = { calls: 0, lostSessions: 0, inFlight: 0, mayHaveRun: 0 };
    const faults: string[] = [];
    let id = 0;

    /** True if the error is one that a kill explains. */
    const explains = ({ error }: Seen, killed: boolean): boolean => {
      const text = JSON.stringify(error);
      if (/"code":404|Session not found|HTTP 404/.test(text)) {
        counts.lostSessions += 1;
        return true;
      }
      if (!killed) return false;
      counts.inFlight += 1;
      return true;
    };

    const useOne = async (kind: ClientKind): Promise<void> => {
      while (performance.now() < until) {
        const wasKilled = killing.observe();
        const client = await plainClient(kind, { url: gateways.balancer.url }).catch(
          (error: unknown) => {
            if (!wasKilled()) faults.push(`${kind} cannot connect: ${String(error)}`);
            else counts.inFlight += 1;
          },
        );
        if (client === undefined) continue;
        let isLost = false;
        while (!isLost && performance.now() < until) {
          // Some sessions are idle when their process is killed.
          await wait(100);
          const wasKilledNow = killing.observe();
          const name = (id += 1) % 4 === 0 ? "ask" : "where";
          const seen = await client.request("tools/call", {
            name,
            arguments: { id: `killed-${id}` },
          });
          const { answer, error } = seen;
          counts.calls += 1;
          if (error !== undefined) {
            isLost = true;
            if (!explains(seen, wasKilledNow())) {
              faults.push(`${kind} ${name}: ${JSON.stringify(error)}`);
            }
          } else if ((answer as JsonObject)["isError"] === true) {
            if (readText(answer as JsonObject).includes("may have run")) counts.mayHaveRun += 1;
            else faults.push(`${kind} ${name}: ${readText(answer as JsonObject)}`);
          } else if (!/^[abc](: accept)?$/.test(readText(answer as JsonObject))) {
            faults.push(`${kind} ${name}: ${readText(answer as JsonObject)}`);
          }
        }
        await client.close().catch(() => {});
      }
    };
    await Promise.all(clientKinds.flatMap((kind) => [useOne(kind), useOne(kind)]));
    await killing.end();
    const runs = new Map<string, number>();
    for (const line of gateways.effects()) {
      const [, tool, call] = line.split(" ");
      runs.set(`${tool} ${call}`, (runs.get(`${tool} ${call}`) ?? 0) + 1);
    }
    const repeated = [...runs].filter(([, times]) => times > 1);
    process.stdout.write(
      `${killing.kills()} kills: ${JSON.stringify(counts)}, ${repeated.length} calls that ran twice, ${faults.length} faults\n`,
    );
    expect(faults).toEqual([]);
    expect(repeated).toEqual([]);
    expect(counts.calls).toBeGreaterThan(100);
  });
});
