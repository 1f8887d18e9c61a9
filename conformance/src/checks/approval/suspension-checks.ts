import type { Interruption, ToolExecutor, ToolOutcome } from "@toolweave/core";
import { formatOutcome, successfulResult, type CallResult } from "../../execution/call-result.ts";
import { formatCall, labelCalls, runSample } from "../../execution/run-sample.ts";
import { formatSent } from "../../calls/updating-calls.ts";
import {
  answerUntilDone,
  PersonStub,
  countEffectsOrZero,
  rejectRequest,
  observeWaitingCalls,
  interruptCall,
  makeWaitingCalls,
  type AnswerRequest,
} from "../../calls/waiting-calls.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { notApplicable, type Finding, type Fault } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import type { SuspendingCall } from "../../contract/manifest.ts";
import { findRequestFault } from "../../faults/request-fault.ts";
import { approvalChecks } from "./approval-checks.ts";

const maxStateLength = 65_536;

/** Checks of calls that wait for a person. */
export const suspensionChecks: readonly Check[] = [
  defineCheck("TW-SUSPEND-001", async (context) =>
    checkEach(
      await makeWaitingCalls(context),
      "Made the calls that wait for a person",
      ({ outcome }) => {
        if (typeof outcome === "string") return { wrong: "neither waits nor ends", seen: outcome };
        if (outcome.status !== "interrupted") {
          return { wrong: "does not wait for a person", seen: formatOutcome(outcome) };
        }
        return outcome.interruption.requests.length > 0
          ? undefined
          : {
              wrong: "waits without a request, so that it cannot be answered",
              seen: "no requests",
            };
      },
    ),
  ),

  defineCheck("TW-SUSPEND-002", async (context) =>
    checkEach(
      await makeWaitingCalls(context),
      "Checked the requests to a person",
      async ({ outcome }) => {
        if (typeof outcome === "string" || outcome.status !== "interrupted") return undefined;
        const { requests } = outcome.interruption;
        for (const request of requests) {
          const wrong = await findRequestFault(request);
          if (wrong !== undefined) return { wrong, seen: request };
        }
        return undefined;
      },
    ),
  ),

  defineCheck("TW-SUSPEND-003", async (context) => {
    const executor = new PersonStub().executor((await context.createReady()).callableTools());
    return checkCalls(context, "Answered each call that waits", async (call) => {
      const waiting = await interruptCall(context, executor, call);
      if (waiting === undefined) return undefined;
      const { outcome } = await answerUntilDone(context, executor, waiting, call.answer);
      return findUnfinished(outcome, "is answered");
    });
  }),

  defineCheck("TW-SUSPEND-004", async (context) => {
    const person = new PersonStub();
    const asking = person.executor((await context.createReady()).callableTools());
    const resuming = person.executor((await context.createReady()).callableTools());
    const elsewhere = "is answered in another instance (put everything into the state)";
    const done = "Answered each call that waits in another instance and executor";
    return checkCalls(context, done, async (call) => {
      const waiting = await interruptCall(context, asking, call);
      if (waiting === undefined) return undefined;
      const { outcome, rounds } = await answerUntilDone(context, resuming, waiting, call.answer);
      const fault = findUnfinished(outcome, elsewhere);
      if (fault !== undefined || rounds === 1) return fault;
      const again = await interruptCall(context, asking, call);
      if (again === undefined) return undefined;
      const usual = (await answerUntilDone(context, asking, again, call.answer)).rounds;
      return rounds <= usual
        ? undefined
        : { wrong: `asks once more when it ${elsewhere}`, seen: `${rounds} times, not ${usual}` };
    });
  }),

  defineCheck("TW-SUSPEND-005", async (context) => {
    const counted = (await observeWaitingCalls(context)).filter(
      ({ call }) => call.count !== undefined,
    );
    if (counted.length === 0) return noCount;
    return checkEach(counted, "Counted the effects of calls that wait", ({ newEffects }) =>
      newEffects === 0
        ? undefined
        : { wrong: "has its effect before it is answered", seen: `${newEffects} more` },
    );
  }),

  defineCheck("TW-SUSPEND-006", async (context) => {
    const calls = context.samples("suspendingCalls").filter(({ count }) => count !== undefined);
    if (calls.length === 0) return noCount;
    const executor = new PersonStub().executor((await context.createReady()).callableTools());
    return checkEach(
      labelCalls(calls),
      "Counted the effects of answered calls",
      async ({ call }) => {
        const { newEffects, outcome } = await answerAndCount(context, executor, call, call.answer);
        return outcome === undefined || newEffects === 1
          ? undefined
          : {
              wrong: `has its effect ${newEffects} times when it is answered once`,
              seen: `${newEffects} more`,
            };
      },
    );
  }),

  defineCheck("TW-SUSPEND-007", async (context) => {
    const executor = new PersonStub().executor((await context.createReady()).callableTools());
    return checkCalls(context, "Rejected each call that waits", async (call) => {
      const { newEffects, outcome } = await answerAndCount(context, executor, call, rejectRequest);
      if (outcome?.status === "interrupted") {
        return {
          wrong: "makes another request each time it is rejected",
          seen: formatRequests(outcome),
        };
      }
      return newEffects === 0
        ? undefined
        : { wrong: "has its effect although it was rejected", seen: `${newEffects} more` };
    });
  }),

  defineCheck("TW-SUSPEND-008", async (context) => {
    const executor = new PersonStub().executor((await context.createReady()).callableTools());
    const done = "Repeated each call that waits, before it was answered";
    return checkEach(await makeWaitingCalls(context), done, async ({ call, outcome }) => {
      const first = formatRequests(outcome);
      for (let time = 0; time < 2; time++) {
        const again = formatRequests(await runSample(context, executor, call));
        if (again === first) continue;
        return {
          wrong: "does not make the same request each time",
          seen: `${first}; then ${again}`,
        };
      }
      return undefined;
    });
  }),

  defineCheck("TW-SUSPEND-009", async (context) => {
    const executor = new PersonStub().executor((await context.createReady()).callableTools());
    const calls = context.samples("suspendingCalls");
    const pairs = calls.map((call, at) => ({
      label: formatCall(call),
      call,
      other: calls[(at + 1) % calls.length] ?? call,
    }));
    const done = "Answered each call while another one waits, and then the other one";
    return checkEach(pairs, done, ({ call, other }) =>
      findPairFault(context, executor, call, other),
    );
  }),

  defineCheck("TW-SUSPEND-010", async (context) =>
    checkEach(
      await observeWaitingCalls(context),
      "Observed each waiting call for a moment",
      ({ sent: [late] }) =>
        late === undefined
          ? undefined
          : { wrong: "sends something while it waits for a person", seen: formatSent(late) },
    ),
  ),

  defineCheck("TW-SUSPEND-011", async (context) =>
    checkEach(
      await makeWaitingCalls(context),
      "Measured the state of each call",
      ({ stateLength }) =>
        stateLength <= maxStateLength
          ? undefined
          : {
              wrong: `has a state of ${stateLength} characters of JSON while it waits`,
              seen: stateLength,
            },
    ),
  ),

  defineCheck("TW-SUSPEND-013", async (context) => {
    const person = new PersonStub();
    const resuming = person.executor((await context.createReady()).callableTools());
    const done = "Closed the source of each call that waits, and answered it in another instance";
    return checkCalls(context, done, async (call) => {
      const first = await context.createReady();
      const waiting = await interruptCall(context, person.executor(first.callableTools()), call);
      await context.withDeadline(first.source.close(), "close()");
      if (waiting === undefined) return undefined;
      const { outcome } = await answerUntilDone(context, resuming, waiting, call.answer);
      return findUnfinished(
        outcome,
        "is answered after the source that it was made with was closed",
      );
    });
  }),

  ...approvalChecks,
];
const noCount: Finding = notApplicable("No sample call that waits has a count.");

