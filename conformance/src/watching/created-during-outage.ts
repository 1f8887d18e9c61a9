import { ToolError } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { messageOf } from "../contract/finding.ts";
import { once } from "../context/once.ts";
import type { Subject } from "../context/subject.ts";
import { someTurns, StrayErrors } from "../context/stray-errors.ts";
import { duringOutage } from "./during-outage.ts";

/** What came of a source that was made while its backend was away. */
export interface CreatedDuringOutage {
  /** Why there is no source at all; absent: there is one. */
  readonly unmade?: string;
  /** Why ready was not waited for any longer; absent: it settled. */
  readonly late?: string;
  /** What it rejected with that is no `ToolError`. */
  readonly wrongError?: string;
  /** The first error that escaped while nobody waited for ready. */
  readonly escaped?: string;
}

/** Makes a source while its backend is away, once for all rules that look at what comes of it. */
export function createdDuringOutage(context: CheckContext): Promise<CreatedDuringOutage> {
  return once(context, "made while away", async () => {
    using errors = new StrayErrors(context.manifest);
    return await errors.run(() =>
      duringOutage(context, async (): Promise<CreatedDuringOutage> => {
        let subject: Subject;
        try {
          subject = await context.created();
        } catch (error) {
          return { unmade: `create() itself fails while the backend is away: ${messageOf(error)}` };
        }
        await context.quiet();
        await someTurns();
        const [escaped] = errors.caught.map(messageOf);
        const found = escaped === undefined ? {} : { escaped };
        let wrongError: string | undefined;
        const settled = Promise.resolve(subject.source.ready).catch((error: unknown) => {
          if (!ToolError.is(error)) wrongError = messageOf(error);
        });
        try {
          await context.within(settled, "ready");
        } catch (error) {
          return { ...found, late: messageOf(error) };
        }
        await someTurns();
        return { ...found, ...(wrongError === undefined ? {} : { wrongError }) };
      }),
    );
  });
}
