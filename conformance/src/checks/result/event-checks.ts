import { type ToolProgress, isContentBlock, isObject } from "@toolweave/core/adapter";
import {
  isDeterministic,
  formatOutcome,
  successfulResult,
  type CallResult,
} from "../../execution/call-result.ts";
import { formatCall } from "../../execution/run-sample.ts";
import {
  recordLateUpdates,
  sentAlone,
  sentConcurrently,
  formatSent,
  makeUpdatingCalls,
  type UpdatingRun,
  type SentUpdate,
} from "../../calls/updating-calls.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { failed, notApplicable, passed, type Finding, type Fault } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import { findJsonDefect } from "../../faults/json-defect.ts";
import { outputFields } from "../../faults/returned-output.ts";

/** The maximum number of updates and progress reports of a call. */
const maxSent = 1000;
/** The maximum size of a progress message. An executor truncates longer ones. */
const maxMessageBytes = 1000;

/** Checks of updates and progress. */
export const eventChecks: readonly Check[] = [
  defineCheck("TW-EVENT-001", (context) =>
    checkRuns(context, "Made the calls that send updates or progress", ({ outcome, sent }) => {
      if (typeof outcome === "string") return { wrong: "does not end", seen: outcome };
      if (successfulResult(outcome) === undefined) {
        return { wrong: "does not complete", seen: formatOutcome(outcome) };
      }
      return sent.length > 0
        ? undefined
        : { wrong: "sends neither an update nor progress before its end", seen: "nothing" };
    }),
  ),

  defineCheck("TW-EVENT-002", (context) =>
    checkSent(context, "Checked each update", (sent) => findUpdateFault(sent)),
  ),

  defineCheck("TW-EVENT-003", (context) =>
    checkSent(context, "Checked each progress report", (sent) => findProgressFault(sent)),
  ),

  defineCheck("TW-EVENT-004", async (context) =>
    checkEach(
      await recordLateUpdates(context),
      "Waited a moment after each call",
      ({ afterEnd: [late] }) =>
        late === undefined
          ? undefined
          : { wrong: "sends something after its end", seen: formatSent(late) },
    ),
  ),

  defineCheck("TW-EVENT-005", async (context) => {
    const done = "Cancelled each call as soon as it sent something, and waited a moment";
    return checkEach(await recordLateUpdates(context), done, ({ afterCancel: [late] }) =>
      late === undefined
        ? undefined
        : { wrong: "continues to send after it was cancelled", seen: formatSent(late) },
    );
  }),

  defineCheck("TW-EVENT-006", (context) =>
    checkRuns(context, "Looked for a result in addition to the updates", ({ outcome, sent }) => {
      const displayed = sent.find((one) => one.kind === "update" && !isEmpty(one.given));
      return displayed === undefined || hasResult(outcome)
        ? undefined
        : { wrong: "sends updates but returns no result", seen: formatSent(displayed) };
    }),
  ),

  defineCheck("TW-EVENT-007", checkConcurrentUpdates),

  defineCheck("TW-EVENT-008", (context) =>
    checkRuns(context, "Compared streamingHint with what is sent", ({ streamingHint, sent }) =>
      streamingHint || !sent.some(({ kind }) => kind === "update")
        ? undefined
        : {
            wrong: "sends updates, but its tool has no streamingHint",
            seen: `${sent.length} sent`,
          },
    ),
  ),

  defineCheck("TW-EVENT-009", (context) =>
    checkRuns(context, "Counted what each call sends", ({ sent }) =>
      sent.length <= maxSent
        ? undefined
        : { wrong: `sends more than ${maxSent} updates and progress reports`, seen: sent.length },
    ),
  ),

  defineCheck("TW-EVENT-010", (context) =>
    checkRuns(context, "Followed the progress of each call", ({ sent }) =>
      findDecreasingProgress(sent),
    ),
  ),

  defineCheck("TW-EVENT-011", (context) =>
    checkSent(context, "Measured the progress messages", ({ kind, given }) => {
      if (kind !== "progress" || typeof given.message !== "string") return undefined;
      const bytes = new TextEncoder().encode(given.message).length;
      return bytes <= maxMessageBytes
        ? undefined
        : { wrong: `sends a progress message of ${bytes} bytes`, seen: given.message };
    }),
  ),
];

async function checkRuns(
  context: CheckContext,
  done: string,
  findFault: (run: UpdatingRun) => Fault | undefined,
): Promise<Finding> {
  return checkEach(await makeUpdatingCalls(context), done, findFault);
}

function checkSent(
  context: CheckContext,
  done: string,
  findFault: (sent: SentUpdate) => Fault | undefined,
): Promise<Finding> {
  return checkRuns(context, done, ({ sent }) => {
    for (const one of sent) {
      const fault = findFault(one);
      if (fault !== undefined) return fault;
    }
    return undefined;
  });
}

