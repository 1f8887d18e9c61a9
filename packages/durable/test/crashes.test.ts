import { describe, expect, test } from "vitest";
import type { ExecutorOptions } from "@toolweave/core";
import { inFullRun } from "@toolweave/test-support";
import { durableAgent, type DurableAgent } from "@toolweave/durable";
import { CrashingEngine, type CrashPoint } from "./support/crashing-engine.ts";
import { newOffice, openOffice, sharedStores, type Office } from "./support/office.ts";

const done = ["file case", "pay power", "pay rent", "send letter 0", "send letter 1"];
const turnsWithoutCrash = 7; // four of the director, three of the clerk

/** An agent whose process can crash; the next one shares its stores. */
function officeAgent(
  engine: CrashingEngine,
  office: Office,
  policy?: ExecutorOptions["policy"],
): DurableAgent {
  const stores = sharedStores();
  const define = (): DurableAgent =>
    durableAgent(engine, { name: "director", ...openOffice(office, stores, policy) });
  engine.restart = define;
  return define();
}

async function work(engine: CrashingEngine, office: Office) {
  const agent = officeAgent(engine, office);
  await agent.start("case_1", { prompt: "Settle the case." });
  const result = await agent.result("case_1");
  return { result, effects: [...office.effects].sort() };
}

/** Crashes once, the n-th time that a point is reached. */
function once(n: number, wanted?: CrashPoint): (point: CrashPoint) => boolean {
  let reached = 0;
  return (point) => (wanted === undefined || point === wanted) && (reached += 1) === n;
}

describe("a durable agent", () => {
  test("ends with every effect once, and one step for each turn and each call", async () => {
    const engine = new CrashingEngine();
    const office = newOffice();
    const { result, effects } = await work(engine, office);
    expect(result).toMatchObject({ status: "completed", text: "Done." });
    expect(effects).toEqual(done);
    expect(result.usage).toMatchObject({ turns: turnsWithoutCrash, toolCalls: 6 });
    expect(engine.attempts).toBe(1);
    expect(engine.ran).toEqual([
      "turn 1",
      "call a",
      "call b",
      "turn 2",
      "admit c",
      "c/turn 1",
      "call c/l",
      "c/turn 2",
      "call c/l_2",
      "c/turn 3",
      "call c",
      "turn 3",
      "call d",
      "turn 4",
    ]);
  });

  test("has every effect once, wherever its process crashes, and repeats at most one turn", async () => {
    for (let n = 1; ; n += inFullRun(1, 3)) {
      const engine = new CrashingEngine(once(n));
      const office = newOffice();
      const { result, effects } = await work(engine, office);
      expect(result, `crash ${n}`).toMatchObject({ status: "completed", text: "Done." });
      expect(effects, `crash ${n}`).toEqual(done);
      expect(office.turns.length - turnsWithoutCrash, `crash ${n}`).toBeLessThanOrEqual(1);
      // What was repeated is known to the result: a turn counts as often as its answer was stored, once.
      expect(result.usage.turns).toBe(turnsWithoutCrash);
      if (engine.attempts > 1) continue;
      expect(n).toBeGreaterThan(28);
      break;
    }
  });

  test("has every effect once if its process crashes before and after each step", async () => {
    const crashed = new Set<string>();
    const engine = new CrashingEngine((point, name) => {
      const at = `${point} ${name}`;
      return !crashed.has(at) && crashed.add(at) !== undefined;
    });
    const office = newOffice();
    const { result, effects } = await work(engine, office);
    expect(result).toMatchObject({ status: "completed", text: "Done." });
    expect(effects).toEqual(done);
    expect(office.turns).toHaveLength(2 * turnsWithoutCrash);
    expect(engine.attempts).toBeGreaterThan(20);
  });

  test("tells the model of a call that was cut off with its process that its outcome is unknown", async () => {
    for (const name of ["send", "file"]) {
      let crash = false;
      const engine = new CrashingEngine((point) => point === "after" && crash && !(crash = false));
      const office = newOffice();
      office.afterEffect = async (tool) => {
        if (tool !== name || office.effects.filter((one) => one.startsWith(name)).length > 1)
          return;
        crash = true;
        // The outcome is never stored: the process ends while the tool runs.
        throw new Error("the process has ended");
      };
      const stores = sharedStores();
      const { ledger } = stores;
      stores.ledger = {
        begin: (call) => ledger.begin(call),
        end: (claim, end) =>
          crash ? ledger.end(claim, { status: "unknown" }) : ledger.end(claim, end),
      };
      const define = () =>
        durableAgent(engine, { name: "director", ...openOffice(office, stores) });
      engine.restart = define;
      const agent = define();
      await agent.start("case_1", { prompt: "Settle the case." });
      const result = await agent.result("case_1");
      expect(result.status).toBe("completed");
      expect([...office.effects].sort()).toEqual(done);
      expect(office.read.filter((text) => /outcome is not known/.test(text))).toHaveLength(1);
    }
  });
});
