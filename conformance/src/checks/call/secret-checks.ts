import type { ToolExecutor, ToolOutcome } from "@toolweave/core";
import { collectCallTraces } from "../../calls/call-traces.ts";
import {
  formatCall,
  createSourceExecutor,
  labelCalls,
  runSample,
} from "../../execution/run-sample.ts";
import { defineCheck, memoizePerRun, type Check, type CheckContext } from "../../context/check.ts";
import { failed, notApplicable, passed, type Finding, type Fault } from "../../contract/finding.ts";
import { withReadableSpec, checkEach } from "../../faults/check-each.ts";
import type { SampleCall } from "../../contract/manifest.ts";
import {
  LeakFinder,
  findResultLeak,
  toLeakFault,
  formatForLog,
  findArtifactLeak,
  createRecordingStore,
} from "../../faults/leak-finder.ts";
import { drawSubset } from "../../schema/generation-settings.ts";
import { duringOutage } from "../../observation/observed-outage.ts";

/** The maximum number of calls whose approval requests are checked. */
const maxAskedCalls = 40;

/** Checks of secrets. */
export const secretChecks: readonly Check[] = [
  defineCheck("TW-SECRET-001", async (context) => {
    const leaks = createLeaks(context);
    const { tools } = await context.subject();
    return checkEach(
      withReadableSpec(tools),
      "Looked for secrets in each spec",
      ({ spec, tool }) => {
        for (const [field, value] of [...Object.entries(spec), ["fingerprint", tool.fingerprint]]) {
          const leak = leaks.find(value);
          if (leak !== undefined) return toLeakFault(leak, `its spec, at /${field}`);
        }
        return undefined;
      },
    );
  }),

  defineCheck("TW-SECRET-002", async (context) => {
    const { source } = await context.subject();
    const done = "Looked for secrets in the source's id and its problems.";
    const parts = { "The source's id": source.id, "A problem of the source": source.problems };
    for (const [what, value] of Object.entries(parts)) {
      const leak = createLeaks(context).find(value);
      if (leak !== undefined)
        return failed(`${what} contains a secret ${leak.form}.`, done, leak.seen);
    }
    return passed(done);
  }),

  defineCheck("TW-SECRET-003", (context) =>
    checkCalls(
      context,
      "succeedingCalls",
      "Looked for secrets in each result",
      (outcome, stored) =>
        findResultLeak(createLeaks(context), outcome) ??
        findArtifactLeak(createLeaks(context), stored),
    ),
  ),

  defineCheck("TW-SECRET-004", (context) =>
    checkCalls(context, "failingCalls", "Looked for secrets in each error", (outcome) => {
      const answered = findResultLeak(createLeaks(context), outcome);
      if (answered !== undefined || outcome.status === "interrupted") return answered;
      const leak = createLeaks(context).find(outcome.error?.toJSON());
      return leak && toLeakFault(leak, "its error");
    }),
  ),

  defineCheck("TW-SECRET-005", async (context) => {
    const leaks = createLeaks(context);
    const executor = createSourceExecutor(await context.createReady(), { eventPayloads: true });
    const calls = labelCalls(context.samples("updatingCalls"));
    return checkEach(
      calls,
      "Looked for secrets in the updates and progress of each call",
      ({ call }) => findLeakInSent(context, executor, call, leaks),
    );
  }),

  defineCheck("TW-SECRET-006", checkRequests),
  defineCheck("TW-SECRET-007", checkOutageErrors),

  defineCheck("TW-SECRET-008", (context) =>
    checkCalls(
      context,
      "failingCalls",
      "Formatted each error as a log does, with its causes",
      (outcome) => {
        if (outcome.status === "interrupted" || outcome.error === undefined) return undefined;
        const leak = createLeaks(context).find(formatForLog(outcome.error));
        return leak && toLeakFault(leak, "the causes of its error");
      },
    ),
  ),
  defineCheck("TW-SECRET-009", async (context) => {
    const { touches, calls } = await collectCallTraces(context);
    const done = `Made ${calls} sample calls, and read their output.`;
    for (const { kind, what, label } of touches) {
      if (kind !== "output" && kind !== "log") continue;
      const leak = createLeaks(context).find(what);
      if (leak !== undefined)
        return failed(`${label} prints a secret ${leak.form}.`, done, leak.seen);
    }
    return passed(done);
  }),
];

