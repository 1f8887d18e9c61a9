import { laterCalls, type LaterCall } from "../calling/cancelled-calls.ts";
import { countOf } from "../calling/effect-count.ts";
import { outcomeLabel } from "../execution/outcome.ts";
import { callLabel, executorOver, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { messageOf, notApplicable } from "../contract/finding.ts";
import { described, checkEach, type Fault } from "../reading/check-each.ts";
import { once } from "../context/once.ts";
import { StopWatch } from "../watching/stop-watch.ts";

/** Milliseconds that an executor gives an attempt at most, unless its host says otherwise. */
const usualMaximum = 600_000;

/** Milliseconds that a slow call is given. */
const timeoutMs = 10;

/** What a timeout does. */
export const timeoutChecks: readonly Check[] = [
  check("TW-TIMEOUT-001", async (context) => {
    const { calls } = await overdueCalls(context);
    const done = `Gave each slow call ${timeoutMs} ms`;
    return checkEach(calls, done, ({ fault }) => fault);
  }),

  check("TW-TIMEOUT-002", async (context) => {
    const { calls } = await overdueCalls(context);
    const counted = calls.filter(({ grown }) => grown !== undefined);
    if (counted.length === 0) return notApplicable("No slow sample call has a count.");
    const done = "Let calls take too long and waited whether their effects come all the same";
    return checkEach(counted, done, ({ grown }) =>
      grown === 0 ? undefined : { wrong: "has its effect after its time was up", seen: grown },
    );
  }),

  check("TW-TIMEOUT-003", async (context) => {
    const { after } = await overdueCalls(context);
    return checkEach(
      after,
      "Let calls take too long, and made others afterwards",
      ({ wrong, seen }) => (wrong === undefined ? undefined : { wrong, seen }),
    );
  }),

  check("TW-TIMEOUT-004", async (context) => {
    const { tools } = await context.subject();
    return checkEach(described(tools), "Read each tool's timeout", ({ spec }) => {
      const own: unknown = spec.timeoutMs;
      return typeof own !== "number" || own <= usualMaximum
        ? undefined
        : {
            wrong: `asks for ${own} ms, and executors give no more than ${usualMaximum} ms`,
            seen: own,
          };
    });
  }),
];

interface OverdueCall {
  readonly label: string;
  readonly fault: Fault | undefined;
  /** How much its effect has grown meanwhile; absent: nobody counts it. */
  readonly grown?: number;
}

/** Lets every slow call take too long, and makes calls afterwards. Done once for all the rules. */
function overdueCalls(
  context: CheckContext,
): Promise<{ readonly calls: readonly OverdueCall[]; readonly after: readonly LaterCall[] }> {
  return once(context, "overdue calls", async () => {
    const tools = (await context.fresh()).callable();
    const samples = context.samples("slowCalls");
    const before = await Promise.all(samples.map((call) => countOf(context, call)));
    const faults: (Fault | undefined)[] = [];
    for (const call of samples) {
      const watch = new StopWatch(tools);
      const executor = executorOver(watch.tools);
      try {
        const outcome = await runSample(context, executor, call, { timeoutMs });
        if (outcome.status !== "failed" || outcome.error.code !== "timeout") {
          faults.push({ wrong: "takes too long and ends otherwise", seen: outcomeLabel(outcome) });
          continue;
        }
        const late = await watch.goesOn();
        faults.push(
          late === undefined ? undefined : { wrong: "goes on after its time is up", seen: late },
        );
      } catch (error) {
        faults.push({ wrong: "does not end when its time is up", seen: messageOf(error) });
      }
    }
    await context.quiet();
    const grown = await Promise.all(
      samples.map(async (call, index) => {
        const [now, then] = [await countOf(context, call), before[index]];
        return now === undefined || then === undefined ? {} : { grown: now - then };
      }),
    );
    const after = await laterCalls(context, tools, "after another call has taken too long");
    const calls = samples.map((call, index) => ({
      label: callLabel(call),
      fault: faults[index],
      ...grown[index],
    }));
    return { calls, after };
  });
}
