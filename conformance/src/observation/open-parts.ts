import type { ToolSource } from "@toolweave/core";
import { oneCallPerTool, createExecutor, runSample } from "../execution/run-sample.ts";
import type { CheckContext } from "../context/check.ts";
import type { Subject } from "../context/subject.ts";
import { ResourceTracker, type OpenResource } from "./resource-tracker.ts";
import { ListenerTracker } from "./listener-tracker.ts";

/** The resources and listeners that a source leaves behind. */
export interface OpenParts {
  /** The resources that are still open. */
  readonly open: readonly OpenResource[];
  /** The events of `process` with remaining listeners. */
  readonly listeners: readonly string[];
}

/**
 * Finds what a source leaves open. If it leaves something, the test is repeated: resources that are
 * opened once for all sources, such as a pool that the host shares, are not the source's to close.
 *
 * @param live uses the source and ends it.
 */
export async function findOpenParts(
  context: CheckContext,
  live: () => Promise<void>,
): Promise<OpenParts> {
  const first = await findOpenPartsOnce(context, live);
  if (first.open.length + first.listeners.length === 0) return first;
  const second = await findOpenPartsOnce(context, live);
  return {
    open: first.open.length === 0 ? [] : second.open,
    listeners: first.listeners.length === 0 ? [] : second.listeners,
  };
}

/** Creates a source, calls some of its tools, and ends it. */
export async function createUseAndEnd(
  context: CheckContext,
  end: (source: ToolSource) => Promise<void>,
): Promise<void> {
  const subject = await context.createReady();
  await callSomeTools(context, subject);
  await context.withDeadline(end(subject.source), "closing it");
}

/** Formats open resources for a report. */
export function formatOpenResources(open: readonly OpenResource[]): string {
  return open
    .map(({ what, where }) => (where === undefined ? what : `${what}, opened at ${where}`))
    .join("; ");
}

async function callSomeTools(context: CheckContext, subject: Subject): Promise<void> {
  const executor = createExecutor(subject.callableTools());
  for (const call of oneCallPerTool(context)) await runSample(context, executor, call);
}

async function findOpenPartsOnce(
  context: CheckContext,
  live: () => Promise<void>,
): Promise<OpenParts> {
  using opened = new ResourceTracker();
  using listeners = new ListenerTracker();
  await listeners.run(() => opened.run(live));
  return {
    open: await opened.waitUntilClosed(() => context.waitQuietly()),
    listeners: listeners.remainingEvents(),
  };
}
