import type { CallOptions, ToolExecutor } from "@toolweave/core";
import { isAlwaysSame } from "../calling/always-same.ts";
import { countOf, grownBy } from "../calling/effect-count.ts";
import {
  answerText,
  isThrottled,
  outcomeLabel,
  succeeded,
  type CallResult,
} from "../execution/outcome.ts";
import { callLabel, executorOver, labelled, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, messageOf, notApplicable, passed, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import type { EffectCall, SampleCall } from "../contract/manifest.ts";
import { once } from "../context/once.ts";
import { drawn } from "../schema/drawn.ts";
import { StopWatch } from "../watching/stop-watch.ts";

/** How many calls run side by side, at least and at most. */
const fewest = 8;
const most = 40;
/** A slow call that ends sooner than this after another was made has held up nothing. */
const noticeableMs = 500;

/** What calls do to each other that run at the same time. */
export const concurrencyChecks: readonly Check[] = [
  check("TW-CONC-001", async (context) => {
    const executor = executorOver((await context.fresh()).callable());
    const calls = sideBySide(context.samples("succeedingCalls"));
    const made = await Promise.all(
      calls.map((call, index) => make(context, executor, call, `call ${index}`)),
    );
    return checkEach(made, "Made the succeeding calls side by side", failureOf);
  }),

  check("TW-CONC-002", async (context) => {
    const executor = executorOver((await context.fresh()).callable());
    return compare(context, async (calls) =>
      Promise.all(
        sideBySide(calls).map((call, index) => make(context, executor, call, `call ${index}`)),
      ),
    );
  }),

  check("TW-CONC-003", async (context) => {
    const executor = executorOver((await context.fresh()).callable());
    return compare(context, async (calls) =>
      Promise.all(calls.map((call) => make(context, executor, call, "call"))),
    );
  }),

  check("TW-CONC-004", async (context) => {
    const executor = executorOver((await context.fresh()).callable());
    const calls = labelled(context.samples("effectCalls"));
    return checkEach(calls, `Made each call once, and ${fewest} times side by side`, ({ call }) =>
      lostEffect(context, executor, call),
    );
  }),

  check("TW-CONC-005", async (context) => {
    const executor = executorOver((await context.fresh()).callable());
    const failing = context.samples("failingCalls");
    const succeeding = sideBySide(context.samples("succeedingCalls"));
    const half = Math.floor(succeeding.length / 2);
    // In the middle: what fails has calls before it and after it.
    const calls = [...succeeding.slice(0, half), ...failing, ...succeeding.slice(half)];
    const made = await Promise.all(
      calls.map((call, index) => make(context, executor, call, `call ${index}`)),
    );
    const others = made.filter(({ call }) => !failing.includes(call));
    return checkEach(others, "Made calls that fail and calls that succeed side by side", failureOf);
  }),

  check("TW-CONC-006", async (context) => {
    const one = executorOver((await context.fresh()).callable());
    const other = executorOver((await context.fresh()).callable());
    return compare(context, async (calls) =>
      Promise.all(
        sideBySide(calls).flatMap((call, index) => [
          make(context, one, call, `call ${index}`),
          make(context, other, call, `call ${index}`),
        ]),
      ),
    );
  }),

  check("TW-CONC-007", async (context) => {
    const tools = (await context.fresh()).callable();
    for (const call of context.samples("slowCalls")) {
      const watch = new StopWatch(tools);
      const finding = await heldUp(context, executorOver(watch.tools), watch, call);
      if (finding !== undefined) return finding;
    }
    return passed("Made the succeeding calls beside each slow one.");
  }),
  check("TW-CONC-008", async (context) => {
    const tools = (await context.fresh()).callable();
    const calls = context.samples("effectCalls").map((call) => ({ call, label: callLabel(call) }));
    return checkEach(calls, "Made each call in two runs, with the same id", async ({ call }) => {
      const grown: number[] = [];
      for (let run = 0; run < 2; run++) {
        const before = await countOf(context, call);
        const { came } = await make(context, executorOver(tools), call, "call_0");
        // What becomes of it is for other rules to say.
        if (succeeded(came) === undefined) return undefined;
        grown.push(await grownBy(context, call, before));
      }
      return grown[0] !== 0 && grown[1] === 0
        ? {
            wrong:
              "has no effect when a call of another run has had the same id: ids are unique within a run alone",
            seen: grown,
          }
        : undefined;
    });
  }),
];

interface Made {
  readonly call: SampleCall;
  readonly label: string;
  readonly came: CallResult;
}

/** Each call twice, and as many in all as make a crowd. */
function sideBySide<Call extends SampleCall>(calls: readonly Call[]): readonly Call[] {
  const [first] = calls;
  if (first === undefined) return [];
  const count = Math.min(most, Math.max(fewest, 2 * calls.length));
  return Array.from({ length: count }, (_, index) => calls[index % calls.length] ?? first);
}

async function make(
  context: CheckContext,
  executor: ToolExecutor,
  call: SampleCall,
  id: string,
  options: CallOptions = {},
): Promise<Made> {
  const came = await runSample(context, executor, call, options, id).catch(messageOf);
  return { call, label: callLabel(call), came };
}

function failureOf({ came }: Made): Fault | undefined {
  if (succeeded(came) !== undefined || isThrottled(came)) return undefined;
  const what = typeof came === "string" ? "does not end" : "fails";
  return { wrong: `${what} when others run beside it`, seen: outcomeLabel(came) };
}

/** Compares what calls answer together with what they answer alone. */
async function compare(
  context: CheckContext,
  together: (calls: readonly SampleCall[]) => Promise<readonly Made[]>,
): Promise<Finding> {
  const alone = await answersAlone(context);
  if (alone.size === 0) return notApplicable("No sample call completed: see TW-CALL-002.");
  const made = await together([...alone.keys()]);
  const staysSame = sameAlone(context);
  return checkEach(made, "Compared what calls answer alone and side by side", async (one) => {
    const { call, came } = one;
    if (isThrottled(came)) return undefined;
    const answer = answerOf(one);
    const expected = alone.get(call);
    if (answer === expected) return undefined;
    // What changes by chance or with time, such as a date, is no other call's answer.
    if (answer !== undefined && !(await staysSame(call, expected))) return undefined;
    const seen = `${answer ?? outcomeLabel(came)} in place of ${expected}`;
    return { wrong: "is answered otherwise than alone", seen };
  });
}

/** What calls that succeed answer, one after the other. */
function answersAlone(context: CheckContext): Promise<ReadonlyMap<SampleCall, string>> {
  return once(context, "answers alone", async () => {
    const executor = executorOver((await context.fresh()).callable());
    const alone = new Map<SampleCall, string>();
    for (const call of drawn(context.samples("succeedingCalls"), most / 2, context.seed)) {
      const first = answerOf(await make(context, executor, call, "alone"));
      if (first !== undefined) alone.set(call, first);
    }
    return alone;
  });
}

/** Whether a call is always answered the same alone; found out once, and only when it is asked for. */
function sameAlone(
  context: CheckContext,
): (call: SampleCall, answer: string | undefined) => Promise<boolean> {
  const known = new Map<SampleCall, Promise<boolean>>();
  let executor: Promise<ToolExecutor> | undefined;
  const ask = async (call: SampleCall): Promise<string | undefined> => {
    executor ??= context.fresh().then((subject) => executorOver(subject.callable()));
    return answerOf(await make(context, await executor, call, "now"));
  };
  return (call, answer) => {
    const same = known.get(call) ?? isAlwaysSame(answer, () => ask(call));
    known.set(call, same);
    return same;
  };
}

/** `undefined` when it does not succeed. */
function answerOf({ came }: Made): string | undefined {
  return succeeded(came) === undefined ? undefined : answerText(came);
}

async function lostEffect(
  context: CheckContext,
  executor: ToolExecutor,
  call: EffectCall,
): Promise<Fault | undefined> {
  const count = (): Promise<number> => countOf(context, call);
  const start = await count();
  await make(context, executor, call, "alone");
  const each = await grownBy(context, call, start);
  const before = await count();
  const made = await Promise.all(
    Array.from({ length: fewest }, (_, index) => make(context, executor, call, `call ${index}`)),
  );
  const done = made.filter(({ came }) => succeeded(came) !== undefined).length;
  const expected = done * each;
  const grown = await grownBy(context, call, before, expected);
  // One that failed may have had its effect before.
  if (grown >= expected && grown <= fewest * each) return undefined;
  return {
    wrong: `has ${grown} effects when ${done} calls of it succeed side by side`,
    seen: `${each} alone, so that there should be ${expected}`,
  };
}

async function heldUp(
  context: CheckContext,
  executor: ToolExecutor,
  watch: StopWatch,
  slow: SampleCall,
): Promise<Finding | undefined> {
  const controller = new AbortController();
  const { signal } = controller;
  let ended = false;
  const running = make(context, executor, slow, "slow", { signal }).then(() => void (ended = true));
  await Promise.race([watch.started, running]);
  try {
    for (const [index, call] of context.samples("succeedingCalls").entries()) {
      const began = performance.now();
      const made = make(context, executor, call, `call ${index}`);
      await Promise.race([made, running]);
      // Either comes to its end here, since both have a deadline.
      if (!ended) continue;
      const waited = performance.now() - began;
      if (waited < noticeableMs) return undefined;
      // It may take its time by itself.
      controller.abort();
      await running;
      const again = performance.now();
      await make(context, executor, call, "alone");
      if (waited < noticeableMs + 2 * (performance.now() - again)) return undefined;
      const label = callLabel(slow);
      return failed(
        `${callLabel(call)} waits until ${label} has ended.`,
        `Made calls while ${label} was running.`,
        `no answer after ${Math.round(waited)} ms`,
      );
    }
    return undefined;
  } finally {
    controller.abort();
    await running;
  }
}
