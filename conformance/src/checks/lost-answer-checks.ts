import { countOf, grownBy } from "../calling/effect-count.ts";
import { outcomeLabel, type CallResult } from "../execution/outcome.ts";
import { callLabel, executorOver, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, messageOf, notApplicable, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import { once } from "../context/once.ts";
import { whileLosing } from "../watching/during-outage.ts";

const done = "Made calls whose answers were lost, and counted their effects";

/** A call that was carried out and whose answer was lost. */
interface LostCall {
  readonly label: string;
  readonly came: CallResult;
  /** How often its effect happened, until some time after the connection was back. */
  readonly grown: number;
}

/** What becomes of a call that was accepted and whose answer does not come. */
export const lostAnswerChecks: readonly Check[] = [
  check("TW-OUTAGE-015", (context) =>
    lookAtLost(context, ({ grown, came }) =>
      grown <= 1
        ? undefined
        : {
            wrong: `has its effect ${grown} times when its answer is lost: do not repeat what may have been accepted`,
            seen: outcomeLabel(came),
          },
    ),
  ),

  check("TW-OUTAGE-016", (context) =>
    lookAtLost(context, ({ grown, came }) => {
      if (grown === 0 || isOpen(came)) return undefined;
      const wrong =
        "was carried out and fails as if it were not: throw a ToolError with outcome_unknown, or say that it may have run";
      return { wrong, seen: outcomeLabel(came) };
    }),
  ),
];

async function lookAtLost(
  context: CheckContext,
  faultOf: (call: LostCall) => Fault | undefined,
): Promise<Finding> {
  if (context.manifest.outage?.loseAnswers === undefined) {
    return notApplicable("The manifest gives no outage.loseAnswers.");
  }
  const calls = await once(context, "calls whose answers were lost", () => makeLost(context));
  if (calls.length === 0) {
    return notApplicable("Every sample call with an effect is of a tool that is idempotent.");
  }
  // What resumes a broken answer loses none.
  const lost = calls.filter(({ grown, came }) => grown > 1 || !hasSucceeded(came));
  if (lost.length === 0) return notApplicable("No sample call fails when its answer is lost.");
  const unaccepted = lost.find(({ grown }) => grown === 0);
  if (unaccepted !== undefined) {
    return failed(
      `${unaccepted.label} is not carried out at all: outage.loseAnswers has to let calls through.`,
      `${done}.`,
      outcomeLabel(unaccepted.came),
    );
  }
  return checkEach(lost, done, faultOf);
}

async function makeLost(context: CheckContext): Promise<readonly LostCall[]> {
  const tools = (await context.fresh()).callable();
  const executor = executorOver(tools);
  const made: LostCall[] = [];
  for (const call of context.samples("effectCalls")) {
    const annotations = tools.find(({ spec }) => spec.name === call.tool)?.spec.annotations;
    if (annotations?.idempotentHint === true || annotations?.readOnlyHint === true) continue;
    const before = await countOf(context, call);
    const came = await whileLosing(context, () =>
      runSample(context, executor, call).catch(messageOf),
    );
    // What is sent again need not be sent at once.
    await context.quiet();
    made.push({ label: callLabel(call), came, grown: await grownBy(context, call, before) });
  }
  return made;
}

function hasSucceeded(came: CallResult): boolean {
  return typeof came !== "string" && came.status === "completed" && !came.result.isError;
}

/** Codes after which a call may have run, whatever the words say. */
const openCodes: ReadonlySet<string> = new Set(["outcome_unknown", "timeout", "cancelled"]);

/** The error leaves open whether the call has run. */
function isOpen(came: CallResult): boolean {
  // That it does not end is for another rule.
  if (typeof came === "string" || came.status === "interrupted") return true;
  if (openCodes.has(came.error?.code ?? "")) return true;
  return /\b(?:may|might|could) have\b|\bunknown\b|\bnot known\b/i.test(outcomeLabel(came));
}
