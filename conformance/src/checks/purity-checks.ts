import type { JsonObject, Tool, ToolAnnotations } from "@toolweave/core";
import fc from "fast-check";
import { countOf, grownBy } from "../calling/effect-count.ts";
import {
  callLabel,
  executorOver,
  knownArguments,
  labelled,
  runSample,
} from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, notApplicable, passed, type Finding } from "../contract/finding.ts";
import { checkEach } from "../reading/check-each.ts";
import type { SampleCall, SampleKind } from "../contract/manifest.ts";
import { TooLate } from "../context/within.ts";
import { argumentsOf, usableTools, type UsableTool } from "../calling/usable-tool.ts";
import { changeBy, changeOf, stateOf } from "../watching/state.ts";

/** So many arguments are made for one tool, beside those of the sample calls. */
const argumentSets = 5;

/** Calls that come to an end by themselves. */
const ending = ["succeedingCalls", "failingCalls", "updatingCalls"] as const;

/** Whether tools keep what their hints promise, and do what they do once. */
export const purityChecks: readonly Check[] = [
  check("TW-PURE-001", async (context) => {
    const tools = (await context.fresh()).callable();
    const calls = callsOf(context, tools, ({ readOnlyHint }) => readOnlyHint === true);
    if (calls.length === 0) return notApplicable("No sample call is of a read-only tool.");
    const executor = executorOver(tools);
    return checkEach(
      calls,
      "Compared state() around calls of read-only tools",
      async ({ call }) => {
        const change = await changeBy(context, () => runSample(context, executor, call));
        return change && { wrong: "calls itself read-only and changes something", seen: change };
      },
    );
  }),

  check("TW-PURE-002", async (context) => {
    const tools = (await context.fresh()).callable();
    const calls = callsOf(
      context,
      tools,
      ({ idempotentHint, readOnlyHint }) => idempotentHint === true && readOnlyHint !== true,
      [...ending, "effectCalls"],
    );
    if (calls.length === 0) {
      return notApplicable("No sample call is of a tool that is idempotent and not read-only.");
    }
    const executor = executorOver(tools);
    const done = "Compared state() after one call and after two of each idempotent tool";
    return checkEach(calls, done, async ({ call }) => {
      await runSample(context, executor, call);
      const change = await changeBy(context, () => runSample(context, executor, call));
      const wrong = "calls itself idempotent, and changes something more when it is called again";
      return change && { wrong, seen: change };
    });
  }),

  check("TW-PURE-003", async (context) => {
    const { tools } = await usableTools(context);
    const checking = tools.filter(({ tool }) => tool.validate !== undefined);
    if (checking.length === 0) return notApplicable("No tool has a validate.");
    return checkEach(
      checking,
      "Compared state() before and after each validate",
      async (usable) => {
        const change = await changeBy(context, () => validated(context, usable));
        return change && { wrong: "has a validate that changes something", seen: change };
      },
    );
  }),

  check("TW-PURE-004", async (context) => {
    const subject = await context.fresh();
    const before = await stateOf(context);
    const { tools } = subject;
    const change = changeOf(before, await stateOf(context));
    const done = `Compared state() before and after ${tools.length} specs were read.`;
    return change === undefined ? passed(done) : readingFault(context, done, change);
  }),

  check("TW-PURE-005", async (context) => {
    const executor = executorOver((await context.fresh()).callable());
    const calls = labelled(context.samples("effectCalls"));
    return checkEach(calls, "Counted the effects of each call", async ({ call }) => {
      const before = await countOf(context, call);
      await runSample(context, executor, call);
      const grown = await grownBy(context, call, before);
      if (grown <= 1) return undefined;
      return {
        wrong: `has its effect ${grown} times: count() has to count calls, and a call must not be made again`,
        seen: `count() grew by ${grown}`,
      };
    });
  }),
];

/** The sample calls that come to an end, of tools with such annotations; TW-PERM-002 sees to effects. */
function callsOf(
  context: CheckContext,
  tools: readonly Tool[],
  wanted: (annotations: ToolAnnotations) => boolean,
  kinds: readonly SampleKind[] = ending,
): readonly { readonly label: string; readonly call: SampleCall }[] {
  const names = new Set(
    tools.filter(({ spec }) => wanted(spec.annotations)).map(({ spec }) => spec.name),
  );
  return kinds
    .flatMap((kind): readonly SampleCall[] => context.samples(kind))
    .filter(({ tool }) => names.has(tool))
    .map((call) => ({ label: callLabel(call), call }));
}

/** Has the tool itself check arguments that its schema accepts; what it says is for other rules. */
async function validated(context: CheckContext, usable: UsableTool): Promise<void> {
  const { seed, manifest, within } = context;
  const known = knownArguments(manifest, usable.spec.name).filter(usable.accepts);
  const made = fc.sample(argumentsOf(usable, known, seed), { seed, numRuns: argumentSets });
  for (const args of [...known, ...made]) {
    const validate = async (own: JsonObject): Promise<unknown> => usable.tool.validate?.(own);
    const ended = await within(validate(structuredClone(args)), "validate").then(
      () => true,
      // It may throw; one that never answers is not asked again.
      (error: unknown) => !(error instanceof TooLate),
    );
    if (!ended) return;
  }
}

/** Names the tool whose spec changes something when it is read, where reading it again does so. */
async function readingFault(context: CheckContext, done: string, change: object): Promise<Finding> {
  const { source } = await context.fresh();
  for (const tool of source.tools()) {
    const own = await changeBy(context, async () => JSON.stringify(tool.spec));
    if (own !== undefined) {
      return failed(`To read the spec of "${tool.spec.name}" changes something.`, done, own);
    }
  }
  return failed("To list the tools or to read their specs changes something.", done, change);
}
