import type { Tool } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { messageOf } from "../contract/finding.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { once } from "../context/once.ts";
import { watchSent, type Sent } from "../watching/sent.ts";
import type { CallResult } from "../execution/outcome.ts";
import { callLabel, executorOver, runSample } from "../execution/sample-run.ts";

/** A sample call that sends something, and all that it sent until its end. */
export interface UpdatingRun {
  readonly label: string;
  readonly call: SampleCall;
  readonly outcome: CallResult;
  readonly sent: readonly Sent[];
  readonly streamingHint: boolean;
}

/** Makes each call that sends something, one after the other; once for all rules. */
export function updatingRuns(context: CheckContext): Promise<readonly UpdatingRun[]> {
  return once(context, "updates", async () => {
    const tools = (await context.fresh()).callable();
    const runs: UpdatingRun[] = [];
    for (const call of context.samples("updatingCalls")) {
      const { outcome, sent } = await watchedRun(context, tools, call);
      const spec = tools.find((tool) => tool.spec.name === call.tool)?.spec;
      runs.push({
        label: callLabel(call),
        call,
        outcome,
        // What comes later is for another rule.
        sent: [...sent],
        streamingHint: spec?.annotations.streamingHint === true,
      });
      // Others may take as long; the first is enough to know.
      if (typeof outcome === "string") break;
    }
    return runs;
  });
}

/** Makes a call; `sent` grows as long as something is sent. */
async function watchedRun(
  context: CheckContext,
  tools: readonly Tool[],
  call: SampleCall,
  options: { readonly signal?: AbortSignal; readonly onSent?: () => void } = {},
): Promise<{ readonly outcome: CallResult; readonly sent: Sent[] }> {
  const { signal, onSent } = options;
  const sent: Sent[] = [];
  const executor = executorOver(
    watchSent(tools, (one) => {
      sent.push(one);
      onSent?.();
    }),
  );
  const run = runSample(context, executor, call, signal === undefined ? {} : { signal });
  return { outcome: await run.catch(messageOf), sent };
}

/** What a call sends when nobody listens any more. */
export interface LateRun {
  readonly label: string;
  /** Sent after its end. */
  readonly afterEnd: readonly Sent[];
  /** Sent by the same call, a moment after it was cancelled and later still. */
  readonly afterCancel: readonly Sent[];
}

/** Makes each such call twice, cancels the second of them, and waits a moment; once for all rules. */
export function lateRuns(context: CheckContext): Promise<readonly LateRun[]> {
  return once(context, "late updates", async () => {
    const tools = (await context.fresh()).callable();
    const runs: { label: string; ended: Sent[]; end: number; cancelled: Sent[] }[] = [];
    for (const call of context.samples("updatingCalls")) {
      const { sent: ended } = await watchedRun(context, tools, call);
      const end = ended.length;
      const controller = new AbortController();
      const { sent: cancelled } = await watchedRun(context, tools, call, {
        signal: controller.signal,
        onSent: () => controller.abort(),
      });
      runs.push({ label: callLabel(call), ended, end, cancelled });
    }
    const before = runs.map(({ cancelled }) => cancelled.length);
    await context.quiet();
    const between = runs.map(({ cancelled }) => cancelled.length);
    // Some need a moment to see that they were cancelled.
    if (between.some((count, at) => count > (before[at] ?? 0))) await context.quiet();
    return runs.map(({ label, ended, end, cancelled }, at) => ({
      label,
      afterEnd: ended.slice(end),
      afterCancel: cancelled.slice(between[at]),
    }));
  });
}

/** What a tool sent, as text. */
export function sentText({ kind, given }: Sent): string {
  try {
    return `${kind} ${JSON.stringify(given)}`;
  } catch {
    return kind;
  }
}

/** Makes calls at the same time, each in a run of its own, and tells what each of them sent. */
export async function sentSideBySide(
  context: CheckContext,
  tools: readonly Tool[],
  calls: readonly SampleCall[],
): Promise<readonly (readonly string[])[]> {
  const sent = calls.map((): string[] => []);
  const executor = executorOver(
    watchSent(tools, (one, callId) => sent[Number(callId)]?.push(sentText(one))),
  );
  await Promise.all(calls.map((call, at) => runSample(context, executor, call, {}, String(at))));
  return sent;
}

/** Makes one call, and tells what it sent. */
export async function sentAlone(
  context: CheckContext,
  tools: readonly Tool[],
  call: SampleCall,
): Promise<readonly string[]> {
  return (await watchedRun(context, tools, call)).sent.map(sentText);
}
