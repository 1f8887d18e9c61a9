import { canonicalJson, type ToolSource } from "@toolweave/core";
import { outcomeLabel } from "../execution/outcome.ts";
import { RunningCall, underWay } from "../calling/running-call.ts";
import { distinctCalls, executorOver, firstFailing, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, messageOf, notApplicable, passed, type Finding } from "../contract/finding.ts";
import { nameOf } from "../context/subject.ts";
import { changeAndHear, listening, observedChange } from "../watching/observed-change.ts";
import { someTurns, StrayErrors } from "../context/stray-errors.ts";

const observed = "Kept the list, changed the tools, and looked at both lists.";

/** How a source tells that its tools have changed. */
export const changeChecks: readonly Check[] = [
  check("TW-CHANGE-001", async (context) => {
    const { silence } = await observedChange(context);
    return silence === undefined
      ? passed("Changed the tools and waited for the announcement.")
      : failed(
          "The change is not announced: whoever holds the source goes on with the old list.",
          "Gave onChange a listener and changed the tools.",
          silence,
        );
  }),

  check("TW-CHANGE-002", async (context) => {
    const { isOther, hasChanged, spoiled, touched } = await observedChange(context);
    if (spoiled !== undefined) {
      const message = `The old list is changed in place at "${spoiled}": whoever keeps it cannot tell what changed.`;
      return failed(message, observed, { isOther, touched });
    }
    if (!isOther) return failed("tools() goes on giving the old list.", observed, "the same array");
    return hasChanged
      ? passed(`${observed} ${touched.length} tools differ.`)
      : failed("A change is announced, and the tools are what they were.", observed, touched);
  }),

  check("TW-CHANGE-003", async (context) => {
    const { wasThere } = await observedChange(context);
    return wasThere
      ? passed("Asked for the list when the change was announced.")
      : failed(
          "The change is announced before tools() gives the new list, and not again afterwards.",
          "Asked for the list when the change was announced, and later.",
          "another list later",
        );
  }),

  check("TW-CHANGE-004", async (context) => {
    const { source } = await context.fresh();
    let heard = 0;
    const first = listening(source, () => (heard += 1));
    const other = listening(source);
    first.stop();
    first.stop();
    const done = "Took one of two listeners back, twice, and changed the tools.";
    try {
      await changeAndHear(context, source, other.heard);
    } catch (error) {
      return failed("Taking a listener back takes another one, too.", done, messageOf(error));
    }
    await someTurns();
    return heard === 0
      ? passed(done)
      : failed("A listener that was taken back goes on hearing.", done, `heard ${heard} times`);
  }),

  check("TW-CHANGE-005", async (context) => {
    using errors = new StrayErrors();
    const error = new Error("A listener threw this.");
    const done =
      "Gave onChange a listener that throws between two that don't, and changed the tools.";
    const outcome = await errors.run(async () => {
      const { source } = await context.fresh();
      const before = listening(source);
      source.onChange(() => {
        throw error;
      });
      const after = listening(source);
      const heard = Promise.all([before.heard, after.heard]).then(() => {});
      try {
        await changeAndHear(context, source, heard);
        return undefined;
      } catch (failure) {
        return failure;
      }
    });
    await someTurns();
    if (outcome === error) {
      return failed(
        "What a listener throws makes the change fail: catch it, and call the next one.",
        done,
        messageOf(error),
      );
    }
    if (outcome !== undefined) {
      const message = "A listener that throws keeps another one from hearing.";
      return failed(message, done, messageOf(outcome));
    }
    return errors.caught.includes(error)
      ? failed("What a listener throws ends the process.", done, messageOf(error))
      : passed(done);
  }),

  check("TW-CHANGE-006", async (context) => {
    const { otherFingerprint } = await observedChange(context);
    const [name, ...others] = otherFingerprint;
    return name === undefined
      ? passed(observed)
      : failed(
          `"${name}" has another fingerprint and is described as before: it passes for a changed tool.`,
          observed,
          [name, ...others],
        );
  }),

  check("TW-CHANGE-007", async (context) => {
    const [name, ...others] = (await observedChange(context)).gone;
    const done = "Asked for the list again and again while it changed.";
    return name === undefined
      ? passed(done)
      : failed(`"${name}" is gone for a while, and comes back.`, done, [name, ...others]);
  }),

  check("TW-CHANGE-008", async (context) => {
    const { source } = await context.fresh();
    let heard = 0;
    source.onChange(() => (heard += 1));
    await context.within(source.close(), "close()");
    const before = heard;
    // What cannot be changed any more need not be.
    const change = async (): Promise<void> => context.manifest.change?.(source);
    change().catch(() => {});
    await context.quiet();
    const done = "Closed it, and changed the tools.";
    return heard === before
      ? passed(done)
      : failed("A closed source announces a change.", done, `heard ${heard - before} times`);
  }),

  check("TW-CHANGE-009", async (context) => {
    const { redescribed, sameFingerprint } = await observedChange(context);
    if (redescribed.length === 0) {
      return notApplicable("No tool that stays was described otherwise after the change.");
    }
    const [name] = sameFingerprint;
    return name === undefined
      ? passed(`Compared ${redescribed.length} tools that are described otherwise.`)
      : failed(
          `"${name}" is described otherwise and keeps its fingerprint: nobody notices.`,
          observed,
          sameFingerprint,
        );
  }),

  check("TW-CHANGE-010", goesOn),

  check("TW-CHANGE-011", async (context) => {
    const { source } = await context.fresh();
    const done = "Changed the tools three times.";
    for (const which of ["first", "second", "third"]) {
      const before = source.tools();
      const { heard, stop } = listening(source);
      try {
        await changeAndHear(context, source, heard);
      } catch (error) {
        return failed(`The ${which} change is not announced.`, done, messageOf(error));
      }
      await someTurns();
      stop();
      if (source.tools() === before) {
        return failed(`The ${which} change leaves the list as it was.`, done, "the same array");
      }
    }
    return passed(done);
  }),

  check("TW-CHANGE-012", async (context) => {
    const subject = await context.fresh();
    const { heard } = listening(subject.source);
    await changeAndHear(context, subject.source, heard);
    await someTurns();
    const tools = subject.callable();
    const executor = executorOver(tools);
    const calls = distinctCalls(context).filter(({ tool }) =>
      tools.some((t) => nameOf(t) === tool),
    );
    const done = `Changed the tools, and made ${calls.length} calls of tools that stayed.`;
    const failing = await firstFailing(context, executor, calls);
    if (failing !== undefined) {
      return failed(`${failing.label} fails after a change.`, done, failing.seen);
    }
    return passed(done);
  }),

  check("TW-CHANGE-013", async (context) => {
    const [fault, ...others] = (await observedChange(context)).faults;
    const done = "Read the tools of the new list.";
    return fault === undefined
      ? passed(done)
      : failed(`After the change ${fault}.`, done, [fault, ...others]);
  }),
  check("TW-CHANGE-014", async (context) => {
    const subject = await context.fresh();
    const { source } = subject;
    const before = listText(source);
    let heard = 0;
    const { stop } = listening(source, () => (heard += 1));
    const executor = executorOver(subject.callable());
    const calls = distinctCalls(context);
    // What becomes of them is for other rules to say.
    for (const call of calls) await runSample(context, executor, call).catch(() => {});
    await context.quiet();
    stop();
    const done = `Listened while ${calls.length} calls were made, and for a moment.`;
    return heard === 0 || listText(source) !== before
      ? passed(done)
      : failed(
          "A change is announced, and the tools are what they were: compare before the listeners are called.",
          done,
          `${heard} announcements`,
        );
  }),

  check("TW-CHANGE-015", async (context) => {
    const { idle } = await observedChange(context);
    const done = "Compared the lists that were there at each announcement of a change.";
    return idle === 0
      ? passed(done)
      : failed(
          "A change is announced and nothing has changed since the announcement before: every host reads the whole list again.",
          done,
          `${idle} announcements`,
        );
  }),
];

async function goesOn(context: CheckContext): Promise<Finding> {
  const subject = await context.fresh();
  const executor = executorOver(subject.callable());
  const calls = context.samples("slowCalls");
  const done = `Changed the tools while ${calls.length} slow calls ran.`;
  const running = calls.map((call) => new RunningCall(context, executor, call));
  try {
    await underWay();
    // One that ends by itself proves nothing.
    const disturbed = running.filter(({ came }) => came === undefined);
    const { heard } = listening(subject.source);
    await changeAndHear(context, subject.source, heard);
    await someTurns();
    const names = subject.names();
    for (const { call, label, came } of disturbed) {
      if (came === undefined || typeof came === "string" || !names.includes(call.tool)) continue;
      return failed(`${label} is broken off by a change of the tools.`, done, outcomeLabel(came));
    }
    return passed(done);
  } finally {
    await Promise.all(running.map((call) => call.cancel()));
  }
}

function listText(source: ToolSource): string {
  try {
    return canonicalJson(source.tools().map(({ spec }) => spec));
  } catch {
    return "";
  }
}
