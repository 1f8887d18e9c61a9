import type { JsonObject, CallOptions, JsonValue, RunOptions, ToolOutcome } from "@toolweave/core";
import { argumentsSchemaOf, isObject } from "@toolweave/core/adapter";
import fc from "fast-check";
import {
  overrideTool,
  createExecutor,
  findFailingCall,
  argumentsOfSamples,
  labelCalls,
  runSample,
} from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { failed, notApplicable, passed, type Finding, type Fault } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import { generateBreaches } from "../../schema/breaches.ts";
import { drawSubset } from "../../schema/generation-settings.ts";
import { generateArguments, findUsableTools, type UsableTool } from "../../calls/usable-tool.ts";
import { generatedChecks } from "./generated-checks.ts";
import { prototypeChecks } from "./prototype-checks.ts";
import { isolationChecks } from "./isolation-checks.ts";
import { traceChecks } from "./trace-checks.ts";
import { validateChecks } from "./validate-checks.ts";
import {
  isDeterministic,
  comparableText,
  formatOutcome,
  successfulResult,
} from "../../execution/call-result.ts";
import type { SampleCall } from "../../contract/manifest.ts";

/**
 * The maximum number of breaches that a run tries for one tool, and the number of arguments for
 * each.
 */
const maxBreaches = 60;
const argumentSets = 2;

const invalidArgumentTexts: readonly string[] = ["[]", '"text"', "7", "null", '{"', " "];

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
  defineCheck("TW-CALL-006", (context) =>
    checkCalls(
      context,
      "Made each sample call with its arguments in reverse order",
      async (run, call) => {
        const other = { ...call, arguments: reverseMembers(call.arguments) as JsonObject };
        const usual = comparableText(await run(call));
        const turned = await run(other);
        if (successfulResult(turned) === undefined) {
          return {
            wrong: "fails when its arguments are in another order",
            seen: formatOutcome(turned),
          };
        }
        if (comparableText(turned) === usual) return undefined;
        const again = async (): Promise<string> => comparableText(await run(call));
        if (!(await isDeterministic(usual, again))) return undefined;
        if (comparableText(await run(other)) !== comparableText(turned)) return undefined;
        return {
          wrong: "has a different result when its arguments are in another order",
          seen: { usual, turned: comparableText(turned) },
        };
      },
      ({ arguments: args }) => JSON.stringify(reverseMembers(args)) !== JSON.stringify(args),
    ),
  ),

  defineCheck("TW-CALL-007", (context) =>
    checkCalls(context, "Made each sample call again", async (run, call) => {
      await run(call);
      const again = await run(call);
      return successfulResult(again) === undefined
        ? { wrong: "succeeds once but fails when it is repeated", seen: formatOutcome(again) }
        : undefined;
    }),
  ),

  defineCheck("TW-CALL-008", (context) =>
    checkCalls(context, "Made each sample call for two callers", async (run, call) => {
      for (const options of runs) {
        const outcome = await run(call, options);
        if (successfulResult(outcome) !== undefined) continue;
        return {
          wrong: `succeeds without a caller, but fails for ${JSON.stringify(options)}`,
          seen: formatOutcome(outcome),
        };
      }
      return undefined;
    }),
  ),
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
    const found = await fault(text, `${text === " " ? "a space" : text} as arguments`);
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

type Run = (call: SampleCall, options?: RunOptions & CallOptions) => Promise<ToolOutcome>;

/** The runs of two callers, with all fields and with the characters that ids may contain. */
const runs: readonly (RunOptions & { readonly sessionId: string })[] = [
  { sessionId: "s1", caller: { id: "ada" } },
  {
    sessionId: "session/7:ä 🙂",
    caller: { id: "user|grace@example.com", roles: ["guest", "editor"], agent: "planner" },
  },
];

async function checkCalls(
  context: CheckContext,
  done: string,
  findFault: (run: Run, call: SampleCall) => Promise<Fault | undefined>,
  wanted: (call: SampleCall) => boolean = () => true,
): Promise<Finding> {
  const calls = labelCalls(context.samples("succeedingCalls").filter(wanted));
  if (calls.length === 0) return notApplicable("No sample call has two arguments.");
  const executor = createExecutor((await context.createReady()).callableTools());
  const run: Run = (call, options) => runSample(context, executor, call, options);
  return checkEach(calls, done, ({ call }) => findFault(run, call));
}

/** The value with the members of its objects in reverse order. */
function reverseMembers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => reverseMembers(item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([name, member]) => [name, reverseMembers(member)]));
}
