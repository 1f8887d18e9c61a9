import { countEffects, countNewEffects } from "../../calls/effect-count.ts";
import { formatOutcome, type CallResult } from "../../execution/call-result.ts";
import { formatCall, createExecutor, runSample } from "../../execution/run-sample.ts";
import { defineCheck, memoizePerRun, type Check, type CheckContext } from "../../context/check.ts";
import {
  failed,
  formatError,
  notApplicable,
  type Finding,
  type Fault,
} from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import { duringLostResponses } from "../../observation/observed-outage.ts";

const done = "Made calls whose responses were lost, and counted their effects";

/** A call that was carried out and whose response was lost. */
interface LostCall {
  readonly label: string;
  readonly callResult: CallResult;
  /** How often its effect happened, until some time after the outage. */
  readonly newEffects: number;
}

/** Checks of calls whose response is lost. */
export const lostAnswerChecks: readonly Check[] = [
  defineCheck("TW-OUTAGE-015", (context) =>
    checkLostCalls(context, ({ newEffects, callResult }) =>
      newEffects <= 1
        ? undefined
        : {
            wrong: `has its effect ${newEffects} times when its response is lost: do not retry a call that may have been accepted`,
            seen: formatOutcome(callResult),
          },
    ),
  ),

  defineCheck("TW-OUTAGE-016", (context) =>
    checkLostCalls(context, ({ newEffects, callResult }) => {
      if (newEffects === 0 || isUncertain(callResult)) return undefined;
      const wrong =
        "was carried out, but fails as if it had not been: throw a ToolError with outcome_unknown, or say that it may have run";
      return { wrong, seen: formatOutcome(callResult) };
    }),
  ),
];

async function checkLostCalls(
  context: CheckContext,
  findFault: (call: LostCall) => Fault | undefined,
): Promise<Finding> {
  if (context.manifest.outage?.loseAnswers === undefined) {
    return notApplicable("The manifest has no outage.loseAnswers.");
  }
  const calls = await memoizePerRun(context, "calls whose answers were lost", () =>
    makeLostCalls(context),
  );
  if (calls.length === 0) {
    return notApplicable("Every sample call with an effect uses an idempotent tool.");
  }
  // A tool that resumes an interrupted response loses none.
  const lost = calls.filter(
    ({ newEffects, callResult }) => newEffects > 1 || !hasSucceeded(callResult),
  );
  if (lost.length === 0) return notApplicable("No sample call fails when its response is lost.");
  const unaccepted = lost.find(({ newEffects }) => newEffects === 0);
  if (unaccepted !== undefined) {
    return failed(
      `${unaccepted.label} is not carried out: outage.loseAnswers has to let calls through.`,
      `${done}.`,
      formatOutcome(unaccepted.callResult),
    );
  }
  return checkEach(lost, done, findFault);
}

async function makeLostCalls(context: CheckContext): Promise<readonly LostCall[]> {
  const tools = (await context.createReady()).callableTools();
  const executor = createExecutor(tools);
  const made: LostCall[] = [];
  for (const call of context.samples("effectCalls")) {
    const annotations = tools.find(({ spec }) => spec.name === call.tool)?.spec.annotations;
    if (annotations?.idempotentHint === true || annotations?.readOnlyHint === true) continue;
    const before = await countEffects(context, call);
    const callResult = await duringLostResponses(context, () =>
      runSample(context, executor, call).catch(formatError),
    );
    // A retry may come later.
    await context.waitQuietly();
    made.push({
      label: formatCall(call),
      callResult,
      newEffects: await countNewEffects(context, call, before),
    });
  }
  return made;
}

function hasSucceeded(callResult: CallResult): boolean {
  return (
    typeof callResult !== "string" &&
    callResult.status === "completed" &&
    !callResult.result.isError
  );
}

/** Codes of calls that may have run, whatever the message says. */
const uncertainCodes: ReadonlySet<string> = new Set(["outcome_unknown", "timeout", "cancelled"]);

/** True if the error says that the call may have run. */
function isUncertain(callResult: CallResult): boolean {
  // Another rule reports a call that does not end.
  if (typeof callResult === "string" || callResult.status === "interrupted") return true;
  if (uncertainCodes.has(callResult.error?.code ?? "")) return true;
  return /\b(?:may|might|could) have\b|\bunknown\b|\bnot known\b/i.test(formatOutcome(callResult));
}
