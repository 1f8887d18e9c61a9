import type { ToolExecutor } from "@toolweave/core";
import { isRateLimited, formatOutcome, successfulResult } from "../../execution/call-result.ts";
import {
  checkReadOnlyCalls,
  compareWithAlone,
  makeCall,
  minConcurrentCalls,
  repeatCalls,
  type MadeCall,
} from "../../calls/concurrent-results.ts";
import { countEffects, countNewEffects } from "../../calls/effect-count.ts";
import { formatCall, createExecutor, labelCalls } from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { failed, passed, type Finding, type Fault } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import type { EffectCall, SampleCall } from "../../contract/manifest.ts";
import { ToolObserver } from "../../observation/tool-observer.ts";

/** The minimum delay of a call that counts as caused by a slow call. */
const minDelayMs = 500;

/** Checks of concurrent calls. */
export const concurrencyChecks: readonly Check[] = [
  defineCheck("TW-CONC-001", async (context) => {
    const executor = createExecutor((await context.createReady()).callableTools());
    const calls = repeatCalls(context.samples("succeedingCalls"));
    const made = await Promise.all(
      calls.map((call, index) => makeCall(context, executor, call, `call ${index}`)),
    );
    return checkEach(made, "Made the succeeding calls concurrently", findFailure);
  }),

  defineCheck("TW-CONC-002", async (context) => {
    const readOnly = await checkReadOnlyCalls(context);
    if (readOnly?.status === "failed") return readOnly;
    const executor = createExecutor((await context.createReady()).callableTools());
    return compareWithAlone(context, async (calls) =>
      Promise.all(
        repeatCalls(calls).map((call, index) => makeCall(context, executor, call, `call ${index}`)),
      ),
    );
  }),

  defineCheck("TW-CONC-003", async (context) => {
    const executor = createExecutor((await context.createReady()).callableTools());
    return compareWithAlone(context, async (calls) =>
      Promise.all(calls.map((call) => makeCall(context, executor, call, "call"))),
    );
  }),

  defineCheck("TW-CONC-004", async (context) => {
    const executor = createExecutor((await context.createReady()).callableTools());
    const calls = labelCalls(context.samples("effectCalls"));
    return checkEach(
      calls,
      `Made each call once, and ${minConcurrentCalls} times concurrently`,
      ({ call }) => findLostEffect(context, executor, call),
    );
  }),

  defineCheck("TW-CONC-005", async (context) => {
    const executor = createExecutor((await context.createReady()).callableTools());
    const failing = context.samples("failingCalls");
    const succeeding = repeatCalls(context.samples("succeedingCalls"));
    const half = Math.floor(succeeding.length / 2);
    // Failing calls have succeeding calls before and after them.
    const calls = [...succeeding.slice(0, half), ...failing, ...succeeding.slice(half)];
    const made = await Promise.all(
      calls.map((call, index) => makeCall(context, executor, call, `call ${index}`)),
    );
    const others = made.filter(({ call }) => !failing.includes(call));
    return checkEach(others, "Made failing and succeeding calls concurrently", findFailure);
  }),

  defineCheck("TW-CONC-006", async (context) => {
    const one = createExecutor((await context.createReady()).callableTools());
    const other = createExecutor((await context.createReady()).callableTools());
    return compareWithAlone(context, async (calls) =>
      Promise.all(
        repeatCalls(calls).flatMap((call, index) => [
          makeCall(context, one, call, `call ${index}`),
          makeCall(context, other, call, `call ${index}`),
        ]),
      ),
    );
  }),

  defineCheck("TW-CONC-007", async (context) => {
    const tools = (await context.createReady()).callableTools();
    for (const call of context.samples("slowCalls")) {
      const watch = new ToolObserver(tools);
      const finding = await findDelayedCall(context, createExecutor(watch.tools), watch, call);
      if (finding !== undefined) return finding;
    }
    return passed("Made the succeeding calls during each slow one.");
  }),
  defineCheck("TW-CONC-008", async (context) => {
    const tools = (await context.createReady()).callableTools();
    const calls = context.samples("effectCalls").map((call) => ({ call, label: formatCall(call) }));
    return checkEach(calls, "Made each call in two runs, with the same id", async ({ call }) => {
      const newEffects: number[] = [];
      for (let run = 0; run < 2; run++) {
        const before = await countEffects(context, call);
        const { callResult } = await makeCall(context, createExecutor(tools), call, "call_0");
        // Other rules check the result.
        if (successfulResult(callResult) === undefined) return undefined;
        newEffects.push(await countNewEffects(context, call, before));
      }
      return newEffects[0] !== 0 && newEffects[1] === 0
        ? {
            wrong:
              "has no effect if a call of another run had the same id: ids are unique only within a run",
            seen: newEffects,
          }
        : undefined;
    });
  }),
];

