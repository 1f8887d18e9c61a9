import { makeLaterCalls, type LaterCall } from "../../calls/cancelled-calls.ts";
import { countEffects } from "../../calls/effect-count.ts";
import { formatOutcome } from "../../execution/call-result.ts";
import { formatCall, createExecutor, runSample } from "../../execution/run-sample.ts";
import { defineCheck, memoizePerRun, type Check, type CheckContext } from "../../context/check.ts";
import { formatError, notApplicable, type Fault } from "../../contract/finding.ts";
import { withReadableSpec, checkEach } from "../../faults/check-each.ts";
import { ToolObserver } from "../../observation/tool-observer.ts";

/** The default maximum timeout of an executor in milliseconds. */
const maxTimeoutMs = 600_000;

/** The timeout of a slow call in milliseconds. */
const timeoutMs = 10;

/** Checks of timeouts. */
export const timeoutChecks: readonly Check[] = [
  defineCheck("TW-TIMEOUT-001", async (context) => {
    const { calls } = await makeOverdueCalls(context);
    const done = `Made each slow call with a timeout of ${timeoutMs} ms`;
    return checkEach(calls, done, ({ fault }) => fault);
  }),

  defineCheck("TW-TIMEOUT-002", async (context) => {
    const { calls } = await makeOverdueCalls(context);
    const counted = calls.filter(({ newEffects }) => newEffects !== undefined);
    if (counted.length === 0) return notApplicable("No slow sample call has a count.");
    const done = "Let calls time out and waited for their effects";
    return checkEach(counted, done, ({ newEffects }) =>
      newEffects === 0
        ? undefined
        : { wrong: "has its effect after its timeout", seen: newEffects },
    );
  }),

  defineCheck("TW-TIMEOUT-003", async (context) => {
    const { after } = await makeOverdueCalls(context);
    return checkEach(
      after,
      "Let calls time out and made other calls afterwards",
      ({ wrong, seen }) => (wrong === undefined ? undefined : { wrong, seen }),
    );
  }),

  defineCheck("TW-TIMEOUT-004", async (context) => {
    const { tools } = await context.subject();
    return checkEach(withReadableSpec(tools), "Read each tool's timeout", ({ spec }) => {
      const own: unknown = spec.timeoutMs;
      return typeof own !== "number" || own <= maxTimeoutMs
        ? undefined
        : {
            wrong: `has a timeout of ${own} ms, but executors allow at most ${maxTimeoutMs} ms`,
            seen: own,
          };
    });
  }),
];

interface OverdueCall {
  readonly label: string;
  readonly fault: Fault | undefined;
  /** How often its effect has happened meanwhile; absent if it is not counted. */
  readonly newEffects?: number;
}

/** Lets every slow call time out, and makes calls afterwards, once for all rules. */
function makeOverdueCalls(
  context: CheckContext,
): Promise<{ readonly calls: readonly OverdueCall[]; readonly after: readonly LaterCall[] }> {
  return memoizePerRun(context, "overdue calls", async () => {
    const tools = (await context.createReady()).callableTools();
    const samples = context.samples("slowCalls");
    const before = await Promise.all(samples.map((call) => countEffects(context, call)));
    const faults: (Fault | undefined)[] = [];
    for (const call of samples) {
      const watch = new ToolObserver(tools);
      const executor = createExecutor(watch.tools);
      try {
        const outcome = await runSample(context, executor, call, { timeoutMs });
        if (outcome.status !== "failed" || outcome.error.code !== "timeout") {
          faults.push({
            wrong: "exceeds its timeout, but does not end with timeout",
            seen: formatOutcome(outcome),
          });
          continue;
        }
        const late = await watch.waitForStop();
        faults.push(
          late === undefined ? undefined : { wrong: "continues after its timeout", seen: late },
        );
      } catch (error) {
        faults.push({ wrong: "does not end after its timeout", seen: formatError(error) });
      }
    }
    await context.waitQuietly();
    const newEffects = await Promise.all(
      samples.map(async (call, index) => {
        const [now, then] = [await countEffects(context, call), before[index]];
        return now === undefined || then === undefined ? {} : { newEffects: now - then };
      }),
    );
    const after = await makeLaterCalls(context, tools, "after another call timed out");
    const calls = samples.map((call, index) => ({
      label: formatCall(call),
      fault: faults[index],
      ...newEffects[index],
    }));
    return { calls, after };
  });
}
