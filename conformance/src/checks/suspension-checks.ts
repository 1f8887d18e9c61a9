import type { Interruption, ToolExecutor, ToolOutcome } from "@toolweave/core";
import { outcomeLabel, succeeded, type CallResult } from "../execution/outcome.ts";
import { callLabel, labelled, runSample } from "../execution/sample-run.ts";
import { sentText } from "../calling/updating-calls.ts";
import {
  answered,
  PersonStub,
  effects,
  refuse,
  waitedRuns,
  waitingCall,
  waitingRuns,
  type Say,
} from "../calling/waiting-calls.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { notApplicable, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import type { SuspendingCall } from "../contract/manifest.ts";
import { requestFault } from "../reading/request-fault.ts";
import { approvalChecks } from "./approval-checks.ts";

const mostState = 65_536;

/** How calls wait for a person and go on. */
export const suspensionChecks: readonly Check[] = [
  check("TW-SUSPEND-001", async (context) =>
    checkEach(
      await waitingRuns(context),
      "Made the calls that wait for a person",
      ({ outcome }) => {
        if (typeof outcome === "string") return { wrong: "neither waits nor ends", seen: outcome };
        if (outcome.status !== "interrupted") {
          return { wrong: "does not wait for a person", seen: outcomeLabel(outcome) };
        }
        return outcome.interruption.requests.length > 0
          ? undefined
          : {
              wrong: "waits and asks for nothing, so that nobody knows what to answer",
              seen: "no requests",
            };
      },
    ),
  ),

  check("TW-SUSPEND-002", async (context) =>
    checkEach(
      await waitingRuns(context),
      "Looked at what a person is asked",
      async ({ outcome }) => {
        if (typeof outcome === "string" || outcome.status !== "interrupted") return undefined;
        const { requests } = outcome.interruption;
        for (const request of requests) {
          const wrong = await requestFault(request);
          if (wrong !== undefined) return { wrong, seen: request };
        }
        return undefined;
      },
    ),
  ),

  check("TW-SUSPEND-003", async (context) => {
    const executor = new PersonStub().executor((await context.fresh()).callable());
    return lookAtCalls(context, "Answered each call that waits", async (call) => {
      const waiting = await waitingCall(context, executor, call);
      if (waiting === undefined) return undefined;
      const { outcome } = await answered(context, executor, waiting, call.answer);
      return unfinished(outcome, "is answered");
    });
  }),

  check("TW-SUSPEND-004", async (context) => {
    const desk = new PersonStub();
    const asking = desk.executor((await context.fresh()).callable());
    const going = desk.executor((await context.fresh()).callable());
    const elsewhere = "is answered in another instance (keep all in the state)";
    const done = "Answered each call that waits in another instance and executor";
    return lookAtCalls(context, done, async (call) => {
      const waiting = await waitingCall(context, asking, call);
      if (waiting === undefined) return undefined;
      const { outcome, rounds } = await answered(context, going, waiting, call.answer);
      const fault = unfinished(outcome, elsewhere);
      if (fault !== undefined || rounds === 1) return fault;
      const again = await waitingCall(context, asking, call);
      if (again === undefined) return undefined;
      const usual = (await answered(context, asking, again, call.answer)).rounds;
      return rounds <= usual
        ? undefined
        : { wrong: `asks once more when it ${elsewhere}`, seen: `${rounds} times, not ${usual}` };
    });
  }),

  check("TW-SUSPEND-005", async (context) => {
    const counted = (await waitedRuns(context)).filter(({ call }) => call.count !== undefined);
    if (counted.length === 0) return noCount;
    return checkEach(counted, "Counted the effects of calls that wait", ({ grown }) =>
      grown === 0
        ? undefined
        : { wrong: "has its effect before anybody has answered", seen: `${grown} more` },
    );
  }),

  check("TW-SUSPEND-006", async (context) => {
    const calls = context.samples("suspendingCalls").filter(({ count }) => count !== undefined);
    if (calls.length === 0) return noCount;
    const executor = new PersonStub().executor((await context.fresh()).callable());
    return checkEach(
      labelled(calls),
      "Counted the effects of calls that were answered",
      async ({ call }) => {
        const { grown, outcome } = await effectsOf(context, executor, call, call.answer);
        return outcome === undefined || grown === 1
          ? undefined
          : {
              wrong: `has its effect ${grown} times when it is answered once`,
              seen: `${grown} more`,
            };
      },
    );
  }),

  check("TW-SUSPEND-007", async (context) => {
    const executor = new PersonStub().executor((await context.fresh()).callable());
    return lookAtCalls(context, "Answered each call that waits with a no", async (call) => {
      const { grown, outcome } = await effectsOf(context, executor, call, refuse);
      if (outcome?.status === "interrupted") {
        return { wrong: "asks again and again when a person says no", seen: requestsOf(outcome) };
      }
      return grown === 0
        ? undefined
        : { wrong: "has its effect although a person said no", seen: `${grown} more` };
    });
  }),

  check("TW-SUSPEND-008", async (context) => {
    const executor = new PersonStub().executor((await context.fresh()).callable());
    const done = "Made each call that waits again, before anybody had answered";
    return checkEach(await waitingRuns(context), done, async ({ call, outcome }) => {
      const first = requestsOf(outcome);
      for (let time = 0; time < 2; time++) {
        const again = requestsOf(await runSample(context, executor, call));
        if (again === first) continue;
        return { wrong: "does not ask for the same each time", seen: `${first}; then ${again}` };
      }
      return undefined;
    });
  }),

  check("TW-SUSPEND-009", async (context) => {
    const executor = new PersonStub().executor((await context.fresh()).callable());
    const calls = context.samples("suspendingCalls");
    const pairs = calls.map((call, at) => ({
      label: callLabel(call),
      call,
      other: calls[(at + 1) % calls.length] ?? call,
    }));
    const done = "Answered each call while another one waits, and then that one";
    return checkEach(pairs, done, ({ call, other }) => pairFault(context, executor, call, other));
  }),

  check("TW-SUSPEND-010", async (context) =>
    checkEach(await waitedRuns(context), "Waited a moment with each call", ({ sent: [late] }) =>
      late === undefined
        ? undefined
        : { wrong: "goes on sending while it waits for a person", seen: sentText(late) },
    ),
  ),

  check("TW-SUSPEND-011", async (context) =>
    checkEach(await waitingRuns(context), "Measured what each call keeps", ({ stateLength }) =>
      stateLength <= mostState
        ? undefined
        : { wrong: `keeps ${stateLength} characters of JSON while it waits`, seen: stateLength },
    ),
  ),

  check("TW-SUSPEND-013", async (context) => {
    const desk = new PersonStub();
    const going = desk.executor((await context.fresh()).callable());
    const done = "Closed the source of each call that waits, and answered it in another instance";
    return lookAtCalls(context, done, async (call) => {
      const first = await context.fresh();
      const waiting = await waitingCall(context, desk.executor(first.callable()), call);
      await context.within(first.source.close(), "close()");
      if (waiting === undefined) return undefined;
      const { outcome } = await answered(context, going, waiting, call.answer);
      return unfinished(outcome, "is answered after the source that it was made with was closed");
    });
  }),

  ...approvalChecks,
];
const noCount: Finding = notApplicable("No sample call that waits has a count.");

