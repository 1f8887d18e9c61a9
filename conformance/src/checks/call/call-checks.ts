import type { JsonObject } from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import fc from "fast-check";
import {
  overrideTool,
  createExecutor,
  findFailingCall,
  argumentsOfSamples,
} from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { failed, notApplicable, passed } from "../../contract/finding.ts";
import { checkEach, type Fault } from "../../faults/check-each.ts";
import { generateBreaches } from "../../schema/breaches.ts";
import { drawSubset } from "../../schema/draw-subset.ts";
import { generateArguments, findUsableTools, type UsableTool } from "../../calls/usable-tool.ts";
import { generatedChecks } from "./generated-checks.ts";
import { prototypeChecks } from "./prototype-checks.ts";
import { isolationChecks } from "./isolation-checks.ts";
import { repeatChecks } from "./repeat-checks.ts";
import { traceChecks } from "./trace-checks.ts";
import { validateChecks } from "./validate-checks.ts";

/**
 * The maximum number of breaches that a run tries for one tool, and the number of arguments for
 * each.
 */
const maxBreaches = 60;
const argumentSets = 2;

const invalidArgumentTexts: readonly string[] = ["[]", '"text"', "7", "null", '{"', ""];

/** Checks of arguments and calls. */
export const callChecks: readonly Check[] = [
  defineCheck("TW-CALL-001", async (context) => {
    const { tools, of } = await findUsableTools(context);
    if (tools.length === 0)
      return notApplicable("No arguments can be generated from the input schemas.");
    const done = `Called ${tools.length} of ${of} tools with arguments that violate their schemas`;
    return checkEach(tools, done, (tool) => findAcceptedBreach(tool, context));
  }),

  defineCheck("TW-CALL-002", async (context) => {
    const executor = createExecutor((await context.createReady()).callableTools());
    const calls = context.samples("succeedingCalls");
    const failing = await findFailingCall(context, executor, calls);
    return failing === undefined
      ? passed(`Made ${calls.length} sample calls.`)
      : failed(
          `${failing.label} should succeed but does not.`,
          "Made the succeeding sample calls.",
          failing.seen,
        );
  }),

  ...validateChecks,
  ...repeatChecks,
  ...generatedChecks,
  ...prototypeChecks,
  ...isolationChecks,
  ...traceChecks,
];

/** Calls a tool with arguments that must be refused. The tool itself is never invoked. */
async function findAcceptedBreach(
  usable: UsableTool,
  { manifest, seed, withDeadline: within }: CheckContext,
): Promise<Fault | undefined> {
  const { tool, spec } = usable;
  const injectedNames = (spec.injected ?? []).map(({ name }) => name);
  let invoked = false;
  const guarded = overrideTool(tool, {
    invoke: () => {
      invoked = true;
    },
  });
  const executor = createExecutor([guarded]);
  const injected = {
    ...Object.fromEntries(injectedNames.map((name) => [name, "conformance"])),
    ...manifest.injected,
  };
  const fault = async (args: string | JsonObject, what: string): Promise<Fault | undefined> => {
    const call = { id: "conformance", name: spec.name, arguments: args };
    invoked = false;
    const outcome = await within(executor.execute(call, { injected }), `a call of ${spec.name}`);
    const code = outcome.status === "failed" ? outcome.error.code : outcome.status;
    if (code === "invalid_arguments" && !invoked) return undefined;
    return {
      wrong: `accepts ${what}`,
      seen: { sent: args, outcome: code, invoked },
    };
  };
  for (const text of invalidArgumentTexts) {
    const found = await fault(text, `${text === "" ? "an empty string" : text} as arguments`);
    if (found !== undefined) return found;
  }
  const all = generateBreaches(argumentsSchemaOf(tool), new Set(injectedNames));
  const breaches = drawSubset(all, maxBreaches, seed);
  const known = argumentsOfSamples(manifest, spec.name);
  let found: Fault | undefined;
  const property = fc.asyncProperty(generateArguments(usable, known, seed), async (args) => {
    for (const breach of breaches) {
      const broken = await fault(breach.apply(args), breach.what);
      if (broken === undefined) continue;
      found = broken;
      return false;
    }
    return true;
  });
  await fc.check(property, { seed, numRuns: argumentSets });
  return found;
}
