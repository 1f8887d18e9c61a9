import { AsyncLocalStorage } from "node:async_hooks";
import type { ToolExecutor, ToolSource } from "@toolweave/core";
import {
  oneCallPerTool,
  createExecutor,
  findFailingCall,
  runSample,
} from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { failed, formatError, passed, notApplicable } from "../../contract/finding.ts";
import { readName } from "../../context/subject.ts";
import { formatOpenResources, findOpenParts } from "../../observation/resource-tracker.ts";
import { containErrors } from "../../context/escaped-errors.ts";
import { duringOutage, createDuringOutage } from "../../observation/observed-outage.ts";

/** Checks of a source after an outage. */
export const afterOutageChecks: readonly Check[] = [
  defineCheck("TW-OUTAGE-013", (context) =>
    containErrors(context.manifest, async () => {
      const done = "Started an outage, made sample calls, and closed the source.";
      // Resources that the manifest opens for the outage are not the source's.
      const outside = AsyncLocalStorage.snapshot();
      const live = async (): Promise<void> => {
        const subject = await context.createReady();
        const executor = createExecutor(subject.callableTools());
        const inside = AsyncLocalStorage.snapshot();
        const end = async (): Promise<void> => {
          await makeCalls(context, executor);
          await context.withDeadline(subject.source.close(), "close()");
        };
        await outside(() => duringOutage(context, () => inside(end)));
      };
      const { open, listeners } = await findOpenParts(context, live);
      if (open.length === 0 && listeners.length === 0) return passed(done);
      const [first] = open;
      return failed(
        `A source that was closed after it lost its backend leaves ${first?.what ?? "a listener of process"} open.`,
        done,
        first === undefined ? listeners : formatOpenResources(open),
      );
    }),
  ),

  defineCheck("TW-OUTAGE-014", (context) =>
    containErrors(context.manifest, async () => {
      const subject = await context.createReady();
      const { source } = subject;
      const calls = oneCallPerTool(context);
      // Reads every description: a source that reads them lazily finds their problems then.
      for (const { spec } of source.tools()) void spec.inputSchema;
      const before = new Set(listProblems(source));
      const executor = createExecutor(subject.callableTools());
      await duringOutage(context, () => makeCalls(context, executor));
      const done = "Started and ended an outage, and made calls until they succeeded.";
      let left: readonly string[] = [];
      const over = new AbortController();
      const untilWell = async (): Promise<void> => {
        while (!over.signal.aborted) {
          const failing = await findFailingCall(
            context,
            createExecutor(subject.callableTools()),
            calls,
          );
          left = listProblems(source).filter((complaint) => !before.has(complaint));
          if (failing === undefined && left.length === 0) return;
          await context.waitQuietly();
        }
      };
      try {
        await context.withDeadline(untilWell(), "the recovery");
        return passed(done);
      } catch (error) {
        const [first = formatError(error)] = left;
        const message = `The backend is available again, but the source still reports: ${first}.`;
        return failed(message, done, left);
      } finally {
        over.abort();
      }
    }),
  ),
];

/** Makes the calls that should succeed. Other rules check their results. */
async function makeCalls(context: CheckContext, executor: ToolExecutor): Promise<void> {
  for (const call of oneCallPerTool(context)) {
    await runSample(context, executor, call).catch(() => {});
  }
}

/** The problems of a source and its unavailable tools. */
function listProblems(source: ToolSource): string[] {
  const problems = source.problems.map(({ subject, message }) => `${subject}: ${message}`);
  const away = source
    .tools()
    .filter(({ availability }) => availability?.status === "unavailable")
    .map((tool) => `${readName(tool)} is unavailable`);
  return [...problems, ...away];
}

/** Checks of a source that is created while its backend is unavailable. */
export const absentBackendChecks: readonly Check[] = [
  defineCheck("TW-OUTAGE-006", async (context) => {
    const { creationError, late, wrongError } = await createDuringOutage(context);
    if (creationError !== undefined) return notApplicable(creationError);
    const done = "Created a source while the backend was unavailable and awaited ready.";
    if (late !== undefined) {
      return failed("ready never settles: reject it if the backend cannot be reached.", done, late);
    }
    return wrongError === undefined
      ? passed(done)
      : failed("ready rejects with an error that is not a ToolError.", done, wrongError);
  }),

  defineCheck("TW-OUTAGE-007", (context) =>
    containErrors(context.manifest, async () => {
      const done =
        "Created a source while the backend was unavailable, awaited ready, and closed it.";
      const live = async (): Promise<void> => {
        const subject = await context.create().catch(() => undefined);
        await context.withDeadline(
          Promise.resolve(subject?.source.ready).catch(() => {}),
          "ready",
        );
        await context.withDeadline(Promise.resolve(subject?.source.close()), "close()");
      };
      try {
        const { open, listeners } = await duringOutage(context, () => findOpenParts(context, live));
        if (open.length === 0 && listeners.length === 0) return passed(done);
        const [first] = open;
        return failed(
          `A source that could not be loaded leaves ${first?.what ?? "a listener of process"} open.`,
          done,
          first === undefined ? listeners : formatOpenResources(open),
        );
      } catch (error) {
        return failed(
          "A source that could not be loaded cannot be closed.",
          done,
          formatError(error),
        );
      }
    }),
  ),

  defineCheck("TW-OUTAGE-008", async (context) => {
    const { creationError, escaped } = await createDuringOutage(context);
    if (creationError !== undefined) return notApplicable(creationError);
    const done = "Created a source while the backend was unavailable, and did not await ready.";
    return escaped === undefined
      ? passed(done)
      : failed("An unhandled rejection ends the process: add a catch to ready.", done, escaped);
  }),
];
