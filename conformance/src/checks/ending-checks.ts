import type { ToolExecutor, ToolSource } from "@toolweave/core";
import { RunningCall, underWay } from "../calling/running-call.ts";
import {
  callLabel,
  distinctCalls,
  executorOver,
  firstFailing,
  runSample,
} from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, messageOf, passed } from "../contract/finding.ts";
import { once } from "../context/once.ts";
import { openLabel, remainsOf, wholeLife, type Remains } from "../watching/remains.ts";
import { someTurns, StrayErrors } from "../context/stray-errors.ts";

/** How a source ends. */
export const endingChecks: readonly Check[] = [
  check("TW-LIFE-003", async (context) => {
    const { source } = await context.fresh();
    const done = "Closed it twice, disposed of it, and closed it from two sides.";
    try {
      await context.within(source.close(), "close()");
      await context.within(source.close(), "the second close()");
      await context.within(source[Symbol.asyncDispose](), "asyncDispose");
      await context.within(Promise.all([source.close(), source.close()]), "close() from two sides");
      return passed(done);
    } catch (error) {
      return failed("Closing it again does not work.", done, messageOf(error));
    }
  }),

  check("TW-LIFE-007", async (context) => {
    const { closing, ready } = await closedEarly(context);
    const done = "Closed it right after create().";
    if (closing !== undefined) return failed("It cannot be closed while it opens.", done, closing);
    return ready === undefined
      ? passed(done)
      : failed("ready never settles: whoever waits for it waits forever.", done, ready);
  }),

  check("TW-LIFE-008", async (context) => {
    const { open } = await closedRemains(context);
    const done = "Made it, called some tools, and closed it, twice.";
    return open.length === 0
      ? passed("Made it, called some tools, and closed it.")
      : failed(
          `It leaves ${open[0]?.what ?? "something"} behind: close() has to end it.`,
          done,
          openLabel(open),
        );
  }),

  check("TW-LIFE-009", async (context) => {
    const [event, ...others] = (await closedRemains(context)).listeners;
    const done = "Made it, called some tools, and closed it, twice.";
    return event === undefined
      ? passed("Made it, called some tools, and closed it.")
      : failed(`It still listens to ${event} of process.`, done, [event, ...others]);
  }),

  check("TW-LIFE-010", async (context) => {
    const { escaped } = await closedEarly(context);
    const done = "Closed it right after create(), and waited for ready.";
    return escaped === undefined
      ? passed(done)
      : failed("An error escapes that nobody can catch: it ends the process.", done, escaped);
  }),

  check("TW-LIFE-011", async (context) => {
    const subject = await context.fresh();
    const executor = executorOver(subject.callable());
    await context.within(subject.source.close(), "close()");
    const calls = distinctCalls(context);
    const done = `Closed it and made ${calls.length} sample calls.`;
    for (const call of calls) {
      try {
        await runSample(context, executor, call);
      } catch (error) {
        const message = `${callLabel(call)} never ends: answer or fail once the source is closed.`;
        return failed(message, done, messageOf(error));
      }
    }
    return passed(done);
  }),

  check("TW-LIFE-012", async (context) => {
    const { source, executor } = await working(context);
    const calls = context.samples("slowCalls");
    const done = `Started ${calls.length} slow calls and closed it.`;
    const running = calls.map((call) => new RunningCall(context, executor, call));
    try {
      await underWay();
      await context.within(source.close(), "close()");
      for (const { label, ended } of running) {
        const came = await ended;
        if (typeof came !== "string") continue;
        return failed(
          `${label} goes on although its source is closed: close() has to end what is under way.`,
          done,
          came,
        );
      }
      return passed(done);
    } catch (error) {
      return failed("It cannot be closed while a call runs.", done, messageOf(error));
    } finally {
      await Promise.all(running.map((call) => call.cancel()));
    }
  }),

  check("TW-LIFE-014", async (context) => {
    const first = await working(context);
    const second = await working(context);
    const calls = distinctCalls(context);
    const done = `Made two, closed one, and made ${calls.length} calls with the other.`;
    const before = await firstFailing(context, second.executor, calls);
    if (before !== undefined) {
      return failed(`${before.label} does not succeed beside another source.`, done, before.seen);
    }
    await context.within(first.source.close(), "close()");
    const after = await firstFailing(context, second.executor, calls);
    return after === undefined
      ? passed(done)
      : failed(`${after.label} fails once another source was closed.`, done, after.seen);
  }),

  check("TW-LIFE-017", async (context) => {
    if (typeof (await context.subject()).source[Symbol.asyncDispose] !== "function") {
      return failed("It cannot be disposed of.", "Looked for Symbol.asyncDispose.", "none");
    }
    const { open, listeners } = await remainsOf(context, () =>
      wholeLife(context, (source) => source[Symbol.asyncDispose]()),
    );
    const done = "Made it, called some tools, and disposed of it, twice.";
    if (open.length > 0) {
      return failed("asyncDispose leaves open what close closes.", done, openLabel(open));
    }
    return listeners.length > 0
      ? failed("asyncDispose goes on listening to process, unlike close.", done, listeners)
      : passed("Made it, called some tools, and disposed of it.");
  }),
];

function closedRemains(context: CheckContext): Promise<Remains> {
  return once(context, "remains", () =>
    remainsOf(context, () => wholeLife(context, (source) => source.close())),
  );
}

/** What came of closing a source while it opened: what went wrong, each as a text. */
interface ClosedEarly {
  readonly closing?: string;
  readonly ready?: string;
  readonly escaped?: string;
}

function closedEarly(context: CheckContext): Promise<ClosedEarly> {
  return once(context, "closed early", async () => {
    using errors = new StrayErrors();
    const attempt = async (pending: PromiseLike<unknown>, what: string): Promise<string[]> => {
      try {
        await context.within(pending, what);
        return [];
      } catch (error) {
        return [messageOf(error)];
      }
    };
    const { closing, ready } = await errors.run(async () => {
      const { source } = await context.created();
      const [closing] = await attempt(source.close(), "close()");
      const settled = Promise.resolve(source.ready).catch(() => {});
      const [ready] = await attempt(settled, "ready");
      return { closing, ready };
    });
    await someTurns();
    const [escaped] = errors.caught.map(messageOf);
    return {
      ...(closing === undefined ? {} : { closing }),
      ...(ready === undefined ? {} : { ready }),
      ...(escaped === undefined ? {} : { escaped }),
    };
  });
}

async function working(
  context: CheckContext,
): Promise<{ readonly source: ToolSource; readonly executor: ToolExecutor }> {
  const subject = await context.fresh();
  return { source: subject.source, executor: executorOver(subject.callable()) };
}
