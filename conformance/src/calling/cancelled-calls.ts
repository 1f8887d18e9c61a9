import type { Tool, ToolOutcome } from "@toolweave/core";
import type { CheckContext } from "../check.ts";
import { messageOf } from "../finding.ts";
import type { SampleCall, SlowCall } from "../manifest.ts";
import { once } from "../once.ts";
import { callLabel, executorOver, outcomeLabel, runSample } from "../sample-run.ts";
import { underWay } from "./stop-watch.ts";

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
        first: new Running(context, tools, call, `first ${index}`),
        other: new Running(context, tools, call, `other ${index}`),
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
        other: other.came ?? "runs on",
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
      ...(beside ? { other } : {}),
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
    try {
      const outcome = await runSample(context, executor, call);
      made.push(
        outcome.status === "completed" && !outcome.result.isError
          ? { label }
          : { label, wrong: `fails ${when}`, seen: outcomeLabel(outcome) },
      );
    } catch (error) {
      made.push({ label, wrong: `does not end ${when}`, seen: messageOf(error) });
    }
  }
  return made;
}

/** How often a call's effect has happened; `undefined`: nobody counts it. */
export async function countOf(
  context: CheckContext,
  { count }: SlowCall,
): Promise<number | undefined> {
  if (count === undefined) return undefined;
  return context.within(Promise.resolve(count()), "count()");
}

async function cancelAgain(
  context: CheckContext,
  tools: readonly Tool[],
  call: SampleCall,
): Promise<LaterCall> {
  const label = callLabel(call);
  const running = new Running(context, tools, call, "again");
  await underWay();
  const { came } = running;
  await running.cancel();
  return came === undefined
    ? { label }
    : { label, wrong: "cannot be made again after it was cancelled", seen: came };
}

/** A call under way. */
class Running {
  /** What came of it, once it has ended. */
  came: string | undefined;
  readonly #controller = new AbortController();
  readonly #ended: Promise<void>;

  constructor(context: CheckContext, tools: readonly Tool[], call: SampleCall, id: string) {
    const { signal } = this.#controller;
    const ended = (came: ToolOutcome): void => void (this.came = outcomeLabel(came));
    const failed = (error: unknown): void => void (this.came = messageOf(error));
    this.#ended = runSample(context, executorOver(tools), call, { signal }, id).then(ended, failed);
  }

  /** Cancels it, if it has not ended, and waits until it has. */
  async cancel(): Promise<void> {
    this.#controller.abort();
    await this.#ended;
  }
}
