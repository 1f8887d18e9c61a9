import type { ToolOutcome } from "@toolweave/core";
import { countEffects } from "../../calls/effect-count.ts";
import { RunningCall, waitUntilRunning } from "../../calls/running-call.ts";
import {
  formatCall,
  oneCallPerTool,
  createExecutor,
  findFailingCall,
  runSample,
} from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import {
  failed,
  formatError,
  notApplicable,
  passed,
  type Finding,
} from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import type { EffectCall, SampleCall } from "../../contract/manifest.ts";
import type { Subject } from "../../context/subject.ts";
import { observeOutage, duringOutage } from "../../observation/observed-outage.ts";
import { containErrors } from "../../context/escaped-errors.ts";
import { afterOutageChecks, absentBackendChecks } from "./after-outage-checks.ts";
import { lostAnswerChecks } from "./lost-response-checks.ts";

/** Codes that tell a host to retry later, or to check whether the call has run. */
const expectedCodes: ReadonlySet<string> = new Set([
  "unavailable",
  "timeout",
  "upstream",
  "rate_limited",
  "outcome_unknown",
]);

/** Codes of calls that may have run. */
const uncertainCodes: ReadonlySet<string> = new Set(["timeout", "outcome_unknown", "cancelled"]);

const outageCalls = "Started an outage and made sample calls";

/** Checks of a source whose backend is unavailable. */
export const outageChecks: readonly Check[] = [
  defineCheck("TW-OUTAGE-001", async (context) => {
    const { calls } = await observeOutage(context);
    if (calls.every(({ timedOut: late, code }) => late === undefined && code === undefined)) {
      return failed(
        "No call fails during the outage: either no sample call needs what outage.begin makes unavailable, or a missing backend is not reported as an error.",
        `${outageCalls}.`,
        calls[0]?.seen,
      );
    }
    return checkEach(calls, outageCalls, ({ timedOut: late, code, hasText, seen }) => {
      if (late !== undefined)
        return { wrong: "does not end while the backend is unavailable", seen };
      return code === undefined || hasText
        ? undefined
        : { wrong: "fails without a message while the backend is unavailable", seen };
    });
  }),

  defineCheck("TW-OUTAGE-002", async (context) => {
    const { toolsError, isUnannounced, missing } = await observeOutage(context);
    const done = "Started an outage and called tools().";
    if (toolsError !== undefined) {
      return failed("tools() returns no list while the backend is unavailable.", done, toolsError);
    }
    return isUnannounced
      ? failed("The list changes during the outage without an announcement.", done, {
          missing,
        })
      : passed(done);
  }),

  defineCheck("TW-OUTAGE-003", (context) =>
    containErrors(context.manifest, () => checkRecovery(context)),
  ),

  defineCheck("TW-OUTAGE-004", (context) =>
    containErrors(context.manifest, () => checkRunningCalls(context)),
  ),

  defineCheck("TW-OUTAGE-005", (context) =>
    containErrors(context.manifest, async () => {
      const { source } = await context.createReady();
      const done = "Started an outage and closed the source.";
      try {
        await duringOutage(context, () => context.withDeadline(source.close(), "close()"));
        return passed(done);
      } catch (error) {
        return failed(
          "It cannot be closed while its backend is unavailable.",
          done,
          formatError(error),
        );
      }
    }),
  ),

  defineCheck("TW-OUTAGE-009", async (context) => {
    const { escaped } = await observeOutage(context);
    return escaped === undefined
      ? passed(`${outageCalls}.`)
      : failed(
          "An unhandled error escapes, which would end the process: background work has to catch its errors.",
          `${outageCalls}.`,
          escaped,
        );
  }),

  defineCheck("TW-OUTAGE-010", async (context) => {
    const { calls } = await observeOutage(context);
    const failing = calls.filter(({ code }) => code !== undefined);
    return checkEach(failing, outageCalls, ({ code, seen }) =>
      expectedCodes.has(code ?? "")
        ? undefined
        : {
            wrong: `fails with ${code === "" ? "no code" : code}: throw a ToolError with unavailable, so that the call can be retried`,
            seen,
          },
    );
  }),

  defineCheck("TW-OUTAGE-011", async (context) => {
    const [name, ...others] = (await observeOutage(context)).missing;
    const done = "Started an outage and read the list.";
    return name === undefined
      ? passed(done)
      : failed(
          `"${name}" is not listed while the backend is unavailable: list it as unavailable.`,
          done,
          [name, ...others],
        );
  }),

  defineCheck("TW-OUTAGE-012", (context) =>
    containErrors(context.manifest, async () => {
      const executor = createExecutor((await context.createReady()).callableTools());
      const calls = context.samples("effectCalls");
      const count = (call: EffectCall): Promise<number> => countEffects(context, call);
      const before = await Promise.all(calls.map(count));
      const outcomes = await duringOutage(context, () =>
        Promise.all(calls.map((call) => runSample(context, executor, call).catch(() => undefined))),
      );
      await context.waitQuietly();
      const after = await Promise.all(calls.map(count));
      const done = "Made the calls during an outage and counted their effects afterwards.";
      const failing = calls.filter((_, at) => hasFailed(outcomes[at]));
      if (failing.length === 0)
        return notApplicable("No such call fails while the backend is unavailable.");
      const undone = calls.findIndex(
        (_, at) => hasFailed(outcomes[at]) && after[at] !== before[at],
      );
      if (undone === -1) return passed(done);
      const label = formatCall(calls[undone] as EffectCall);
      return failed(
        `${label} fails while the backend is unavailable, but has its effect later.`,
        done,
        {
          before: before[undone],
          after: after[undone],
        },
      );
    }),
  ),

  ...afterOutageChecks,
  ...absentBackendChecks,
  ...lostAnswerChecks,
];