function findFailure({ callResult }: MadeCall): Fault | undefined {
  if (successfulResult(callResult) !== undefined || isRateLimited(callResult)) return undefined;
  const what = typeof callResult === "string" ? "does not end" : "fails";
  return {
    wrong: `${what} when other calls run at the same time`,
    seen: formatOutcome(callResult),
  };
}

async function findLostEffect(
  context: CheckContext,
  executor: ToolExecutor,
  call: EffectCall,
): Promise<Fault | undefined> {
  const count = (): Promise<number> => countEffects(context, call);
  const start = await count();
  await makeCall(context, executor, call, "alone");
  const each = await countNewEffects(context, call, start);
  const before = await count();
  const made = await Promise.all(
    Array.from({ length: minConcurrentCalls }, (_, index) =>
      makeCall(context, executor, call, `call ${index}`),
    ),
  );
  const done = made.filter(({ callResult }) => successfulResult(callResult) !== undefined).length;
  const expected = done * each;
  const newEffects = await countNewEffects(context, call, before, expected);
  // A failed call may have had its effect before it failed.
  if (newEffects >= expected && newEffects <= minConcurrentCalls * each) return undefined;
  return {
    wrong: `has ${newEffects} effects when ${done} concurrent calls of it succeed`,
    seen: `${each} alone, so ${expected} are expected`,
  };
}

/** The number of attempts to make a call alone. */
const maxAttempts = 5;

/** True if a call alone ends in time in one of several attempts: a busy machine can delay any of them. */
async function endsAloneWithin(
  maxMs: number,
  context: CheckContext,
  executor: ToolExecutor,
  call: SampleCall,
): Promise<boolean> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const began = performance.now();
    const { callResult } = await makeCall(context, executor, call, `alone ${attempt}`);
    if (typeof callResult !== "string" && performance.now() - began <= maxMs) return true;
  }
  return false;
}

async function findDelayedCall(
  context: CheckContext,
  executor: ToolExecutor,
  watch: ToolObserver,
  slow: SampleCall,
): Promise<Finding | undefined> {
  const controller = new AbortController();
  const { signal } = controller;
  const running = makeCall(context, executor, slow, "slow", { signal });
  // A slow call that exceeds its deadline continues to run until it is aborted.
  const slowEnded = running.then(({ callResult }) =>
    typeof callResult === "string" ? new Promise<never>(() => {}) : undefined,
  );
  await Promise.race([watch.started, running]);
  try {
    for (const [index, call] of context.samples("succeedingCalls").entries()) {
      const began = performance.now();
      const made = makeCall(context, executor, call, `call ${index}`);
      const first = await Promise.race([made, slowEnded]);
      const endedInTime = first !== undefined && typeof first.callResult !== "string";
      if (endedInTime) continue;
      const waited = performance.now() - began;
      if (waited < minDelayMs) return undefined;
      // The call itself may be slow.
      controller.abort();
      await running;
      const maxAloneMs = (waited - minDelayMs) / 2;
      if (!(await endsAloneWithin(maxAloneMs, context, executor, call))) return undefined;
      const label = formatCall(slow);
      return failed(
        `${formatCall(call)} waits until ${label} ends.`,
        `Made calls while ${label} was running.`,
        `no result after ${Math.round(waited)} ms`,
      );
    }
    return undefined;
  } finally {
    controller.abort();
    await running;
  }
}
