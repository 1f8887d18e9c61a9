import type { JsonObject, Tool, ToolAnnotations } from "@toolweave/core";
import fc from "fast-check";
import { countEffects, countNewEffects } from "../../calls/effect-count.ts";
import {
  formatCall,
  createExecutor,
  argumentsOfSamples,
  labelCalls,
  runSample,
} from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { failed, notApplicable, passed, type Finding } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import type { SampleCall, SampleKind } from "../../contract/manifest.ts";
import { DeadlineError } from "../../context/deadline-budget.ts";
import { generateArguments, findUsableTools, type UsableTool } from "../../calls/usable-tool.ts";
import { findStateChange, compareStates, readState } from "../../observation/state.ts";

/**
 * The number of arguments that are generated for one tool, in addition to those of the sample
 * calls.
 */
const argumentSets = 5;

/** The kinds of calls that end by themselves. */
const endingKinds = ["succeedingCalls", "failingCalls", "updatingCalls"] as const;

/** Checks of side effects against the hints of tools. */
export const purityChecks: readonly Check[] = [
  defineCheck("TW-PURE-001", async (context) => {
    const tools = (await context.createReady()).callableTools();
    const calls = selectCalls(context, tools, ({ readOnlyHint }) => readOnlyHint === true);
    if (calls.length === 0) return notApplicable("No sample call uses a read-only tool.");
    const executor = createExecutor(tools);
    return checkEach(
      calls,
      "Compared state() around calls of read-only tools",
      async ({ call }) => {
        const change = await findStateChange(context, () => runSample(context, executor, call));
        return change && { wrong: "is marked as read-only but changes something", seen: change };
      },
    );
  }),

  defineCheck("TW-PURE-002", async (context) => {
    const tools = (await context.createReady()).callableTools();
    const calls = selectCalls(
      context,
      tools,
      ({ idempotentHint, readOnlyHint }) => idempotentHint === true && readOnlyHint !== true,
      [...endingKinds, "effectCalls"],
    );
    if (calls.length === 0) {
      return notApplicable("No sample call uses an idempotent tool that is not read-only.");
    }
    const executor = createExecutor(tools);
    const done = "Compared state() after one call and after two of each idempotent tool";
    return checkEach(calls, done, async ({ call }) => {
      await runSample(context, executor, call);
      const change = await findStateChange(context, () => runSample(context, executor, call));
      const wrong = "is marked as idempotent, but changes something more when it is called again";
      return change && { wrong, seen: change };
    });
  }),

  defineCheck("TW-PURE-003", async (context) => {
    const { tools } = await findUsableTools(context);
    const checking = tools.filter(({ tool }) => tool.validate !== undefined);
    if (checking.length === 0) return notApplicable("No tool has a validate function.");
    return checkEach(
      checking,
      "Compared state() before and after each validate",
      async (usable) => {
        const change = await findStateChange(context, () => runValidation(context, usable));
        return change && { wrong: "has a validate function with a side effect", seen: change };
      },
    );
  }),

  defineCheck("TW-PURE-004", async (context) => {
    const subject = await context.createReady();
    const before = await readState(context);
    const { tools } = subject;
    const change = compareStates(before, await readState(context));
    const done = `Compared state() before and after ${tools.length} specs were read.`;
    return change === undefined ? passed(done) : findImpureSpec(context, done, change);
  }),

  defineCheck("TW-PURE-005", async (context) => {
    const executor = createExecutor((await context.createReady()).callableTools());
    const calls = labelCalls(context.samples("effectCalls"));
    return checkEach(calls, "Counted the effects of each call", async ({ call }) => {
      const before = await countEffects(context, call);
      await runSample(context, executor, call);
      const newEffects = await countNewEffects(context, call, before);
      if (newEffects <= 1) return undefined;
      return {
        wrong: `has its effect ${newEffects} times: count() has to count calls, and a call must not be repeated`,
        seen: `count() increased by ${newEffects}`,
      };
    });
  }),
];

/** The sample calls that end, of tools with such annotations. TW-PERM-002 checks effects. */
function selectCalls(
  context: CheckContext,
  tools: readonly Tool[],
  wanted: (annotations: ToolAnnotations) => boolean,
  kinds: readonly SampleKind[] = endingKinds,
): readonly { readonly label: string; readonly call: SampleCall }[] {
  const names = new Set(
    tools.filter(({ spec }) => wanted(spec.annotations)).map(({ spec }) => spec.name),
  );
  return kinds
    .flatMap((kind): readonly SampleCall[] => context.samples(kind))
    .filter(({ tool }) => names.has(tool))
    .map((call) => ({ label: formatCall(call), call }));
}

/**
 * Runs the tool's own validation for arguments that its schema accepts. Other rules check its
 * results.
 */
async function runValidation(context: CheckContext, usable: UsableTool): Promise<void> {
  const { seed, manifest, withDeadline: within } = context;
  const known = argumentsOfSamples(manifest, usable.spec.name).filter(usable.accepts);
  const made = fc.sample(generateArguments(usable, known, seed), { seed, numRuns: argumentSets });
  for (const args of [...known, ...made]) {
    const validate = async (own: JsonObject): Promise<unknown> => usable.tool.validate?.(own);
    const ended = await within(validate(structuredClone(args)), "validate").then(
      () => true,
      // It may throw. A validation that does not end is not repeated.
      (error: unknown) => !(error instanceof DeadlineError),
    );
    if (!ended) return;
  }
}

/** Finds the tool whose spec has a side effect when it is read, by reading each one again. */
async function findImpureSpec(
  context: CheckContext,
  done: string,
  change: object,
): Promise<Finding> {
  const { source } = await context.createReady();
  for (const tool of source.tools()) {
    const own = await findStateChange(context, async () => JSON.stringify(tool.spec));
    if (own !== undefined) {
      return failed(`Reading the spec of "${tool.spec.name}" changes something.`, done, own);
    }
  }
  return failed("Listing the tools or reading their specs changes something.", done, change);
}
