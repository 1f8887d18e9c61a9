import type { ToolOutcome } from "@toolweave/core";
import { check, type Check, type CheckContext } from "../check.ts";
import { failed, messageOf, notApplicable, passed, type Finding } from "../finding.ts";
import { lookAt } from "../look-at.ts";
import type { EffectCall, SampleCall } from "../manifest.ts";
import { madeWhileAway } from "../made-while-away.ts";
import { observedOutage } from "../observed-outage.ts";
import { openLabel, remainsOf } from "../remains.ts";
import { callLabel, distinctCalls, executorOver, firstFailing, runSample } from "../sample-run.ts";
import { sheltered } from "../stray-errors.ts";
import type { Subject } from "../subject.ts";
import { whileAway } from "../while-away.ts";

/** Time for a call to get under way, so that there is something to break off. */
const underWayMs = 20;

/** Codes that tell a host to wait and try again, or to look what has become of the call. */
const tellingCodes: ReadonlySet<string> = new Set([
  "unavailable",
  "timeout",
  "upstream",
  "rate_limited",
  "outcome_unknown",
]);

/** After these a call may have been done after all. */
const openCodes: ReadonlySet<string> = new Set(["timeout", "outcome_unknown", "cancelled"]);

const observed = "Took the backend away and made sample calls";

/** What becomes of a source whose backend is away. */
export const outageChecks: readonly Check[] = [
  check("TW-OUTAGE-001", async (context) => {
    const { calls } = await observedOutage(context);
    if (calls.every(({ late, code }) => late === undefined && code === undefined)) {
      return failed(
        "No call fails while the backend is away: either outage.begin takes away what no sample call needs, or a lost backend passes for an answer.",
        `${observed}.`,
        calls[0]?.seen,
      );
    }
    return lookAt(calls, observed, ({ late, code, hasWords, seen }) => {
      if (late !== undefined) return { wrong: "does not end while the backend is away", seen };
      return code === undefined || hasWords
        ? undefined
        : { wrong: "fails while the backend is away, and says nothing", seen };
    });
  }),

  check("TW-OUTAGE-002", async (context) => {
    const { noList, isSilent, missing } = await observedOutage(context);
    const done = "Took the backend away and called tools().";
    if (noList !== undefined) {
      return failed("tools() gives no list while the backend is away.", done, noList);
    }
    return isSilent
      ? failed("Without the backend the list is another one, and nobody is told.", done, {
          missing,
        })
      : passed(done);
  }),

  check("TW-OUTAGE-003", (context) => sheltered(context.manifest, () => recovers(context))),

  check("TW-OUTAGE-004", (context) => sheltered(context.manifest, () => breaksOff(context))),

  check("TW-OUTAGE-005", (context) =>
    sheltered(context.manifest, async () => {
      const { source } = await context.fresh();
      const done = "Took the backend away and closed the source.";
      try {
        await whileAway(context, () => context.within(source.close(), "close()"));
        return passed(done);
      } catch (error) {
        return failed("It cannot be closed while its backend is away.", done, messageOf(error));
      }
    }),
  ),

  check("TW-OUTAGE-006", async (context) => {
    const { unmade, late, wrongError } = await madeWhileAway(context);
    if (unmade !== undefined) return notApplicable(unmade);
    const done = "Made a source while the backend was away and waited for ready.";
    if (late !== undefined) {
      return failed("ready never settles: reject when the backend cannot be reached.", done, late);
    }
    return wrongError === undefined
      ? passed(done)
      : failed("ready rejects with what is no ToolError: nobody can tell why.", done, wrongError);
  }),

  check("TW-OUTAGE-007", (context) =>
    sheltered(context.manifest, async () => {
      const done = "Made a source while the backend was away, waited for ready, and closed it.";
      const live = async (): Promise<void> => {
        const subject = await context.created().catch(() => undefined);
        await context.within(
          Promise.resolve(subject?.source.ready).catch(() => {}),
          "ready",
        );
        await context.within(Promise.resolve(subject?.source.close()), "close()");
      };
      try {
        const { open, listeners } = await whileAway(context, () => remainsOf(context, live));
        if (open.length === 0 && listeners.length === 0) return passed(done);
        const [first] = open;
        return failed(
          `A source that could not be loaded leaves ${first?.what ?? "a listener of process"} behind.`,
          done,
          first === undefined ? listeners : openLabel(open),
        );
      } catch (error) {
        return failed(
          "A source that could not be loaded cannot be closed.",
          done,
          messageOf(error),
        );
      }
    }),
  ),

  check("TW-OUTAGE-008", async (context) => {
    const { unmade, escaped } = await madeWhileAway(context);
    if (unmade !== undefined) return notApplicable(unmade);
    const done = "Made a source while the backend was away, and left it alone for a while.";
    return escaped === undefined
      ? passed(done)
      : failed("A rejection that nobody handles ends the process.", done, escaped);
  }),

  check("TW-OUTAGE-009", async (context) => {
    const { escaped } = await observedOutage(context);
    return escaped === undefined
      ? passed(`${observed}.`)
      : failed(
          "An error escapes that nobody can catch: it ends the process.",
          `${observed}.`,
          escaped,
        );
  }),

  check("TW-OUTAGE-010", async (context) => {
    const { calls } = await observedOutage(context);
    const failing = calls.filter(({ code }) => code !== undefined);
    return lookAt(failing, observed, ({ code, seen }) =>
      tellingCodes.has(code ?? "")
        ? undefined
        : {
            wrong: `fails with ${code === "" ? "no code" : code}: throw a ToolError with unavailable, so that it can be tried again`,
            seen,
          },
    );
  }),

  check("TW-OUTAGE-011", async (context) => {
    const [name, ...others] = (await observedOutage(context)).missing;
    const done = "Took the backend away and looked at the list.";
    return name === undefined
      ? passed(done)
      : failed(
          `"${name}" is not listed while the backend is away: list it, as unavailable.`,
          done,
          [name, ...others],
        );
  }),

  check("TW-OUTAGE-012", (context) =>
    sheltered(context.manifest, async () => {
      const executor = executorOver((await context.fresh()).callable());
      const calls = context.samples("effectCalls");
      const count = (call: EffectCall): Promise<number> =>
        context.within(Promise.resolve(call.count()), "count()");
      const before = await Promise.all(calls.map(count));
      const outcomes = await whileAway(context, () =>
        Promise.all(calls.map((call) => runSample(context, executor, call).catch(() => undefined))),
      );
      await context.quiet();
      const after = await Promise.all(calls.map(count));
      const done = "Made the calls while the backend was away, and looked when it was back.";
      const failing = calls.filter((_, at) => hasFailed(outcomes[at]));
      if (failing.length === 0) return notApplicable("No such call fails while it is away.");
      const undone = calls.findIndex(
        (_, at) => hasFailed(outcomes[at]) && after[at] !== before[at],
      );
      if (undone === -1) return passed(done);
      const label = callLabel(calls[undone] as EffectCall);
      return failed(`${label} fails while the backend is away, and is done later.`, done, {
        before: before[undone],
        after: after[undone],
      });
    }),
  ),
];

