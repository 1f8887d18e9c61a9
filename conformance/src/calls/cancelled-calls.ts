import type { Tool } from "@toolweave/core";
import { memoizePerRun, type CheckContext } from "../context/check.ts";
import { formatError } from "../contract/finding.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { countEffects, waitForEffects } from "./effect-count.ts";
import { formatOutcome, successfulResult } from "../execution/call-result.ts";
import { RunningCall, waitUntilRunning } from "./running-call.ts";
import { formatCall, createExecutor, runSample } from "../execution/run-sample.ts";

/** A call that was made after other calls were cancelled. */
export interface LaterCall {
  readonly label: string;
  /** The problem, as the end of a sentence. */
  readonly wrong?: string;
  readonly seen?: string;
}

/** The observations of a slow call that was cancelled while it ran. */
interface CancelledCall {
  readonly label: string;
  /** How often its effect has happened meanwhile; absent if it is not counted. */
  readonly newEffects?: number;
  /** The result of a concurrent copy of the call; absent if they cannot run at the same time. */
  readonly other?: string;
  /** The repetition of the call; absent if the call had ended before it was cancelled. */
  readonly again?: LaterCall;
}

/** The observations after every slow sample call was cancelled once. */
interface CancelledCalls {
  readonly calls: readonly CancelledCall[];
  /** The succeeding calls afterwards. */
  readonly after: readonly LaterCall[];
}

/**
 * Makes every slow call twice concurrently, cancels the first of each, and makes more calls
 * afterwards. Done once for all rules.
 */
export function cancelSlowCalls(context: CheckContext): Promise<CancelledCalls> {
  return memoizePerRun(context, "cancelled calls", async () => {
    const tools = (await context.createReady()).callableTools();
    const pairs = await Promise.all(
      context.samples("slowCalls").map(async (call, index) => ({
        call,
        before: await countEffects(context, call),
        first: new RunningCall(context, createExecutor(tools), call, `first ${index}`),
        other: new RunningCall(context, createExecutor(tools), call, `other ${index}`),
      })),
    );
    await waitUntilRunning();
    for (const { call } of pairs) {
      await context.withDeadline(Promise.resolve(call.started?.()), "started()");
    }
    const began = pairs.map(({ first, other }) => ({
      first: first.callResult === undefined,
      other: other.callResult === undefined,
    }));
    await Promise.all(pairs.map(({ first }) => first.cancel()));
    await context.waitQuietly();
    const others = pairs.map(({ other }) => other.callResult);
    await Promise.all(pairs.map(({ other }) => other.cancel()));
    await waitForEffects(context);
    const seen = await Promise.all(
      pairs.map(async ({ call, before }, index) => ({
        call,
        began: began[index]?.first === true,
        // A call that had ended by itself was not affected.
        beside: began[index]?.first === true && began[index]?.other === true,
        other: others[index],
        after: await countEffects(context, call),
        before,
      })),
    );
    const after = await makeLaterCalls(context, tools, "after others were cancelled");
    const again = await Promise.all(
      seen.map(({ call, began }) => (began ? cancelAgain(context, tools, call) : undefined)),
    );
    const calls = seen.map(({ call, beside, other, before, after }, index) => ({
      label: formatCall(call),
      ...(before === undefined || after === undefined ? {} : { newEffects: after - before }),
      ...(beside ? { other: other === undefined ? "runs on" : formatOutcome(other) } : {}),
      ...(again[index] === undefined ? {} : { again: again[index] }),
    }));
    return { calls, after };
  });
}

/** Makes the succeeding calls, one after the other. */
export async function makeLaterCalls(
  context: CheckContext,
  tools: readonly Tool[],
  when: string,
): Promise<readonly LaterCall[]> {
  const executor = createExecutor(tools);
  const made: LaterCall[] = [];
  for (const call of context.samples("succeedingCalls")) {
    const label = formatCall(call);
    const callResult = await runSample(context, executor, call).catch(formatError);
    if (successfulResult(callResult) === undefined) {
      const what = typeof callResult === "string" ? "does not end" : "fails";
      made.push({ label, wrong: `${what} ${when}`, seen: formatOutcome(callResult) });
    } else made.push({ label });
  }
  return made;
}

async function cancelAgain(
  context: CheckContext,
  tools: readonly Tool[],
  call: SampleCall,
): Promise<LaterCall> {
  const label = formatCall(call);
  const running = new RunningCall(context, createExecutor(tools), call, "again");
  await waitUntilRunning();
  const { callResult } = running;
  await running.cancel();
  return callResult === undefined
    ? { label }
    : {
        label,
        wrong: "cannot be made again after it was cancelled",
        seen: formatOutcome(callResult),
      };
}