function checkCalls(
  context: CheckContext,
  done: string,
  findFault: (call: SuspendingCall) => Promise<Fault | undefined>,
): Promise<Finding> {
  return checkEach(labelCalls(context.samples("suspendingCalls")), done, ({ call }) =>
    findFault(call),
  );
}

/** Finds the fault of an answered call that did not complete. */
function findUnfinished(outcome: ToolOutcome, when: string): Fault | undefined {
  if (outcome.status === "interrupted") {
    return { wrong: `keeps asking when it ${when}`, seen: formatRequests(outcome) };
  }
  return successfulResult(outcome) === undefined
    ? { wrong: `does not complete when it ${when}`, seen: formatOutcome(outcome) }
    : undefined;
}

/**
 * Formats the requests of an outcome, as far as they are the same each time: their number and
 * types.
 */
function formatRequests(outcome: CallResult): string {
  return typeof outcome !== "string" && outcome.status === "interrupted"
    ? `waits for ${outcome.interruption.requests.map(({ type }) => type).join(", ")}`
    : formatOutcome(outcome);
}

/** Makes a call that waits, answers it, and counts its effects. */
async function answerAndCount(
  context: CheckContext,
  executor: ToolExecutor,
  call: SuspendingCall,
  answer: AnswerRequest,
): Promise<{ readonly newEffects: number; readonly outcome?: ToolOutcome }> {
  const before = await countEffectsOrZero(context, call);
  const waiting = await interruptCall(context, executor, call);
  if (waiting === undefined) return { newEffects: 0 };
  const { outcome } = await answerUntilDone(context, executor, waiting, answer);
  return { outcome, newEffects: (await countEffectsOrZero(context, call)) - before };
}

/**
 * Makes two calls that wait at the same time, and answers the second one first. Both must complete.
 */
async function findPairFault(
  context: CheckContext,
  executor: ToolExecutor,
  call: SuspendingCall,
  other: SuspendingCall,
): Promise<Fault | undefined> {
  const waiting: { readonly one: SuspendingCall; readonly interruption: Interruption }[] = [];
  for (const [at, one] of [call, other].entries()) {
    const interruption = await interruptCall(context, executor, one, `conformance:${at}`);
    if (interruption === undefined) return undefined;
    waiting.push({ one, interruption });
  }
  for (const { one, interruption } of waiting.toReversed()) {
    const before = await countEffectsOrZero(context, one);
    const { outcome } = await answerUntilDone(context, executor, interruption, one.answer);
    const beside = one === call ? formatCall(other) : formatCall(call);
    const fault = findUnfinished(
      outcome,
      `is answered, and ${beside} waits or has waited at the same time`,
    );
    if (fault !== undefined) return fault;
    const newEffects = (await countEffectsOrZero(context, one)) - before;
    if (one.count === undefined || newEffects === 1) continue;
    return {
      wrong: `has its effect ${newEffects} times when ${beside} waits at the same time`,
      seen: `${newEffects} more`,
    };
  }
  return undefined;
}
