import { argumentsSchemaOf, type JsonObject } from "@toolweave/core";
import fc from "fast-check";
import { around, executorOver, firstFailing, knownArguments } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, notApplicable, passed } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import { breachesOf } from "../schema/breaches.ts";
import { drawn } from "../schema/drawn.ts";
import { argumentsOf, usableTools, type UsableTool } from "../calling/usable-tool.ts";
import { generatedChecks } from "./generated-checks.ts";
import { prototypeChecks } from "./prototype-checks.ts";
import { isolationChecks } from "./isolation-checks.ts";
import { repeatChecks } from "./repeat-checks.ts";
import { traceChecks } from "./trace-checks.ts";
import { validateChecks } from "./validate-checks.ts";

/** How many breaches of one tool a run tries, and with how many other arguments each. */
const maxBreaches = 60;
const argumentSets = 2;

const notArguments: readonly string[] = ["[]", '"text"', "7", "null", '{"', ""];

/** What the executor does with a tool's calls. */
export const callChecks: readonly Check[] = [
  check("TW-CALL-001", async (context) => {
    const { tools, of } = await usableTools(context);
    if (tools.length === 0) return notApplicable("No input schema can be used to make arguments.");
    const done = `Called ${tools.length} of ${of} tools with arguments that break their schemas`;
    return checkEach(tools, done, (tool) => refusalFault(tool, context));
  }),

  check("TW-CALL-002", async (context) => {
    const executor = executorOver((await context.fresh()).callable());
    const calls = context.samples("succeedingCalls");
    const failing = await firstFailing(context, executor, calls);
    return failing === undefined
      ? passed(`Made ${calls.length} sample calls.`)
      : failed(
          `${failing.label} should succeed and does not.`,
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

/** Calls the tool with what it must refuse. Its own work is never done. */
async function refusalFault(
  usable: UsableTool,
  { manifest, seed, within }: CheckContext,
): Promise<Fault | undefined> {
  const { tool, spec } = usable;
  const injectedNames = (spec.injected ?? []).map(({ name }) => name);
  let invoked = false;
  const guarded = around(tool, {
    invoke: () => {
      invoked = true;
    },
  });
  const executor = executorOver([guarded]);
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
      wrong: `does not refuse ${what}`,
      seen: { sent: args, outcome: code, invoked },
    };
  };
  for (const text of notArguments) {
    const found = await fault(text, `${text === "" ? "an empty text" : text} for its arguments`);
    if (found !== undefined) return found;
  }
  const all = breachesOf(argumentsSchemaOf(tool), new Set(injectedNames));
  const breaches = drawn(all, maxBreaches, seed);
  const known = knownArguments(manifest, spec.name);
  let found: Fault | undefined;
  const property = fc.asyncProperty(argumentsOf(usable, known, seed), async (args) => {
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
