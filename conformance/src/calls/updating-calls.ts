import type { Tool, ToolContext, ToolOutput } from "@toolweave/core";
import { memoizePerRun, type CheckContext } from "../context/check.ts";
import { formatError } from "../contract/finding.ts";
import type { SampleCall } from "../contract/manifest.ts";
import type { CallResult } from "../execution/call-result.ts";
import { formatCall, createExecutor, runSample, overrideTool } from "../execution/run-sample.ts";
import type { ToolProgress } from "@toolweave/core/adapter";

/** A sample call that sends updates or progress, with everything that it sent until its end. */
export interface UpdatingRun {
  readonly label: string;
  readonly call: SampleCall;
  readonly outcome: CallResult;
  readonly sent: readonly SentUpdate[];
  readonly streamingHint: boolean;
}

/** Makes each call that sends updates or progress, one after the other, once for all rules. */
export function makeUpdatingCalls(context: CheckContext): Promise<readonly UpdatingRun[]> {
  return memoizePerRun(context, "updates", async () => {
    const tools = (await context.createReady()).callableTools();
    const runs: UpdatingRun[] = [];
    for (const call of context.samples("updatingCalls")) {
      const { outcome, sent } = await recordSent(context, tools, call);
      const spec = tools.find((tool) => tool.spec.name === call.tool)?.spec;
      runs.push({
        label: formatCall(call),
        call,
        outcome,
        // Another rule checks what is sent later.
        sent: [...sent],
        streamingHint: spec?.annotations.streamingHint === true,
      });
      // Other calls may take as long; one is enough to fail.
      if (typeof outcome === "string") break;
    }
    return runs;
  });
}

/** Makes a call. `sent` grows as long as the call sends something. */
async function recordSent(
  context: CheckContext,
  tools: readonly Tool[],
  call: SampleCall,
  options: { readonly signal?: AbortSignal; readonly onSent?: () => void } = {},
): Promise<{ readonly outcome: CallResult; readonly sent: SentUpdate[] }> {
  const { signal, onSent } = options;
  const sent: SentUpdate[] = [];
  const executor = createExecutor(
    observeSent(tools, (one) => {
      sent.push(one);
      onSent?.();
    }),
  );
  const run = runSample(context, executor, call, signal === undefined ? {} : { signal });
  return { outcome: await run.catch(formatError), sent };
}

/** The updates and progress that a call sends after its end or its cancellation. */
export interface LateRun {
  readonly label: string;
  /** Sent after its end. */
  readonly afterEnd: readonly SentUpdate[];
  /** Sent by a repetition of the call, some time after it was cancelled. */
  readonly afterCancel: readonly SentUpdate[];
}

/**
 * Makes each call that sends something twice, cancels the second one, and waits, once for all
 * rules.
 */
export function recordLateUpdates(context: CheckContext): Promise<readonly LateRun[]> {
  return memoizePerRun(context, "late updates", async () => {
    const tools = (await context.createReady()).callableTools();
    const runs: { label: string; ended: SentUpdate[]; end: number; cancelled: SentUpdate[] }[] = [];
    for (const call of context.samples("updatingCalls")) {
      const { sent: ended } = await recordSent(context, tools, call);
      const end = ended.length;
      const controller = new AbortController();
      const { sent: cancelled } = await recordSent(context, tools, call, {
        signal: controller.signal,
        onSent: () => controller.abort(),
      });
      runs.push({ label: formatCall(call), ended, end, cancelled });
    }
    const before = runs.map(({ cancelled }) => cancelled.length);
    await context.waitQuietly();
    const between = runs.map(({ cancelled }) => cancelled.length);
    // Some calls need a moment to notice that they were cancelled.
    if (between.some((count, at) => count > (before[at] ?? 0))) await context.waitQuietly();
    return runs.map(({ label, ended, end, cancelled }, at) => ({
      label,
      afterEnd: ended.slice(end),
      afterCancel: cancelled.slice(between[at]),
    }));
  });
}

/** Formats what a tool sent. */
export function formatSent({ kind, given }: SentUpdate): string {
  try {
    return `${kind} ${JSON.stringify(given)}`;
  } catch {
    return kind;
  }
}

/** Makes calls concurrently, and returns what each of them sent. */
export async function sentConcurrently(
  context: CheckContext,
  tools: readonly Tool[],
  calls: readonly SampleCall[],
): Promise<readonly (readonly string[])[]> {
  const sent = calls.map((): string[] => []);
  const executor = createExecutor(
    observeSent(tools, (one, callId) => sent[Number(callId)]?.push(formatSent(one))),
  );
  await Promise.all(calls.map((call, at) => runSample(context, executor, call, {}, String(at))));
  return sent;
}

/** Makes one call, and returns what it sent. */
export async function sentAlone(
  context: CheckContext,
  tools: readonly Tool[],
  call: SampleCall,
): Promise<readonly string[]> {
  return (await recordSent(context, tools, call)).sent.map(formatSent);
}

/** An update or progress that a running tool sent. */
export type SentUpdate =
  | { readonly kind: "update"; readonly given: ToolOutput }
  | { readonly kind: "progress"; readonly given: ToolProgress };

/** Receives what a tool sends, with the id of its call. */
type OnSent = (sent: SentUpdate, callId: string) => void;

/** Wraps tools so that `onSent` receives what they send. */
export function observeSent(tools: readonly Tool[], onSent: OnSent): Tool[] {
  return tools.map((tool) =>
    overrideTool(tool, { invoke: (args, ctx) => tool.invoke(args, wrapContext(ctx, onSent)) }),
  );
}

/** A proxy of the context; its methods still receive the context itself as `this`. */
function wrapContext(ctx: ToolContext, onSent: OnSent): ToolContext {
  const update: ToolContext["update"] = (given) => {
    onSent({ kind: "update", given: copyValue(given) }, ctx.callId);
    return ctx.update(given);
  };
  const progress: ToolContext["progress"] = (given) => {
    onSent({ kind: "progress", given: copyValue(given) }, ctx.callId);
    ctx.progress(given);
  };
  return new Proxy(ctx, {
    get(target, name) {
      if (name === "update") return update;
      if (name === "progress") return progress;
      return Reflect.get(target, name, target) as unknown;
    },
  });
}

/**
 * Copies a value, since a tool may modify what it has sent. A value that cannot be copied is
 * returned itself.
 */
function copyValue<T>(given: T): T {
  try {
    return structuredClone(given);
  } catch {
    return given;
  }
}
