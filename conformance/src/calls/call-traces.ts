import { memoizePerRun, type CheckContext } from "../context/check.ts";
import { formatError } from "../contract/finding.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { drawSubset } from "../schema/generation-settings.ts";
import { observeProcess, type ProcessChange } from "../observation/process-changes.ts";
import { waitForTurns, EscapedErrors } from "../context/escaped-errors.ts";
import { formatCall, createExecutor, runSample } from "../execution/run-sample.ts";

/** The maximum number of calls that are observed. */
const maxCalls = 40;

/** The changes that calls made to the process, which they share with the host. */
export interface CallTraces {
  /** The number of calls. */
  readonly calls: number;
  /** Unhandled rejections and uncaught exceptions. */
  readonly escaped: readonly { readonly label: string; readonly error: string }[];
  /** Printed text, and changes of the process. */
  readonly touches: readonly (ProcessChange & { readonly label: string })[];
}

/** Makes the calls that end by themselves, one after the other, once for all rules. */
export function collectCallTraces(context: CheckContext): Promise<CallTraces> {
  return memoizePerRun(context, "traces of calls", async () => {
    const calls = endingCalls(context);
    const escaped: { label: string; error: string }[] = [];
    const touches: (ProcessChange & { label: string })[] = [];
    const executor = createExecutor((await context.createReady()).callableTools());
    for (const call of calls) {
      const label = formatCall(call);
      using errors = new EscapedErrors(context.manifest);
      const seen = await observeProcess(() =>
        errors.run(async () => {
          // Other rules check the result.
          await runSample(context, executor, call).catch(() => {});
          await waitForTurns();
        }),
      );
      escaped.push(...errors.caught.map((error) => ({ label, error: formatError(error) })));
      touches.push(...seen.map((touch) => ({ ...touch, label })));
    }
    return { calls: calls.length, escaped, touches };
  });
}

/** The calls that end by themselves, of every kind that the manifest has. */
function endingCalls(context: CheckContext): readonly SampleCall[] {
  const kinds = ["succeedingCalls", "failingCalls", "updatingCalls"] as const;
  const calls = kinds.flatMap((kind): readonly SampleCall[] => context.samples(kind));
  return drawSubset(calls, maxCalls, context.seed);
}
