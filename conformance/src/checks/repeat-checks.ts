import type { CallOptions, JsonObject, JsonValue, RunOptions, ToolOutcome } from "@toolweave/core";
import { isAlwaysSame } from "../calling/always-same.ts";
import { answerText, outcomeLabel, succeeded } from "../execution/outcome.ts";
import { executorOver, labelled, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { notApplicable, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { isObject } from "../schema/subschemas.ts";

type Run = (call: SampleCall, options?: RunOptions & CallOptions) => Promise<ToolOutcome>;

/** On whose behalf a host makes calls: what it may say, and with characters that ids may have. */
const runs: readonly (RunOptions & { readonly sessionId: string })[] = [
  { sessionId: "s1", caller: { id: "ada" } },
  {
    sessionId: "session/7:ä 🙂",
    caller: { id: "user|grace@example.com", roles: ["guest", "editor"], agent: "planner" },
  },
];

/** What becomes of a call that is made in another way. */
export const repeatChecks: readonly Check[] = [
  check("TW-CALL-006", (context) =>
    lookAtCalls(
      context,
      "Made each sample call with its arguments the other way round",
      async (run, call) => {
        const other = { ...call, arguments: reversed(call.arguments) as JsonObject };
        const usual = answerText(await run(call));
        const turned = await run(other);
        if (succeeded(turned) === undefined) {
          return {
            wrong: "fails when its arguments come in another order",
            seen: outcomeLabel(turned),
          };
        }
        if (answerText(turned) === usual) return undefined;
        const again = async (): Promise<string> => answerText(await run(call));
        if (!(await isAlwaysSame(usual, again))) return undefined;
        if (answerText(await run(other)) !== answerText(turned)) return undefined;
        return {
          wrong: "answers otherwise when its arguments come in another order",
          seen: { usual, turned: answerText(turned) },
        };
      },
      ({ arguments: args }) => JSON.stringify(reversed(args)) !== JSON.stringify(args),
    ),
  ),

  check("TW-CALL-007", (context) =>
    lookAtCalls(context, "Made each sample call again", async (run, call) => {
      await run(call);
      const again = await run(call);
      return succeeded(again) === undefined
        ? { wrong: "succeeds once and fails when it is made again", seen: outcomeLabel(again) }
        : undefined;
    }),
  ),

  check("TW-CALL-008", (context) =>
    lookAtCalls(context, "Made each sample call for two callers", async (run, call) => {
      for (const options of runs) {
        const outcome = await run(call, options);
        if (succeeded(outcome) !== undefined) continue;
        return {
          wrong: `succeeds for nobody in particular, and fails for ${JSON.stringify(options)}`,
          seen: outcomeLabel(outcome),
        };
      }
      return undefined;
    }),
  ),
];

async function lookAtCalls(
  context: CheckContext,
  done: string,
  faultOf: (run: Run, call: SampleCall) => Promise<Fault | undefined>,
  wanted: (call: SampleCall) => boolean = () => true,
): Promise<Finding> {
  const calls = labelled(context.samples("succeedingCalls").filter(wanted));
  if (calls.length === 0) return notApplicable("No sample call has two arguments.");
  const executor = executorOver((await context.fresh()).callable());
  const run: Run = (call, options) => runSample(context, executor, call, options);
  return checkEach(calls, done, ({ call }) => faultOf(run, call));
}

/** The value with the members of its objects the other way round. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => reversed(item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([name, member]) => [name, reversed(member)]));
}
