import type { CheckContext } from "../context/check.ts";
import { messageOf } from "../contract/finding.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { once } from "../context/once.ts";
import { drawn } from "../schema/drawn.ts";
import { processTouches, type ProcessTouch } from "../watching/process-touches.ts";
import { someTurns, StrayErrors } from "../context/stray-errors.ts";
import { callLabel, executorOver, runSample } from "../execution/sample-run.ts";

/** How many calls are watched. */
const mostCalls = 40;

/** What calls left in the process that they share with their host. */
export interface CallTraces {
  /** How many calls were made. */
  readonly calls: number;
  /** Errors that nobody could catch. */
  readonly escaped: readonly { readonly label: string; readonly error: string }[];
  /** What they printed, and what they changed of the process. */
  readonly touches: readonly (ProcessTouch & { readonly label: string })[];
}

/** Makes the calls that come to an end, one after the other; once for all the rules. */
export function callTraces(context: CheckContext): Promise<CallTraces> {
  return once(context, "traces of calls", async () => {
    const calls = callsOf(context);
    const escaped: { label: string; error: string }[] = [];
    const touches: (ProcessTouch & { label: string })[] = [];
    const executor = executorOver((await context.fresh()).callable());
    for (const call of calls) {
      const label = callLabel(call);
      using errors = new StrayErrors(context.manifest);
      const seen = await processTouches(() =>
        errors.run(async () => {
          // What becomes of it is for other rules to say.
          await runSample(context, executor, call).catch(() => {});
          await someTurns();
        }),
      );
      escaped.push(...errors.caught.map((error) => ({ label, error: messageOf(error) })));
      touches.push(...seen.map((touch) => ({ ...touch, label })));
    }
    return { calls: calls.length, escaped, touches };
  });
}

/** The calls that end by themselves, of every kind that the manifest has. */
function callsOf(context: CheckContext): readonly SampleCall[] {
  const kinds = ["succeedingCalls", "failingCalls", "updatingCalls"] as const;
  const calls = kinds.flatMap((kind): readonly SampleCall[] => context.samples(kind));
  return drawn(calls, mostCalls, context.seed);
}