async function recovers(context: CheckContext): Promise<Finding> {
  const subject = await context.fresh();
  const calls = distinctCalls(context);
  const done = "Took the backend away and gave it back, twice, and made calls each time.";
  for (const which of ["first", "second"]) {
    await whileAway(context, () => tried(context, subject, calls));
    let last: string | undefined;
    const over = new AbortController();
    const untilBack = async (): Promise<void> => {
      while (!over.signal.aborted && (last = await tried(context, subject, calls)) !== undefined) {
        await context.quiet();
      }
    };
    try {
      await context.within(untilBack(), "the way back");
    } catch {
      const message = `Calls go on failing after the ${which} outage: connect again.`;
      return failed(message, done, last);
    } finally {
      over.abort();
    }
  }
  return passed(done);
}

/** Makes calls; what came of the first that fails. */
async function tried(
  context: CheckContext,
  subject: Subject,
  calls: readonly SampleCall[],
): Promise<string | undefined> {
  try {
    const failing = await firstFailing(context, executorOver(subject.callable()), calls);
    return failing === undefined ? undefined : `${failing.label}: ${failing.seen}`;
  } catch (error) {
    return messageOf(error);
  }
}

async function breaksOff(context: CheckContext): Promise<Finding> {
  const executor = executorOver((await context.fresh()).callable());
  const calls = context.samples("slowCalls");
  const done = `Took the backend away while ${calls.length} slow calls ran.`;
  const controller = new AbortController();
  const start = (call: SampleCall): Promise<ToolOutcome | string> =>
    runSample(context, executor, call, { signal: controller.signal }).catch(messageOf);
  const running = calls.map((call) => ({ call, outcome: start(call) }));
  try {
    await new Promise((resolve) => setTimeout(resolve, underWayMs));
    return await whileAway(context, async () => {
      for (const { call, outcome } of running) {
        // A call that can be begun without the backend need not end with it.
        const begun = await Promise.race([start(call), context.quiet()]);
        if (begun === undefined) continue;
        const came = await outcome;
        if (typeof came !== "string") continue;
        return failed(`${callLabel(call)} goes on without the backend.`, done, came);
      }
      return passed(done);
    });
  } finally {
    controller.abort();
    await Promise.allSettled(running.map(({ outcome }) => outcome));
  }
}

function hasFailed(outcome: ToolOutcome | undefined): boolean {
  if (outcome === undefined || outcome.status === "interrupted") return false;
  return outcome.result.isError && !openCodes.has(outcome.error?.code ?? "");
}
