import { ToolError } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { formatError } from "../contract/finding.ts";
import { memoizePerRun } from "../context/memoize-per-run.ts";
import type { Subject } from "../context/subject.ts";
import { waitForTurns, EscapedErrors } from "../context/escaped-errors.ts";
import { duringOutage } from "./during-outage.ts";

/** The observations of a source that was created while its backend was unavailable. */
export interface CreatedDuringOutage {
  /** Why there is no source; absent if there is one. */
  readonly creationError?: string;
  /** The timeout message; absent if ready settled. */
  readonly late?: string;
  /** The error that ready rejected with, if it is no `ToolError`. */
  readonly wrongError?: string;
  /** The first error that escaped while ready was not awaited. */
  readonly escaped?: string;
}

/** Creates a source while its backend is unavailable, once for all rules. */
export function createDuringOutage(context: CheckContext): Promise<CreatedDuringOutage> {
  return memoizePerRun(context, "made while away", async () => {
    using errors = new EscapedErrors(context.manifest);
    return await errors.run(() =>
      duringOutage(context, async (): Promise<CreatedDuringOutage> => {
        let subject: Subject;
        try {
          subject = await context.create();
        } catch (error) {
          return {
            creationError: `create() itself fails while the backend is unavailable: ${formatError(error)}`,
          };
        }
        await context.waitQuietly();
        await waitForTurns();
        const [escaped] = errors.caught.map(formatError);
        const found = escaped === undefined ? {} : { escaped };
        let wrongError: string | undefined;
        const settled = Promise.resolve(subject.source.ready).catch((error: unknown) => {
          if (!ToolError.is(error)) wrongError = formatError(error);
        });
        try {
          await context.withDeadline(settled, "ready");
        } catch (error) {
          return { ...found, late: formatError(error) };
        }
        await waitForTurns();
        return { ...found, ...(wrongError === undefined ? {} : { wrongError }) };
      }),
    );
  });
}
