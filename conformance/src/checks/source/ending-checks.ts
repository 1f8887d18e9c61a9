import type { ToolExecutor, ToolSource } from "@toolweave/core";
import { RunningCall, waitUntilRunning } from "../../calls/running-call.ts";
import {
  formatCall,
  oneCallPerTool,
  createExecutor,
  findFailingCall,
  runSample,
} from "../../execution/run-sample.ts";
import { defineCheck, memoizePerRun, type Check, type CheckContext } from "../../context/check.ts";
import { failed, formatError, passed } from "../../contract/finding.ts";
import {
  formatOpenResources,
  findOpenParts,
  createUseAndEnd,
  type OpenParts,
} from "../../observation/resource-tracker.ts";
import { waitForTurns, EscapedErrors } from "../../context/escaped-errors.ts";

/** Checks of closing a source. */
export const endingChecks: readonly Check[] = [
  defineCheck("TW-LIFE-003", async (context) => {
    const { source } = await context.createReady();
    const done = "Closed it twice, disposed of it, and closed it twice concurrently.";
    try {
      await context.withDeadline(source.close(), "close()");
      await context.withDeadline(source.close(), "the second close()");
      await context.withDeadline(source[Symbol.asyncDispose](), "asyncDispose");
      await context.withDeadline(
        Promise.all([source.close(), source.close()]),
        "two concurrent close()",
      );
      return passed(done);
    } catch (error) {
      return failed("It cannot be closed again.", done, formatError(error));
    }
  }),

  defineCheck("TW-LIFE-007", async (context) => {
    const { closing, ready } = await closeEarly(context);
    const done = "Closed it right after create().";
    if (closing !== undefined) return failed("It cannot be closed while it loads.", done, closing);
    return ready === undefined
      ? passed(done)
      : failed("ready never settles after close().", done, ready);
  }),

  defineCheck("TW-LIFE-008", async (context) => {
    const { open } = await remainsAfterClose(context);
    const done = "Created it, called some tools, and closed it, twice.";
    return open.length === 0
      ? passed("Created it, called some tools, and closed it.")
      : failed(
          `It leaves ${open[0]?.what ?? "a resource"} open: close() has to close it.`,
          done,
          formatOpenResources(open),
        );
  }),

  defineCheck("TW-LIFE-009", async (context) => {
    const [event, ...others] = (await remainsAfterClose(context)).listeners;
    const done = "Created it, called some tools, and closed it, twice.";
    return event === undefined
      ? passed("Created it, called some tools, and closed it.")
      : failed(`It still listens to the event ${event} of process.`, done, [event, ...others]);
  }),

  defineCheck("TW-LIFE-010", async (context) => {
    const { escaped } = await closeEarly(context);
    const done = "Closed it right after create() and awaited ready.";
    return escaped === undefined
      ? passed(done)
      : failed("An unhandled error escapes, which would end the process.", done, escaped);
  }),

  defineCheck("TW-LIFE-011", async (context) => {
    const subject = await context.createReady();
    const executor = createExecutor(subject.callableTools());
    await context.withDeadline(subject.source.close(), "close()");
    const calls = oneCallPerTool(context);
    const done = `Closed it and made ${calls.length} sample calls.`;
    for (const call of calls) {
      try {
        await runSample(context, executor, call);
      } catch (error) {
        const message = `${formatCall(call)} never ends: return or fail when the source is closed.`;
        return failed(message, done, formatError(error));
      }
    }
    return passed(done);
  }),

  defineCheck("TW-LIFE-012", async (context) => {
    const { source, executor } = await createWorkingSource(context);
    const calls = context.samples("slowCalls");
    const done = `Started ${calls.length} slow calls and closed it.`;
    const running = calls.map((call) => new RunningCall(context, executor, call));
    try {
      await waitUntilRunning();
      await context.withDeadline(source.close(), "close()");
      for (const { label, ended } of running) {
        const callResult = await ended;
        if (typeof callResult !== "string") continue;
        return failed(
          `${label} continues although its source is closed: close() has to end running calls.`,
          done,
          callResult,
        );
      }
      return passed(done);
    } catch (error) {
      return failed("It cannot be closed while a call runs.", done, formatError(error));
    } finally {
      await Promise.all(running.map((call) => call.cancel()));
    }
  }),

  defineCheck("TW-LIFE-014", async (context) => {
    const first = await createWorkingSource(context);
    const second = await createWorkingSource(context);
    const calls = oneCallPerTool(context);
    const done = `Created two sources, closed one, and made ${calls.length} calls with the other.`;
    const before = await findFailingCall(context, second.executor, calls);
    if (before !== undefined) {
      return failed(`${before.label} fails while there is another source.`, done, before.seen);
    }
    await context.withDeadline(first.source.close(), "close()");
    const after = await findFailingCall(context, second.executor, calls);
    return after === undefined
      ? passed(done)
      : failed(`${after.label} fails after another source was closed.`, done, after.seen);
  }),

  defineCheck("TW-LIFE-017", async (context) => {
    if (typeof (await context.subject()).source[Symbol.asyncDispose] !== "function") {
      return failed("It cannot be disposed of.", "Looked for Symbol.asyncDispose.", "none");
    }
    const { open, listeners } = await findOpenParts(context, () =>
      createUseAndEnd(context, (source) => source[Symbol.asyncDispose]()),
    );
    const done = "Created it, called some tools, and disposed of it, twice.";
    if (open.length > 0) {
      return failed(
        "asyncDispose leaves a resource open that close() closes.",
        done,
        formatOpenResources(open),
      );
    }
    return listeners.length > 0
      ? failed("asyncDispose leaves listeners of process that close() removes.", done, listeners)
      : passed("Created it, called some tools, and disposed of it.");
  }),
];

function remainsAfterClose(context: CheckContext): Promise<OpenParts> {
  return memoizePerRun(context, "remains", () =>
    findOpenParts(context, () => createUseAndEnd(context, (source) => source.close())),
  );
}

/** The errors of closing a source while it loads, as messages. */
interface EarlyClose {
  readonly closing?: string;
  readonly ready?: string;
  readonly escaped?: string;
}

function closeEarly(context: CheckContext): Promise<EarlyClose> {
  return memoizePerRun(context, "closed early", async () => {
    using errors = new EscapedErrors();
    const attempt = async (pending: PromiseLike<unknown>, what: string): Promise<string[]> => {
      try {
        await context.withDeadline(pending, what);
        return [];
      } catch (error) {
        return [formatError(error)];
      }
    };
    const { closing, ready } = await errors.run(async () => {
      const { source } = await context.create();
      const [closing] = await attempt(source.close(), "close()");
      const settled = Promise.resolve(source.ready).catch(() => {});
      const [ready] = await attempt(settled, "ready");
      return { closing, ready };
    });
    await waitForTurns();
    const [escaped] = errors.caught.map(formatError);
    return {
      ...(closing === undefined ? {} : { closing }),
      ...(ready === undefined ? {} : { ready }),
      ...(escaped === undefined ? {} : { escaped }),
    };
  });
}

async function createWorkingSource(
  context: CheckContext,
): Promise<{ readonly source: ToolSource; readonly executor: ToolExecutor }> {
  const subject = await context.createReady();
  return { source: subject.source, executor: createExecutor(subject.callableTools()) };
}
