import { check, type Check } from "../context/check.ts";
import { failed, messageOf, notApplicable, passed } from "../contract/finding.ts";
import { createdDuringOutage } from "../watching/created-during-outage.ts";
import { openLabel, remainsOf } from "../watching/remains.ts";
import { sheltered } from "../context/stray-errors.ts";
import { duringOutage } from "../watching/during-outage.ts";

/** What becomes of a source that is made while its backend is away. */
export const absentBackendChecks: readonly Check[] = [
  check("TW-OUTAGE-006", async (context) => {
    const { unmade, late, wrongError } = await createdDuringOutage(context);
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
        const { open, listeners } = await duringOutage(context, () => remainsOf(context, live));
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
    const { unmade, escaped } = await createdDuringOutage(context);
    if (unmade !== undefined) return notApplicable(unmade);
    const done = "Made a source while the backend was away, and left it alone for a while.";
    return escaped === undefined
      ? passed(done)
      : failed(
          "A rejection that nobody handles ends the process: give ready a catch of its own.",
          done,
          escaped,
        );
  }),
];
