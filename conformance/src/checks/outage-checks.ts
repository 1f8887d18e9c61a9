import type { ToolOutcome } from "@toolweave/core";
import { countOf } from "../calling/effect-count.ts";
import { RunningCall, underWay } from "../calling/running-call.ts";
import {
  callLabel,
  distinctCalls,
  executorOver,
  firstFailing,
  runSample,
} from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, messageOf, notApplicable, passed, type Finding } from "../contract/finding.ts";
import { checkEach } from "../reading/check-each.ts";
import type { EffectCall, SampleCall } from "../contract/manifest.ts";
import type { Subject } from "../context/subject.ts";
import { observedOutage } from "../watching/observed-outage.ts";
import { sheltered } from "../context/stray-errors.ts";
import { duringOutage } from "../watching/during-outage.ts";
import { afterOutageChecks } from "./after-outage-checks.ts";
import { absentBackendChecks } from "./absent-backend-checks.ts";
import { lostAnswerChecks } from "./lost-answer-checks.ts";

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
    return checkEach(calls, observed, ({ late, code, hasWords, seen }) => {
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
        await duringOutage(context, () => context.within(source.close(), "close()"));
        return passed(done);
      } catch (error) {
        return failed("It cannot be closed while its backend is away.", done, messageOf(error));
      }
    }),
  ),

  check("TW-OUTAGE-009", async (context) => {
    const { escaped } = await observedOutage(context);
    return escaped === undefined
      ? passed(`${observed}.`)
      : failed(
          "An error escapes that nobody can catch, and ends the process: what runs in the background has to catch its own.",
          `${observed}.`,
          escaped,
        );
  }),

  check("TW-OUTAGE-010", async (context) => {
    const { calls } = await observedOutage(context);
    const failing = calls.filter(({ code }) => code !== undefined);
    return checkEach(failing, observed, ({ code, seen }) =>
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
      const count = (call: EffectCall): Promise<number> => countOf(context, call);
      const before = await Promise.all(calls.map(count));
      const outcomes = await duringOutage(context, () =>
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

  ...afterOutageChecks,
  ...absentBackendChecks,
  ...lostAnswerChecks,
];

async function recovers(context: CheckContext): Promise<Finding> {
  const subject = await context.fresh();
  const calls = distinctCalls(context);
  const done = "Took the backend away and gave it back, twice, and made calls each time.";
  for (const which of ["first", "second"]) {
    await duringOutage(context, () => tried(context, subject, calls));
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
  const started: RunningCall[] = [];
  const start = (call: SampleCall): RunningCall => {
    const running = new RunningCall(context, executor, call);
    started.push(running);
    return running;
  };
  const running = calls.map(start);
  try {
    await underWay();
    return await duringOutage(context, async () => {
      for (const { call, label, ended } of running) {
        // A call that can be begun without the backend need not end with it.
        const begun = await Promise.race([start(call).ended, context.quiet()]);
        if (begun === undefined) continue;
        const came = await ended;
        if (typeof came !== "string") continue;
        return failed(`${label} goes on without the backend.`, done, came);
      }
      return passed(done);
    });
  } finally {
    await Promise.all(started.map((call) => call.cancel()));
  }
}

function hasFailed(outcome: ToolOutcome | undefined): boolean {
  if (outcome === undefined || outcome.status === "interrupted") return false;
  return outcome.result.isError && !openCodes.has(outcome.error?.code ?? "");
}
