import type { ToolExecutor, ToolOutcome } from "@toolweave/core";
import { callTraces } from "../calling/call-traces.ts";
import { callLabel, executorOfSource, labelled, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, notApplicable, passed, type Finding } from "../contract/finding.ts";
import { described, checkEach, type Fault } from "../reading/check-each.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { Leaks } from "../reading/leaks.ts";
import {
  answerFault,
  leakFault,
  printed,
  storedFault,
  watchedStore,
} from "../reading/secret-faults.ts";
import { once } from "../context/once.ts";
import { drawn } from "../schema/drawn.ts";
import { duringOutage } from "../watching/during-outage.ts";

/** How many calls are asked about. */
const mostAsked = 40;

/** What never comes out. */
export const secretChecks: readonly Check[] = [
  check("TW-SECRET-001", async (context) => {
    const leaks = leaksOf(context);
    const { tools } = await context.subject();
    return checkEach(described(tools), "Looked for secrets in each spec", ({ spec, tool }) => {
      for (const [field, value] of [...Object.entries(spec), ["fingerprint", tool.fingerprint]]) {
        const leak = leaks.find(value);
        if (leak !== undefined) return leakFault(leak, `its spec, at /${field}`);
      }
      return undefined;
    });
  }),

  check("TW-SECRET-002", async (context) => {
    const { source } = await context.subject();
    const done = "Looked for secrets in the source's id and its problems.";
    const parts = { "The source's id": source.id, "A problem of the source": source.problems };
    for (const [what, value] of Object.entries(parts)) {
      const leak = leaksOf(context).find(value);
      if (leak !== undefined)
        return failed(`${what} holds a secret ${leak.form}.`, done, leak.seen);
    }
    return passed(done);
  }),

  check("TW-SECRET-003", (context) =>
    lookAtCalls(
      context,
      "succeedingCalls",
      "Looked for secrets in each answer",
      (outcome, stored) =>
        answerFault(leaksOf(context), outcome) ?? storedFault(leaksOf(context), stored),
    ),
  ),

  check("TW-SECRET-004", (context) =>
    lookAtCalls(
      context,
      "failingCalls",
      "Looked for secrets in what each failed call says",
      (outcome) => {
        const answered = answerFault(leaksOf(context), outcome);
        if (answered !== undefined || outcome.status === "interrupted") return answered;
        const leak = leaksOf(context).find(outcome.error?.toJSON());
        return leak && leakFault(leak, "its error");
      },
    ),
  ),

  check("TW-SECRET-005", async (context) => {
    const leaks = leaksOf(context);
    const executor = executorOfSource(await context.fresh(), { eventPayloads: true });
    const calls = labelled(context.samples("updatingCalls"));
    return checkEach(calls, "Looked for secrets in what each call sends", ({ call }) =>
      sentFault(context, executor, call, leaks),
    );
  }),

  check("TW-SECRET-006", asksWithout),
  check("TW-SECRET-007", failsWithout),

  check("TW-SECRET-008", (context) =>
    lookAtCalls(
      context,
      "failingCalls",
      "Printed each error as a log does, with its causes",
      (outcome) => {
        if (outcome.status === "interrupted" || outcome.error === undefined) return undefined;
        const leak = leaksOf(context).find(printed(outcome.error));
        return leak && leakFault(leak, "the causes of its error");
      },
    ),
  ),
  check("TW-SECRET-009", async (context) => {
    const { touches, calls } = await callTraces(context);
    const done = `Made ${calls} sample calls, and read what they printed.`;
    for (const { kind, what, label } of touches) {
      if (kind !== "output" && kind !== "log") continue;
      const leak = leaksOf(context).find(what);
      if (leak !== undefined)
        return failed(`${label} prints a secret ${leak.form}.`, done, leak.seen);
    }
    return passed(done);
  }),
];

function leaksOf({ manifest }: CheckContext): Leaks {
  return new Leaks(manifest.secrets ?? []);
}

/** What calls of one kind came to, and what was stored of their outputs. */
interface Made {
  readonly label: string;
  readonly outcome: ToolOutcome;
  readonly stored: readonly string[];
}

