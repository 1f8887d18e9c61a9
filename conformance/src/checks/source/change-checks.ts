import type { ToolSource } from "@toolweave/core";
import { canonicalJson } from "@toolweave/core/adapter";
import { formatOutcome } from "../../execution/call-result.ts";
import { RunningCall, waitUntilRunning } from "../../calls/running-call.ts";
import {
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
import { readName } from "../../context/subject.ts";
import { changeAndAwait, addListener, observeChange } from "../../observation/observed-change.ts";
import { waitForTurns, EscapedErrors } from "../../context/escaped-errors.ts";

const comparedLists = "Changed the tools and compared the lists.";

/** Checks of changes of the tool list. */
export const changeChecks: readonly Check[] = [
  defineCheck("TW-CHANGE-001", async (context) => {
    const { unannounced } = await observeChange(context);
    return unannounced === undefined
      ? passed("Changed the tools and waited for the announcement.")
      : failed(
          "The change is not announced: users of the source keep the old list.",
          "Added a listener and changed the tools.",
          unannounced,
        );
  }),

  defineCheck("TW-CHANGE-002", async (context) => {
    const { isNewArray, hasChanged, modified, changed } = await observeChange(context);
    if (modified !== undefined) {
      const message = `The old list is modified in place at "${modified}": its users cannot detect the change.`;
      return failed(message, comparedLists, { isNewArray, changed });
    }
    if (!isNewArray)
      return failed("tools() still returns the old list.", comparedLists, "the same array");
    return hasChanged
      ? passed(`${comparedLists} ${changed.length} tools differ.`)
      : failed("A change is announced, but the tools are unchanged.", comparedLists, changed);
  }),

  defineCheck("TW-CHANGE-003", async (context) => {
    const { wasUpdated } = await observeChange(context);
    return wasUpdated
      ? passed("Read the list when the change was announced.")
      : failed(
          "The change is announced before tools() returns the new list, and not again afterwards.",
          "Read the list when the change was announced, and later.",
          "another list later",
        );
  }),

  defineCheck("TW-CHANGE-004", async (context) => {
    const { source } = await context.createReady();
    let notified = 0;
    const first = addListener(source, () => (notified += 1));
    const other = addListener(source);
    first.stop();
    first.stop();
    const done = "Removed one of two listeners, twice, and changed the tools.";
    try {
      await changeAndAwait(context, source, other.notified);
    } catch (error) {
      return failed("Removing a listener also removes another one.", done, formatError(error));
    }
    await waitForTurns();
    return notified === 0
      ? passed(done)
      : failed("A removed listener is still called.", done, `called ${notified} times`);
  }),

  defineCheck("TW-CHANGE-005", async (context) => {
    using errors = new EscapedErrors();
    const error = new Error("A listener threw this.");
    const done = "Added a listener that throws between two that do not, and changed the tools.";
    const outcome = await errors.run(async () => {
      const { source } = await context.createReady();
      const before = addListener(source);
      source.onChange(() => {
        throw error;
      });
      const after = addListener(source);
      const notified = Promise.all([before.notified, after.notified]).then(() => {});
      try {
        await changeAndAwait(context, source, notified);
        return undefined;
      } catch (failure) {
        return failure;
      }
    });
    await waitForTurns();
    if (outcome === error) {
      return failed(
        "An error of a listener makes the change fail: catch it and call the next listener.",
        done,
        formatError(error),
      );
    }
    if (outcome !== undefined) {
      const message = "If a listener throws, another one is not called.";
      return failed(message, done, formatError(outcome));
    }
    return errors.caught.includes(error)
      ? failed("An error of a listener ends the process.", done, formatError(error))
      : passed(done);
  }),

  defineCheck("TW-CHANGE-006", async (context) => {
    const { otherFingerprint } = await observeChange(context);
    const [name, ...others] = otherFingerprint;
    return name === undefined
      ? passed(comparedLists)
      : failed(
          `"${name}" has a new fingerprint although its description is unchanged.`,
          comparedLists,
          [name, ...others],
        );
  }),

  defineCheck("TW-CHANGE-007", async (context) => {
    const [name, ...others] = (await observeChange(context)).missing;
    const done = "Read the list repeatedly while it changed.";
    return name === undefined
      ? passed(done)
      : failed(`"${name}" is missing for a while.`, done, [name, ...others]);
  }),

  defineCheck("TW-CHANGE-008", async (context) => {
    const { source } = await context.createReady();
    let notified = 0;
    source.onChange(() => (notified += 1));
    await context.withDeadline(source.close(), "close()");
    const before = notified;
    // The change may fail, since the source is closed.
    const change = async (): Promise<void> => context.manifest.change?.(source);
    change().catch(() => {});
    await context.waitQuietly();
    const done = "Closed the source and changed the tools.";
    return notified === before
      ? passed(done)
      : failed("A closed source announces a change.", done, `called ${notified - before} times`);
  }),

  defineCheck("TW-CHANGE-009", async (context) => {
    const { redescribed, sameFingerprint } = await observeChange(context);
    if (redescribed.length === 0) {
      return notApplicable("No tool that stays was described differently after the change.");
    }
    const [name] = sameFingerprint;
    return name === undefined
      ? passed(`Compared ${redescribed.length} tools that are described differently.`)
      : failed(
          `"${name}" is described differently but keeps its fingerprint, so that the change goes unnoticed.`,
          comparedLists,
          sameFingerprint,
        );
  }),

  defineCheck("TW-CHANGE-010", checkRunningCalls),

  defineCheck("TW-CHANGE-011", async (context) => {
    const { source } = await context.createReady();
    const done = "Changed the tools three times.";
    for (const which of ["first", "second", "third"]) {
      const before = source.tools();
      const { notified, stop } = addListener(source);
      try {
        await changeAndAwait(context, source, notified);
      } catch (error) {
        return failed(`The ${which} change is not announced.`, done, formatError(error));
      }
      await waitForTurns();
      stop();
      if (source.tools() === before) {
        return failed(`The ${which} change does not change the list.`, done, "the same array");
      }
    }
    return passed(done);
  }),

  defineCheck("TW-CHANGE-012", async (context) => {
    const subject = await context.createReady();
    const { notified } = addListener(subject.source);
    await changeAndAwait(context, subject.source, notified);
    await waitForTurns();
    const tools = subject.callableTools();
    const executor = createExecutor(tools);
    const calls = oneCallPerTool(context).filter(({ tool }) =>
      tools.some((t) => readName(t) === tool),
    );
    const done = `Changed the tools, and made ${calls.length} calls of remaining tools.`;
    const failing = await findFailingCall(context, executor, calls);
    if (failing !== undefined) {
      return failed(`${failing.label} fails after a change.`, done, failing.seen);
    }
    return passed(done);
  }),

  defineCheck("TW-CHANGE-013", async (context) => {
    const [fault, ...others] = (await observeChange(context)).faults;
    const done = "Read the tools of the new list.";
    return fault === undefined
      ? passed(done)
      : failed(`After the change ${fault}.`, done, [fault, ...others]);
  }),
  defineCheck("TW-CHANGE-014", async (context) => {
    const subject = await context.createReady();
    const { source } = subject;
    const before = serializeTools(source);
    let notified = 0;
    const { stop } = addListener(source, () => (notified += 1));
    const executor = createExecutor(subject.callableTools());
    const calls = oneCallPerTool(context);
    // Other rules check the results.
    for (const call of calls) await runSample(context, executor, call).catch(() => {});
    await context.waitQuietly();
    stop();
    const done = `Listened during ${calls.length} calls and for a moment afterwards.`;
    return notified === 0 || serializeTools(source) !== before
      ? passed(done)
      : failed(
          "A change is announced although the tools are unchanged: compare them before calling the listeners.",
          done,
          `${notified} announcements`,
        );
  }),

  defineCheck("TW-CHANGE-015", async (context) => {
    const { emptyAnnouncements } = await observeChange(context);
    const done = "Compared the lists at each announcement.";
    return emptyAnnouncements === 0
      ? passed(done)
      : failed(
          "A change is announced although nothing has changed since the last announcement, so that every host reads the list again.",
          done,
          `${emptyAnnouncements} announcements`,
        );
  }),
];

async function checkRunningCalls(context: CheckContext): Promise<Finding> {
  const subject = await context.createReady();
  const executor = createExecutor(subject.callableTools());
  const calls = context.samples("slowCalls");
  const done = `Changed the tools while ${calls.length} slow calls ran.`;
  const running = calls.map((call) => new RunningCall(context, executor, call));
  try {
    await waitUntilRunning();
    // A call that ends by itself proves nothing.
    const disturbed = running.filter(({ callResult }) => callResult === undefined);
    const { notified } = addListener(subject.source);
    await changeAndAwait(context, subject.source, notified);
    await waitForTurns();
    const names = subject.names();
    for (const { call, label, callResult } of disturbed) {
      if (callResult === undefined || typeof callResult === "string" || !names.includes(call.tool))
        continue;
      return failed(
        `${label} is interrupted by a change of the tools.`,
        done,
        formatOutcome(callResult),
      );
    }
    return passed(done);
  } finally {
    await Promise.all(running.map((call) => call.cancel()));
  }
}

function serializeTools(source: ToolSource): string {
  try {
    return canonicalJson(source.tools().map(({ spec }) => spec));
  } catch {
    return "";
  }
}