async function checkRecovery(context: CheckContext): Promise<Finding> {
  const subject = await context.createReady();
  const calls = oneCallPerTool(context);
  const done = "Started and ended an outage, twice, and made calls each time.";
  for (const which of ["first", "second"]) {
    await duringOutage(context, () => tryCalls(context, subject, calls));
    let last: string | undefined;
    const over = new AbortController();
    const untilBack = async (): Promise<void> => {
      while (
        !over.signal.aborted &&
        (last = await tryCalls(context, subject, calls)) !== undefined
      ) {
        await context.waitQuietly();
      }
    };
    try {
      await context.withDeadline(untilBack(), "the recovery");
    } catch {
      const message = `Calls still fail after the ${which} outage: reconnect.`;
      return failed(message, done, last);
    } finally {
      over.abort();
    }
  }
  return passed(done);
}

/** Makes calls until one fails, and formats its result. */
async function tryCalls(
  context: CheckContext,
  subject: Subject,
  calls: readonly SampleCall[],
): Promise<string | undefined> {
  try {
    const failing = await findFailingCall(context, createExecutor(subject.callableTools()), calls);
    return failing === undefined ? undefined : `${failing.label}: ${failing.seen}`;
  } catch (error) {
    return formatError(error);
  }
}

async function checkRunningCalls(context: CheckContext): Promise<Finding> {
  const executor = createExecutor((await context.createReady()).callableTools());
  const calls = context.samples("slowCalls");
  const done = `Started an outage while ${calls.length} slow calls ran.`;
  const started: RunningCall[] = [];
  const start = (call: SampleCall): RunningCall => {
    const running = new RunningCall(context, executor, call);
    started.push(running);
    return running;
  };
  const running = calls.map(start);
  try {
    await waitUntilRunning();
    return await duringOutage(context, async () => {
      for (const { call, label, ended } of running) {
        // A call that can be started without the backend need not end.
        const begun = await Promise.race([start(call).ended, context.waitQuietly()]);
        if (begun === undefined) continue;
        const callResult = await ended;
        if (typeof callResult !== "string") continue;
        return failed(`${label} continues without the backend.`, done, callResult);
      }
      return passed(done);
    });
  } finally {
    await Promise.all(started.map((call) => call.cancel()));
  }
}

function hasFailed(outcome: ToolOutcome | undefined): boolean {
  if (outcome === undefined || outcome.status === "interrupted") return false;
  return outcome.result.isError && !uncertainCodes.has(outcome.error?.code ?? "");
}
