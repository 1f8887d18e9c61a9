import type { Tool } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { messageOf } from "../contract/finding.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { once } from "../context/once.ts";
import { countOf } from "./effect-count.ts";
import { outcomeLabel, succeeded } from "../execution/outcome.ts";
import { RunningCall, underWay } from "./running-call.ts";
import { callLabel, executorOver, runSample } from "../execution/sample-run.ts";

/** A call that was made after others were cancelled. */
export interface LaterCall {
  readonly label: string;
  /** What is wrong, as the end of a sentence. */
  readonly wrong?: string;
  readonly seen?: string;
}

/** What became of a slow call that was cancelled while it ran. */
interface CancelledCall {
  readonly label: string;
  /** How much its effect has grown meanwhile; absent: nobody counts it. */
  readonly grown?: number;
  /** What became of the same call beside it; absent: they cannot run at the same time. */
  readonly other?: string;
  /** The same call afterwards; absent: the first had ended before it was cancelled. */
  readonly again?: LaterCall;
}

/** What is found out by cancelling every slow sample call once. */
interface CancelledCalls {
  readonly calls: readonly CancelledCall[];
  /** The succeeding calls afterwards. */
  readonly after: readonly LaterCall[];
}

/**
 * Makes every slow call twice, side by side, cancels the first of them, and makes calls afterwards.
 * Done once for all the rules.
 */
export function cancelledCalls(context: CheckContext): Promise<CancelledCalls> {
  return once(context, "cancelled calls", async () => {
    const tools = (await context.fresh()).callable();
    const pairs = await Promise.all(
      context.samples("slowCalls").map(async (call, index) => ({
        call,
        before: await countOf(context, call),
        first: new RunningCall(context, executorOver(tools), call, `first ${index}`),
        other: new RunningCall(context, executorOver(tools), call, `other ${index}`),
      })),
    );
    await underWay();
    const began = pairs.map(({ first, other }) => ({
      first: first.came === undefined,
      other: other.came === undefined,
    }));
    await Promise.all(pairs.map(({ first }) => first.cancel()));
    await context.quiet();
    const seen = await Promise.all(
      pairs.map(async ({ call, before, other }, index) => ({
        call,
        began: began[index]?.first === true,
        // One that had ended by itself was not disturbed.
        beside: began[index]?.first === true && began[index]?.other === true,
        other: other.came,
        after: await countOf(context, call),
        before,
      })),
    );
    await Promise.all(pairs.map(({ other }) => other.cancel()));
    const after = await laterCalls(context, tools, "after others were cancelled");
    const again = await Promise.all(
      seen.map(({ call, began }) => (began ? cancelAgain(context, tools, call) : undefined)),
    );
    const calls = seen.map(({ call, beside, other, before, after }, index) => ({
      label: callLabel(call),
      ...(before === undefined || after === undefined ? {} : { grown: after - before }),
      ...(beside ? { other: other === undefined ? "runs on" : outcomeLabel(other) } : {}),
      ...(again[index] === undefined ? {} : { again: again[index] }),
    }));
    return { calls, after };
  });
}

/** Makes the succeeding calls, one after the other. */
export async function laterCalls(
  context: CheckContext,
  tools: readonly Tool[],
  when: string,
): Promise<readonly LaterCall[]> {
  const executor = executorOver(tools);
  const made: LaterCall[] = [];
  for (const call of context.samples("succeedingCalls")) {
    const label = callLabel(call);
    const came = await runSample(context, executor, call).catch(messageOf);
    if (succeeded(came) === undefined) {
      const what = typeof came === "string" ? "does not end" : "fails";
      made.push({ label, wrong: `${what} ${when}`, seen: outcomeLabel(came) });
    } else made.push({ label });
  }
  return made;
}

async function cancelAgain(
  context: CheckContext,
  tools: readonly Tool[],
  call: SampleCall,
): Promise<LaterCall> {
  const label = callLabel(call);
  const running = new RunningCall(context, executorOver(tools), call, "again");
  await underWay();
  const { came } = running;
  await running.cancel();
  return came === undefined
    ? { label }
    : { label, wrong: "cannot be made again after it was cancelled", seen: outcomeLabel(came) };
}
