import { defineCheck, type Check } from "../../context/check.ts";
import { failed, formatError, notApplicable, passed } from "../../contract/finding.ts";
import { createDuringOutage } from "../../observation/created-during-outage.ts";
import { formatOpenResources, findOpenParts } from "../../observation/open-parts.ts";
import { containErrors } from "../../context/escaped-errors.ts";
import { duringOutage } from "../../observation/during-outage.ts";

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
