import type { CallOptions, JsonObject, JsonValue, RunOptions, ToolOutcome } from "@toolweave/core";
import {
  isDeterministic,
  comparableText,
  formatOutcome,
  successfulResult,
} from "../../execution/call-result.ts";
import { createExecutor, labelCalls, runSample } from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { notApplicable, type Finding } from "../../contract/finding.ts";
import { checkEach, type Fault } from "../../faults/check-each.ts";
import type { SampleCall } from "../../contract/manifest.ts";
import { isObject } from "../../schema/subschemas.ts";

type Run = (call: SampleCall, options?: RunOptions & CallOptions) => Promise<ToolOutcome>;

/** The runs of two callers, with all fields and with the characters that ids may contain. */
const runs: readonly (RunOptions & { readonly sessionId: string })[] = [
  { sessionId: "s1", caller: { id: "ada" } },
  {
    sessionId: "session/7:ä 🙂",
    caller: { id: "user|grace@example.com", roles: ["guest", "editor"], agent: "planner" },
  },
];

/** Checks of repeated calls. */
export const repeatChecks: readonly Check[] = [
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
];

async function checkCalls(
  context: CheckContext,
  done: string,
  faultOf: (run: Run, call: SampleCall) => Promise<Fault | undefined>,
  wanted: (call: SampleCall) => boolean = () => true,
): Promise<Finding> {
  const calls = labelCalls(context.samples("succeedingCalls").filter(wanted));
  if (calls.length === 0) return notApplicable("No sample call has two arguments.");
  const executor = createExecutor((await context.createReady()).callableTools());
  const run: Run = (call, options) => runSample(context, executor, call, options);
  return checkEach(calls, done, ({ call }) => faultOf(run, call));
}

/** The value with the members of its objects in reverse order. */
function reverseMembers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => reverseMembers(item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([name, member]) => [name, reverseMembers(member)]));
}
