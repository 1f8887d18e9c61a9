import type { ToolSource } from "@toolweave/core";
import { distinctCalls, executorOver, runSample } from "../execution/sample-run.ts";
import type { CheckContext } from "../context/check.ts";
import type { Subject } from "../context/subject.ts";
import { OpenResources, type OpenResource } from "./open-resources.ts";
import { ProcessListeners } from "./process-listeners.ts";

/** What a source leaves behind. */
export interface Remains {
  /** What is still open. */
  readonly open: readonly OpenResource[];
  /** The events of `process` that it still listens to. */
  readonly listeners: readonly string[];
}

/**
 * What is left of a source after its life. One that leaves something lives a second time: what is
 * opened once and for all, such as a pool that the host shares, is not the source's to close.
 *
 * @param live uses it and ends it.
 */
export async function remainsOf(
  context: CheckContext,
  live: () => Promise<void>,
): Promise<Remains> {
  const first = await remainsOfOne(context, live);
  if (first.open.length + first.listeners.length === 0) return first;
  const second = await remainsOfOne(context, live);
  return {
    open: first.open.length === 0 ? [] : second.open,
    listeners: first.listeners.length === 0 ? [] : second.listeners,
  };
}

/** Makes a source, calls some of its tools, and ends it. */
export async function wholeLife(
  context: CheckContext,
  end: (source: ToolSource) => Promise<void>,
): Promise<void> {
  const subject = await context.fresh();
  await useSome(context, subject);
  await context.within(end(subject.source), "closing it");
}

/** What is left open, for a report. */
export function openLabel(open: readonly OpenResource[]): string {
  return open
    .map(({ what, where }) => (where === undefined ? what : `${what}, opened at ${where}`))
    .join("; ");
}

async function useSome(context: CheckContext, subject: Subject): Promise<void> {
  const executor = executorOver(subject.callable());
  for (const call of distinctCalls(context)) await runSample(context, executor, call);
}

async function remainsOfOne(context: CheckContext, live: () => Promise<void>): Promise<Remains> {
  using opened = new OpenResources();
  using listeners = new ProcessListeners();
  await listeners.run(() => opened.run(live));
  return {
    open: await opened.settled(() => context.quiet()),
    listeners: listeners.left(),
  };
}