/** Finds an update that is not a valid tool output. */
function findUpdateFault({ kind, given }: SentUpdate): Fault | undefined {
  if (kind !== "update") return undefined;
  const update: unknown = given;
  if (update === undefined)
    return { wrong: "sends an update that is undefined", seen: "undefined" };
  if (update instanceof ArrayBuffer || ArrayBuffer.isView(update)) return undefined;
  if (isObject(update) && Array.isArray(update["content"])) {
    const foreign = Object.keys(update).find((field) => !outputFields.has(field));
    if (foreign === undefined && !update["content"].every(isContentBlock)) {
      return { wrong: "sends an update with a malformed block", seen: update["content"] };
    }
  }
  const defect = findJsonDefect(update);
  return defect === undefined
    ? undefined
    : { wrong: `sends an update that is not JSON, at "${defect.path}"`, seen: defect.what };
}

function findProgressFault({ kind, given }: SentUpdate): Fault | undefined {
  if (kind !== "progress") return undefined;
  const seen = Object.fromEntries(
    Object.entries(given ?? {}).map(([name, value]) => [name, String(value)]),
  );
  const { message, done, total }: { readonly [Name in keyof ToolProgress]?: unknown } = given ?? {};
  if (message === undefined && done === undefined && total === undefined) {
    return { wrong: "sends progress without message, done or total", seen };
  }
  for (const [name, number] of Object.entries({ done, total })) {
    if (number === undefined) continue;
    if (typeof number !== "number" || !Number.isFinite(number) || number < 0) {
      return { wrong: `sends progress whose ${name} is not a finite number of at least 0`, seen };
    }
  }
  return message === undefined || typeof message === "string"
    ? undefined
    : { wrong: "sends progress whose message is not a string", seen };
}

function findDecreasingProgress(sent: readonly SentUpdate[]): Fault | undefined {
  let before = 0;
  for (const { kind, given } of sent) {
    if (kind !== "progress" || given.done === undefined) continue;
    const { done, total } = given;
    if (done < before) return { wrong: `goes back from ${before} to ${done}`, seen: given };
    if (total !== undefined && done > total) {
      return { wrong: `is at ${done} of ${total}`, seen: given };
    }
    before = done;
  }
  return undefined;
}

function hasResult(outcome: CallResult): boolean {
  if (typeof outcome === "string" || outcome.status !== "completed") return true;
  const { content, value, artifacts } = outcome.result;
  return !isEmpty({ content, value }) || artifacts.length > 0;
}

/** True for an output without a value and without a block other than blank text. */
function isEmpty(output: unknown): boolean {
  if (output === undefined || output === null || output === "") return true;
  if (!isObject(output) || !Array.isArray(output["content"])) return false;
  return (
    output["value"] === undefined &&
    output["content"].every(
      (block: unknown) =>
        isObject(block) && block["type"] === "text" && String(block["text"]).trim() === "",
    )
  );
}

/**
 * Only calls that send the same each time they run alone can show that they sent something that
 * belongs to another call: something that only the other call sends when it runs alone.
 */
async function checkConcurrentUpdates(context: CheckContext): Promise<Finding> {
  const tools = (await context.createReady()).callableTools();
  const steady: { readonly run: UpdatingRun; readonly own: readonly string[] }[] = [];
  for (const run of await makeUpdatingCalls(context)) {
    const own = run.sent.map(formatSent);
    const again = await sentAlone(context, tools, run.call);
    if (JSON.stringify(own) === JSON.stringify(again)) steady.push({ run, own });
  }
  const [one, other] = steady.flatMap((first) => {
    const second = steady.find(({ own }) => own.some((text) => !first.own.includes(text)));
    return second === undefined ? [] : [first, second];
  });
  if (one === undefined || other === undefined) {
    return notApplicable(
      "There are no two sample calls that each send the same every time and differ from each other.",
    );
  }
  const done = `Made ${one.run.label} and ${other.run.label} concurrently.`;
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const) {
    const sent = await sentConcurrently(context, tools, [first.run.call, second.run.call]);
    for (const [at, own, foreign] of [
      [0, first, second],
      [1, second, first],
    ] as const) {
      const misplaced = sent[at]?.find(
        (text) => !own.own.includes(text) && foreign.own.includes(text),
      );
      if (misplaced === undefined) continue;
      const again = async (): Promise<string> =>
        JSON.stringify(await sentAlone(context, tools, own.run.call));
      if (!(await isDeterministic(JSON.stringify(own.own), again))) continue;
      const message = `${formatCall(own.run.call)} sends updates of the concurrent call ${foreign.run.label}.`;
      return failed(message, done, misplaced);
    }
  }
  return passed(done);
}