function lookAtCalls(
  context: CheckContext,
  done: string,
  faultOf: (call: SuspendingCall) => Promise<Fault | undefined>,
): Promise<Finding> {
  return checkEach(labelled(context.samples("suspendingCalls")), done, ({ call }) => faultOf(call));
}

/** The outcome of a call that was answered, where that is no good end. */
function unfinished(outcome: ToolOutcome, when: string): Fault | undefined {
  if (outcome.status === "interrupted") {
    return { wrong: `does not stop to ask when it ${when}`, seen: requestsOf(outcome) };
  }
  return succeeded(outcome) === undefined
    ? { wrong: `does not complete when it ${when}`, seen: outcomeLabel(outcome) }
    : undefined;
}

/** What is asked, as far as it is the same each time: how much, and of which types. */
function requestsOf(outcome: CallResult): string {
  return typeof outcome !== "string" && outcome.status === "interrupted"
    ? `waits for ${outcome.interruption.requests.map(({ type }) => type).join(", ")}`
    : outcomeLabel(outcome);
}

/** Makes a call that waits, has it answered, and counts what comes of it. */
async function effectsOf(
  context: CheckContext,
  executor: ToolExecutor,
  call: SuspendingCall,
  say: Say,
): Promise<{ readonly grown: number; readonly outcome?: ToolOutcome }> {
  const before = await effects(context, call);
  const waiting = await waitingCall(context, executor, call);
  if (waiting === undefined) return { grown: 0 };
  const { outcome } = await answered(context, executor, waiting, say);
  return { outcome, grown: (await effects(context, call)) - before };
}

/** Two calls wait at the same time: the second is answered first, and the first goes on all the same. */
async function pairFault(
  context: CheckContext,
  executor: ToolExecutor,
  call: SuspendingCall,
  other: SuspendingCall,
): Promise<Fault | undefined> {
  const waiting: { readonly one: SuspendingCall; readonly interruption: Interruption }[] = [];
  for (const [at, one] of [call, other].entries()) {
    const interruption = await waitingCall(context, executor, one, `conformance:${at}`);
    if (interruption === undefined) return undefined;
    waiting.push({ one, interruption });
  }
  for (const { one, interruption } of waiting.toReversed()) {
    const before = await effects(context, one);
    const { outcome } = await answered(context, executor, interruption, one.answer);
    const beside = one === call ? callLabel(other) : callLabel(call);
    const fault = unfinished(outcome, `is answered, and ${beside} waits or has waited beside it`);
    if (fault !== undefined) return fault;
    const grown = (await effects(context, one)) - before;
    if (one.count === undefined || grown === 1) continue;
    return { wrong: `has its effect ${grown} times beside ${beside}`, seen: `${grown} more` };
  }
  return undefined;
}
