import { describe, expect, test } from "vitest";
import type { Tool } from "@toolweave/core";
import { memoryLedger } from "@toolweave/core/stores";
import { executorFor, tool } from "../support/executor-for.ts";
import { key } from "../support/pending-call-stores.ts";
import { TestSource } from "../support/test-source.ts";

/** Makes the call twice, each time in another process: a helper that pays through another tool. */
async function madeTwice({ id = "1", delegates = true, trusted = true } = {}) {
  const ledger = memoryLedger();
  let starts = 0;
  let payments = 0;
  const helper: Tool = {
    ...tool("helper", async (_, ctx) => {
      starts += 1;
      await ctx.scope.execute({ id: "pay_1", name: "pay", arguments: {} });
      return `start ${starts}`;
    }),
    delegates,
  };
  const pay = tool("pay", () => ++payments);
  const tools = trusted ? [helper, pay] : [new TestSource("foreign", [helper, pay])];
  for (let time = 0; time < 2; time++) {
    const executor = executorFor(tools, { ledger, key, policy: "autonomous" });
    await executor.registry.ready;
    const isJournaled = (callId: string): boolean => callId === "1";
    const run = executor.startRun({ id: "run", durable: { isJournaled } });
    await run.execute({ id, name: "helper", arguments: {} });
  }
  return { starts, payments };
}

describe("a call of a durable run whose tool stores its own progress", () => {
  test("starts again, and the calls that it makes do not", async () => {
    expect(await madeTwice()).toEqual({ starts: 2, payments: 1 });
  });

  test("starts once if the host has not named it, or its tool does not delegate", async () => {
    expect(await madeTwice({ id: "2" })).toEqual({ starts: 1, payments: 1 });
    expect(await madeTwice({ delegates: false })).toEqual({ starts: 1, payments: 1 });
  });

  test("starts once if its source is not trusted", async () => {
    expect((await madeTwice({ trusted: false })).starts).toBe(1);
  });
});
