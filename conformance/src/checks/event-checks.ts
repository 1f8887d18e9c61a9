import { isContentBlock, type ToolProgress } from "@toolweave/core";
import { isAlwaysSame } from "../calling/always-same.ts";
import { outcomeLabel, succeeded, type CallResult } from "../execution/outcome.ts";
import { callLabel } from "../execution/sample-run.ts";
import {
  lateRuns,
  sentAlone,
  sentSideBySide,
  sentText,
  updatingRuns,
  type UpdatingRun,
} from "../calling/updating-calls.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, notApplicable, passed, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import { jsonDefect } from "../reading/json-defect.ts";
import { outputFields } from "../reading/returned-output.ts";
import { isObject } from "../schema/subschemas.ts";
import type { Sent } from "../watching/sent.ts";

/** More than anybody can follow. */
const mostSent = 1000;
/** An executor cuts what is longer. */
const mostMessageBytes = 1000;

/** What a call tells while it runs. */
export const eventChecks: readonly Check[] = [
  check("TW-EVENT-001", (context) =>
    lookAtRuns(context, "Made the calls that show how far they are", ({ outcome, sent }) => {
      if (typeof outcome === "string") return { wrong: "does not come to an end", seen: outcome };
      if (succeeded(outcome) === undefined) {
        return { wrong: "does not complete", seen: outcomeLabel(outcome) };
      }
      return sent.length > 0
        ? undefined
        : { wrong: "sends neither an update nor progress before its end", seen: "nothing" };
    }),
  ),

  check("TW-EVENT-002", (context) =>
    lookAtSent(context, "Looked at each update", (sent) => updateFault(sent)),
  ),

  check("TW-EVENT-003", (context) =>
    lookAtSent(context, "Looked at each report of progress", (sent) => progressFault(sent)),
  ),

  check("TW-EVENT-004", async (context) =>
    checkEach(await lateRuns(context), "Waited a moment after each call", ({ afterEnd: [late] }) =>
      late === undefined
        ? undefined
        : { wrong: "sends something after its end", seen: sentText(late) },
    ),
  ),

  check("TW-EVENT-005", async (context) => {
    const done = "Cancelled each call as soon as it sent something, and waited a moment";
    return checkEach(await lateRuns(context), done, ({ afterCancel: [late] }) =>
      late === undefined
        ? undefined
        : { wrong: "was cancelled and goes on sending", seen: sentText(late) },
    );
  }),

  check("TW-EVENT-006", (context) =>
    lookAtRuns(context, "Looked for an answer beside the updates", ({ outcome, sent }) => {
      const shown = sent.find((one) => one.kind === "update" && !isEmpty(one.given));
      return shown === undefined || hasAnswer(outcome)
        ? undefined
        : { wrong: "shows something and answers nothing", seen: sentText(shown) };
    }),
  ),

  check("TW-EVENT-007", sideBySide),

  check("TW-EVENT-008", (context) =>
    lookAtRuns(context, "Compared streamingHint with what is sent", ({ streamingHint, sent }) =>
      streamingHint || !sent.some(({ kind }) => kind === "update")
        ? undefined
        : {
            wrong: "sends updates, and its tool has no streamingHint",
            seen: `${sent.length} sent`,
          },
    ),
  ),

  check("TW-EVENT-009", (context) =>
    lookAtRuns(context, "Counted what each call sends", ({ sent }) =>
      sent.length <= mostSent
        ? undefined
        : { wrong: `sends more than ${mostSent} updates and reports`, seen: sent.length },
    ),
  ),

  check("TW-EVENT-010", (context) =>
    lookAtRuns(context, "Followed the progress of each call", ({ sent }) => backwardFault(sent)),
  ),

  check("TW-EVENT-011", (context) =>
    lookAtSent(context, "Measured the messages of progress", ({ kind, given }) => {
      if (kind !== "progress" || typeof given.message !== "string") return undefined;
      const bytes = new TextEncoder().encode(given.message).length;
      return bytes <= mostMessageBytes
        ? undefined
        : { wrong: `sends a message of ${bytes} bytes`, seen: given.message };
    }),
  ),
];

async function lookAtRuns(
  context: CheckContext,
  done: string,
  faultOf: (run: UpdatingRun) => Fault | undefined,
): Promise<Finding> {
  return checkEach(await updatingRuns(context), done, faultOf);
}