function createLeaks({ manifest }: CheckContext): LeakFinder {
  return new LeakFinder(manifest.secrets ?? []);
}

/** The outcome of a call, and the artifacts that were stored of it. */
interface MadeCall {
  readonly label: string;
  readonly outcome: ToolOutcome;
  readonly stored: readonly string[];
}

async function checkCalls(
  context: CheckContext,
  kind: "succeedingCalls" | "failingCalls",
  done: string,
  findFault: (outcome: ToolOutcome, stored: readonly string[]) => Fault | undefined,
): Promise<Finding> {
  const made = await memoizePerRun(context, `secrets in ${kind}`, async () => {
    const subject = await context.createReady();
    const all: MadeCall[] = [];
    for (const call of context.samples(kind)) {
      const stored: string[] = [];
      const executor = createSourceExecutor(subject, { artifacts: createRecordingStore(stored) });
      const label = formatCall(call);
      try {
        all.push({ label, outcome: await runSample(context, executor, call), stored });
      } catch {
        // Other rules report a call that does not end.
      }
    }
    return all;
  });
  if (made.length === 0) return notApplicable("No sample call ended.");
  return checkEach(made, done, ({ outcome, stored }) => findFault(outcome, stored));
}

async function findLeakInSent(
  context: CheckContext,
  executor: ToolExecutor,
  call: SampleCall,
  leaks: LeakFinder,
): Promise<Fault | undefined> {
  const sent: [what: string, value: unknown][] = [];
  const stop = executor.on((event) => {
    // Other rules check results and errors.
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
    if (leak !== undefined) return toLeakFault(leak, what);
  }
  return undefined;
}

async function checkRequests(context: CheckContext): Promise<Finding> {
  const leaks = createLeaks(context);
  const subject = await context.createReady();
  const asking = createSourceExecutor(subject, { policy: { default: "ask" } });
  const allowing = createSourceExecutor(subject);
  const { suspendingCalls = [], ...others } = context.manifest.samples ?? {};
  const asked = [...Object.values(others).flat(), ...suspendingCalls];
  const calls = [
    // The requests are not answered: none of these calls runs.
    ...drawSubset(asked, maxAskedCalls, context.seed).map((call) => ({ call, executor: asking })),
    ...suspendingCalls.map((call) => ({ call, executor: allowing })),
  ].map((one) => ({ ...one, label: formatCall(one.call) }));
  if (calls.length === 0) return notApplicable("There are no sample calls.");
  return checkEach(
    calls,
    "Looked for secrets in the requests to a person",
    async ({ call, executor }) => {
      const outcome = await runSample(context, executor, call).catch(() => undefined);
      if (outcome?.status !== "interrupted") return undefined;
      const leak = leaks.find(outcome.interruption.requests);
      return leak && toLeakFault(leak, "a request to a person");
    },
  );
}

async function checkOutageErrors(context: CheckContext): Promise<Finding> {
  const leaks = createLeaks(context);
  const subject = await context.createReady();
  const executor = createSourceExecutor(subject);
  const tools = subject.callableTools();
  const texts: [what: string, value: string][] = [];
  await duringOutage(context, async () => {
    for (const call of context.samples("succeedingCalls")) {
      const outcome = await runSample(context, executor, call).catch(() => undefined);
      if (outcome === undefined || outcome.status === "interrupted") continue;
      const outcomeTexts = `${JSON.stringify(outcome.result)} ${formatForLog(outcome.error)}`;
      texts.push([`The result of ${formatCall(call)}`, outcomeTexts]);
    }
    for (const { spec, availability } of tools) {
      if (availability?.status !== "unavailable") continue;
      texts.push([`The reason why "${spec.name}" is unavailable`, availability.reason]);
    }
    texts.push(["A problem of the source", JSON.stringify(subject.source.problems)]);
    try {
      const { source } = await context.create();
      await context.withDeadline(source.ready, "ready");
      texts.push(["A problem of the source", JSON.stringify(source.problems)]);
    } catch (error) {
      texts.push(["The error of ready", formatForLog(error)]);
    }
  });
  const done = "Made the succeeding calls and created another source during an outage.";
  for (const [what, text] of texts) {
    const leak = leaks.find(text);
    if (leak !== undefined)
      return failed(`${what} contains a secret ${leak.form}.`, done, leak.seen);
  }
  return passed(done);
}
