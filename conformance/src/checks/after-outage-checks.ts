import { AsyncLocalStorage } from "node:async_hooks";
import type { ToolExecutor, ToolSource } from "@toolweave/core";
import { distinctCalls, executorOver, firstFailing, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, messageOf, passed } from "../contract/finding.ts";
import { nameOf } from "../context/subject.ts";
import { openLabel, remainsOf } from "../watching/remains.ts";
import { sheltered } from "../context/stray-errors.ts";
import { duringOutage } from "../watching/during-outage.ts";

/** What is left of an outage. */
export const afterOutageChecks: readonly Check[] = [
  check("TW-OUTAGE-013", (context) =>
    sheltered(context.manifest, async () => {
      const done = "Took the backend away, made sample calls, and closed the source.";
      // What the manifest opens to take it away, and to give it back, is not the source's.
      const outside = AsyncLocalStorage.snapshot();
      const live = async (): Promise<void> => {
        const subject = await context.fresh();
        const executor = executorOver(subject.callable());
        const inside = AsyncLocalStorage.snapshot();
        const end = async (): Promise<void> => {
          await callAll(context, executor);
          await context.within(subject.source.close(), "close()");
        };
        await outside(() => duringOutage(context, () => inside(end)));
      };
      const { open, listeners } = await remainsOf(context, live);
      if (open.length === 0 && listeners.length === 0) return passed(done);
      const [first] = open;
      return failed(
        `A source that lost its backend, and was closed, leaves ${first?.what ?? "a listener of process"} behind.`,
        done,
        first === undefined ? listeners : openLabel(open),
      );
    }),
  ),

  check("TW-OUTAGE-014", (context) =>
    sheltered(context.manifest, async () => {
      const subject = await context.fresh();
      const { source } = subject;
      const calls = distinctCalls(context);
      // Reads every description: a source that reads them when they are needed finds problems of them then.
      for (const { spec } of source.tools()) void spec.inputSchema;
      const before = new Set(complaints(source));
      const executor = executorOver(subject.callable());
      await duringOutage(context, () => callAll(context, executor));
      const done = "Took the backend away and gave it back, and made calls until they succeeded.";
      let left: readonly string[] = [];
      const over = new AbortController();
      const untilWell = async (): Promise<void> => {
        while (!over.signal.aborted) {
          const failing = await firstFailing(context, executorOver(subject.callable()), calls);
          left = complaints(source).filter((complaint) => !before.has(complaint));
          if (failing === undefined && left.length === 0) return;
          await context.quiet();
        }
      };
      try {
        await context.within(untilWell(), "the way back");
        return passed(done);
      } catch (error) {
        const [first = messageOf(error)] = left;
        const message = `The backend is back, and the source goes on saying that it is away: ${first}.`;
        return failed(message, done, left);
      } finally {
        over.abort();
      }
    }),
  ),
];

/** Makes the calls that should succeed; what becomes of them is for other rules to say. */
async function callAll(context: CheckContext, executor: ToolExecutor): Promise<void> {
  for (const call of distinctCalls(context)) {
    await runSample(context, executor, call).catch(() => {});
  }
}

/** What a source says is wrong with it, and with its tools. */
function complaints(source: ToolSource): string[] {
  const problems = source.problems.map(({ subject, message }) => `${subject}: ${message}`);
  const away = source
    .tools()
    .filter(({ availability }) => availability?.status === "unavailable")
    .map((tool) => `${nameOf(tool)} is unavailable`);
  return [...problems, ...away];
}