function lookAtSent(
  context: CheckContext,
  done: string,
  faultOf: (sent: Sent) => Fault | undefined,
): Promise<Finding> {
  return lookAtRuns(context, done, ({ sent }) => {
    for (const one of sent) {
      const fault = faultOf(one);
      if (fault !== undefined) return fault;
    }
    return undefined;
  });
}

/** What is no output of a tool, or is one that comes out as something else. */
function updateFault({ kind, given }: Sent): Fault | undefined {
  if (kind !== "update") return undefined;
  const update: unknown = given;
  if (update === undefined) return { wrong: "sends an update of nothing", seen: "undefined" };
  if (update instanceof ArrayBuffer || ArrayBuffer.isView(update)) return undefined;
  if (isObject(update) && Array.isArray(update["content"])) {
    const foreign = Object.keys(update).find((field) => !outputFields.has(field));
    if (foreign === undefined && !update["content"].every(isContentBlock)) {
      return { wrong: "sends an update with a malformed block", seen: update["content"] };
    }
  }
  const defect = jsonDefect(update);
  return defect === undefined
    ? undefined
    : { wrong: `sends an update that is not JSON, at "${defect.path}"`, seen: defect.what };
}

function progressFault({ kind, given }: Sent): Fault | undefined {
  if (kind !== "progress") return undefined;
  const seen = Object.fromEntries(
    Object.entries(given ?? {}).map(([name, value]) => [name, String(value)]),
  );
  const { message, done, total }: { readonly [Name in keyof ToolProgress]?: unknown } = given ?? {};
  if (message === undefined && done === undefined && total === undefined) {
    return { wrong: "sends progress that says nothing: give message, done or total", seen };
  }
  for (const [name, number] of Object.entries({ done, total })) {
    if (number === undefined) continue;
    if (typeof number !== "number" || !Number.isFinite(number) || number < 0) {
      return { wrong: `sends progress whose ${name} is no finite number from 0 on`, seen };
    }
  }
  return message === undefined || typeof message === "string"
    ? undefined
    : { wrong: "sends progress whose message is no text", seen };
}

function backwardFault(sent: readonly Sent[]): Fault | undefined {
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

function hasAnswer(outcome: CallResult): boolean {
  if (typeof outcome === "string" || outcome.status !== "completed") return true;
  const { content, value, artifacts } = outcome.result;
  return !isEmpty({ content, value }) || artifacts.length > 0;
}

/** Neither a value, nor a block that is more than blank text. */
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
 * Only calls that send the same each time they are made alone can show that something of another came
 * to them: what alone only the other sends.
 */
async function sideBySide(context: CheckContext): Promise<Finding> {
  const tools = (await context.fresh()).callable();
  const steady: { readonly run: UpdatingRun; readonly own: readonly string[] }[] = [];
  for (const run of await updatingRuns(context)) {
    const own = run.sent.map(sentText);
    const again = await sentAlone(context, tools, run.call);
    if (JSON.stringify(own) === JSON.stringify(again)) steady.push({ run, own });
  }
  const [one, other] = steady.flatMap((first) => {
    const second = steady.find(({ own }) => own.some((text) => !first.own.includes(text)));
    return second === undefined ? [] : [first, second];
  });
  if (one === undefined || other === undefined) {
    return notApplicable(
      "No two sample calls send the same each time, and not the same as each other.",
    );
  }
  const done = `Made ${one.run.label} and ${other.run.label} at the same time.`;
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const) {
    const sent = await sentSideBySide(context, tools, [first.run.call, second.run.call]);
    for (const [at, own, foreign] of [
      [0, first, second],
      [1, second, first],
    ] as const) {
      const stray = sent[at]?.find((text) => !own.own.includes(text) && foreign.own.includes(text));
      if (stray === undefined) continue;
      const again = async (): Promise<string> =>
        JSON.stringify(await sentAlone(context, tools, own.run.call));
      if (!(await isAlwaysSame(JSON.stringify(own.own), again))) continue;
      const message = `${callLabel(own.run.call)} sends what belongs to ${foreign.run.label}, which runs beside it.`;
      return failed(message, done, stray);
    }
  }
  return passed(done);
}
