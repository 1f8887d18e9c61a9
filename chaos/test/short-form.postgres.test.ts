import { describe, expect, inject, test } from "vitest";
import { killedGateways } from "../src/scenarios/gateways.ts";
import { approvals } from "../src/scenarios/network.ts";
import { killedWorkers } from "../src/scenarios/workers.ts";
import type { LoadEnd, Scenario, ScenarioResult } from "../src/scenarios/scenario.ts";

const postgresUrl = inject("postgresUrl");
const run = (scenario: Scenario, end: LoadEnd, signal: AbortSignal): Promise<ScenarioResult> =>
  scenario.run({ seed: 1, end, signal, postgresUrl: postgresUrl ?? "" });

describe.skipIf(postgresUrl === undefined)("with a shared PostgreSQL", () => {
  test("workers that are killed break no invariant", async ({ signal }) => {
    const result = await run(killedWorkers, { operations: 40, faults: 3 }, signal);
    expect(result.violations).toEqual([]);
    expect(result.kills).toBeGreaterThanOrEqual(3);
    expect(result.operations).toBeGreaterThanOrEqual(40);
    expect(result.effects).toBeGreaterThan(20);
  });

  test("gateways behind a load balancer that are killed and stopped break no invariant", async ({
    signal,
  }) => {
    const result = await run(killedGateways, { operations: 40, faults: 3 }, signal);
    expect(result.violations).toEqual([]);
    expect([result.kills >= 2, result.restarts >= 1]).toEqual([true, true]);
    expect(result.operations).toBeGreaterThanOrEqual(40);
    expect(result.effects).toBeGreaterThan(20);
  });

  test("50 approvals over 4 replicas, with 3 people each and lost answers, run once", async ({
    signal,
  }) => {
    const result = await run(approvals, { operations: 50, faults: 0 }, signal);
    expect(result.violations).toEqual([]);
    expect(result.operations).toBeGreaterThanOrEqual(50);
    expect(result.lostAnswers).toBeGreaterThan(0);
    expect(result.details?.["ranOnce"]).toBe(result.operations);
  });
});
