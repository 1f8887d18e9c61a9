import { errorCodes, type ToolOutcome } from "@toolweave/core";
import { check, type Check, type CheckContext } from "../check.ts";
import type { Finding } from "../finding.ts";
import { lookAt, type Fault } from "../look-at.ts";
import { callLabel, executorOver, outcomeLabel, runSample } from "../sample-run.ts";

/** A line of a stack of V8, SpiderMonkey or JavaScriptCore, or the head of a Python one. */
const stackPatterns: readonly RegExp[] = [
  /\bat [^\n]*(?:file:\/\/|node:|[A-Za-z]:\\|\/)[^\s()]*:\d+:\d+/,
  /^\S*@\S+:\d+:\d+$/m,
  /Traceback \(most recent call last\)/,
];

/** What tools say when something went wrong. */
export const errorChecks: readonly Check[] = [
  check("TW-ERROR-001", (context) =>
    lookAtFailures(context, "Read what each failed call says", (outcome) => {
      if (outcome.status === "interrupted" || !outcome.result.isError) {
        return { wrong: "should fail and does not", seen: outcomeLabel(outcome) };
      }
      const code = outcome.error?.code ?? "none";
      if (!Object.hasOwn(errorCodes, code)) {
        return { wrong: "fails with a code that does not exist", seen: code };
      }
      return textOf(outcome).trim() === ""
        ? { wrong: "fails and says nothing", seen: outcomeLabel(outcome) }
        : undefined;
    }),
  ),

  check("TW-ERROR-002", (context) =>
    lookAtFailures(context, "Looked for stack traces in what each failed call says", (outcome) => {
      if (outcome.status === "interrupted") return undefined;
      const said = [textOf(outcome), outcome.error?.message ?? ""];
      const stack = said.find((text) => stackPatterns.some((pattern) => pattern.test(text)));
      return stack === undefined ? undefined : { wrong: "shows a stack trace", seen: stack };
    }),
  ),
];

async function lookAtFailures(
  context: CheckContext,
  done: string,
  faultOf: (outcome: ToolOutcome) => Fault | undefined,
): Promise<Finding> {
  const executor = executorOver((await context.fresh()).callable());
  const calls = context.samples("failingCalls").map((call) => ({ call, label: callLabel(call) }));
  return lookAt(calls, done, async ({ call }) => faultOf(await runSample(context, executor, call)));
}

function textOf(outcome: ToolOutcome): string {
  if (outcome.status === "interrupted") return "";
  return outcome.result.content
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("\n");
}
