import { inspect } from "node:util";
import {
  memoryArtifacts,
  type ArtifactStore,
  type ToolExecutor,
  type ToolOutcome,
} from "@toolweave/core";
import { check, type Check, type CheckContext } from "../check.ts";
import { failed, messageOf, notApplicable, passed, type Finding } from "../finding.ts";
import { Leaks, type Leak } from "../leaks.ts";
import { described, lookAt, type Fault } from "../look-at.ts";
import type { SampleCall } from "../manifest.ts";
import { once } from "../once.ts";
import { callLabel, executorOfSource, runSample } from "../sample-run.ts";
import { drawn } from "../schema/drawn.ts";
import { whileAway } from "../while-away.ts";

/** How deep a log prints. */
const logDepth = 6;
/** How many calls are asked about. */
const mostAsked = 40;

/** What never comes out. */
export const secretChecks: readonly Check[] = [
  check("TW-SECRET-001", async (context) => {
    const leaks = leaksOf(context);
    const { tools } = await context.subject();
    return lookAt(described(tools), "Looked for secrets in each spec", ({ spec }) => {
      for (const [field, value] of Object.entries(spec)) {
        const leak = leaks.find(value);
        if (leak !== undefined) return faultOf(leak, `its spec, at /${field}`);
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
        return leak && faultOf(leak, "its error");
      },
    ),
  ),

  check("TW-SECRET-005", async (context) => {
    const leaks = leaksOf(context);
    const executor = executorOfSource(await context.fresh(), { eventPayloads: true });
    return lookAtSamples(
      context.samples("updatingCalls"),
      "Looked for secrets in what each call sends",
      (call) => sentFault(context, executor, call, leaks),
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
        return leak && faultOf(leak, "the causes of its error");
      },
    ),
  ),
];

function leaksOf({ manifest }: CheckContext): Leaks {
  return new Leaks(manifest.secrets ?? []);
}

function faultOf({ form, seen }: Leak, where: string): Fault {
  return { wrong: `tells a secret ${form} in ${where}`, seen };
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
  return lookAt(made, done, ({ outcome, stored }) => faultOf(outcome, stored));
}

async function lookAtSamples(
  samples: readonly SampleCall[],
  done: string,
  faultOf: (call: SampleCall) => Promise<Fault | undefined>,
): Promise<Finding> {
  const calls = samples.map((call) => ({ call, label: callLabel(call) }));
  return lookAt(calls, done, ({ call }) => faultOf(call));
}

/** A store that tells what it is given. */
function watchedStore(stored: string[]): ArtifactStore {
  const store = memoryArtifacts();
  return {
    put: (artifact, data) => {
      stored.push(JSON.stringify(artifact.name ?? ""), Buffer.from(data).toString());
      return store.put(artifact, data);
    },
    head: (key) => store.head(key),
    read: (key, offset, length) => store.read(key, offset, length),
    delete: (key) => store.delete(key),
  };
}

function answerFault(leaks: Leaks, outcome: ToolOutcome): Fault | undefined {
  if (outcome.status === "interrupted") return undefined;
  const { result } = outcome;
  for (const [field, value] of Object.entries(result)) {
    const leak = leaks.find(value);
    if (leak !== undefined) return faultOf(leak, `the ${field} of its answer`);
  }
  // Whoever reads one block after the other reads it all the same.
  const texts = result.content.map((block) => (block.type === "text" ? block.text : " "));
  const leak = leaks.find(texts.join(""));
  return leak && faultOf(leak, "several blocks of its answer, one part in each");
}

function storedFault(leaks: Leaks, stored: readonly string[]): Fault | undefined {
  const leak = stored.map((text) => leaks.find(text)).find(Boolean);
  return leak && faultOf(leak, "an artifact of its answer");
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
    if (leak !== undefined) return faultOf(leak, what);
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
  return lookAt(
    calls,
    "Looked for secrets in what a person would be asked",
    async ({ call, executor }) => {
      const outcome = await runSample(context, executor, call).catch(() => undefined);
      if (outcome?.status !== "interrupted") return undefined;
      const leak = leaks.find(outcome.interruption.requests);
      return leak && faultOf(leak, "what a person is asked");
    },
  );
}

async function failsWithout(context: CheckContext): Promise<Finding> {
  const leaks = leaksOf(context);
  const executor = executorOfSource(await context.fresh());
  const said: [what: string, value: string][] = [];
  await whileAway(context, async () => {
    for (const call of context.samples("succeedingCalls")) {
      const outcome = await runSample(context, executor, call).catch(() => undefined);
      if (outcome === undefined || outcome.status === "interrupted") continue;
      const texts = `${JSON.stringify(outcome.result)} ${printed(outcome.error)}`;
      said.push([`What ${callLabel(call)} says`, texts]);
    }
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

/** What a log shows of it: its message, its stack, its members and its causes. */
function printed(error: unknown): string {
  try {
    return inspect(error, { depth: logDepth, maxStringLength: null, maxArrayLength: null });
  } catch (unreadable) {
    return messageOf(unreadable);
  }
}