async function lookAtCalls(
  context: CheckContext,
  kind: "succeedingCalls" | "failingCalls",
  done: string,
  faultOf: (outcome: ToolOutcome, stored: readonly string[]) => Fault | undefined,
): Promise<Finding> {
  const made = await once(context, `secrets in ${kind}`, async () => {
    const subject = await context.fresh();
    const all: Made[] = [];
    for (const call of context.samples(kind)) {
      const stored: string[] = [];
      const executor = executorOfSource(subject, { artifacts: watchedStore(stored) });
      const label = callLabel(call);
      try {
        all.push({ label, outcome: await runSample(context, executor, call), stored });
      } catch {
        // One that does not end is for other rules to say.
      }
    }
    return all;
  });
  if (made.length === 0) return notApplicable("No sample call came to an end.");
  return checkEach(made, done, ({ outcome, stored }) => faultOf(outcome, stored));
}

async function sentFault(
  context: CheckContext,
  executor: ToolExecutor,
  call: SampleCall,
  leaks: Leaks,
): Promise<Fault | undefined> {
  const sent: [what: string, value: unknown][] = [];
  const stop = executor.on((event) => {
    // Answers and errors are for other rules.
    if (event.type === "tool.updated" || event.type === "tool.progressed") {
      sent.push([`an event ${event.type}`, event]);
    }
  });
  const onUpdate = (output: unknown): void => void sent.push(["an update", output]);
  try {
    await runSample(context, executor, call, { onUpdate }).catch(() => {});
  } finally {
    stop();
  }
  for (const [what, value] of sent) {
    const leak = leaks.find(value);
    if (leak !== undefined) return leakFault(leak, what);
  }
  return undefined;
}

async function asksWithout(context: CheckContext): Promise<Finding> {
  const leaks = leaksOf(context);
  const subject = await context.fresh();
  const asking = executorOfSource(subject, { policy: { default: "ask" } });
  const letting = executorOfSource(subject);
  const { suspendingCalls = [], ...others } = context.manifest.samples ?? {};
  const asked = [...Object.values(others).flat(), ...suspendingCalls];
  const calls = [
    // Nobody answers: nothing of these is run.
    ...drawn(asked, mostAsked, context.seed).map((call) => ({ call, executor: asking })),
    ...suspendingCalls.map((call) => ({ call, executor: letting })),
  ].map((one) => ({ ...one, label: callLabel(one.call) }));
  if (calls.length === 0) return notApplicable("There are no sample calls to ask about.");
  return checkEach(
    calls,
    "Looked for secrets in what a person would be asked",
    async ({ call, executor }) => {
      const outcome = await runSample(context, executor, call).catch(() => undefined);
      if (outcome?.status !== "interrupted") return undefined;
      const leak = leaks.find(outcome.interruption.requests);
      return leak && leakFault(leak, "what a person is asked");
    },
  );
}

async function failsWithout(context: CheckContext): Promise<Finding> {
  const leaks = leaksOf(context);
  const subject = await context.fresh();
  const executor = executorOfSource(subject);
  const tools = subject.callable();
  const said: [what: string, value: string][] = [];
  await duringOutage(context, async () => {
    for (const call of context.samples("succeedingCalls")) {
      const outcome = await runSample(context, executor, call).catch(() => undefined);
      if (outcome === undefined || outcome.status === "interrupted") continue;
      const texts = `${JSON.stringify(outcome.result)} ${printed(outcome.error)}`;
      said.push([`What ${callLabel(call)} says`, texts]);
    }
    for (const { spec, availability } of tools) {
      if (availability?.status !== "unavailable") continue;
      said.push([`Why "${spec.name}" is unavailable`, availability.reason]);
    }
    said.push(["A problem of the source", JSON.stringify(subject.source.problems)]);
    try {
      const { source } = await context.created();
      await context.within(source.ready, "ready");
      said.push(["A problem of the source", JSON.stringify(source.problems)]);
    } catch (error) {
      said.push(["What ready rejects with", printed(error)]);
    }
  });
  const done = "Made the succeeding calls, and another source, while the backend was away.";
  for (const [what, text] of said) {
    const leak = leaks.find(text);
    if (leak !== undefined) return failed(`${what} holds a secret ${leak.form}.`, done, leak.seen);
  }
  return passed(done);
}
