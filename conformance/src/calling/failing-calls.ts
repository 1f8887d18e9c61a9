import type { ToolError, ToolResult } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { messageOf, notApplicable, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { once } from "../context/once.ts";
import { watchGiven } from "../watching/given.ts";
import type { CallResult } from "../execution/outcome.ts";
import { callLabel, executorOver, runSample } from "../execution/sample-run.ts";

/** A sample call that should fail, and what came of it. */
export interface FailingCall {
  readonly call: SampleCall;
  readonly label: string;
  readonly came: CallResult;
}

/** One that failed, as it should. */
export interface Failure extends FailingCall {
  readonly error: ToolError;
  /** What a model reads. */
  readonly text: string;
  /** The same, and the error's message where that says more. */
  readonly said: string;
  /** What the tool threw; absent: it did not throw. */
  readonly thrown?: { readonly value: unknown };
  /** What came of the same call, made once more. */
  readonly again: FailingCall;
  /** The folder that the tool says it works in. */
  readonly workspaceRoot?: string;
}

/** Every sample call that should fail, made once for all the rules. */
export async function failingCalls(
  context: CheckContext,
): Promise<readonly (FailingCall | Failure)[]> {
  return once(context, "failing calls", async () => {
    const made: (FailingCall | Failure)[] = [];
    const tools = (await context.fresh()).callable();
    let thrown: Failure["thrown"];
    const executor = executorOver(
      watchGiven(tools, (given) => {
        if ("thrown" in given) thrown = { value: given.thrown };
      }),
    );
    const attempt = async (call: SampleCall): Promise<FailingCall> => ({
      call,
      label: callLabel(call),
      came: await runSample(context, executor, call).catch(messageOf),
    });
    for (const call of context.samples("failingCalls")) {
      thrown = undefined;
      const first = await attempt(call);
      const own = thrown as Failure["thrown"];
      const root = tools.find(({ spec }) => spec.name === call.tool)?.spec.annotations.access;
      const failure = failureOf(first, own, root?.workspaceRoot);
      made.push(failure === undefined ? first : { ...failure, again: await attempt(call) });
    }
    return made;
  });
}

/** Looks at each call that failed; what did not is for TW-ERROR-001 to say. */
export async function checkFailures(
  context: CheckContext,
  done: string,
  faultOf: (failure: Failure) => Fault | undefined,
): Promise<Finding> {
  const failures = (await failingCalls(context)).filter((made): made is Failure => "said" in made);
  if (failures.length === 0) return notApplicable("No sample call failed: see TW-ERROR-001.");
  return checkEach(failures, done, faultOf);
}

/** The same for what a model reads of each; a blank text is for TW-ERROR-001 to say. */
export function checkTexts(
  context: CheckContext,
  done: string,
  faultOf: (said: string, failure: Failure) => Fault | undefined,
): Promise<Finding> {
  return checkFailures(context, done, (failure) =>
    failure.text.trim() === "" ? undefined : faultOf(failure.said, failure),
  );
}

/** The texts of a result. */
function textOf({ content }: ToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

function failureOf(
  made: FailingCall,
  thrown: Failure["thrown"],
  workspaceRoot: string | undefined,
): Omit<Failure, "again"> | undefined {
  const { came } = made;
  if (typeof came === "string" || came.status === "interrupted") return undefined;
  const { error, result } = came;
  if (!result.isError || error === undefined) return undefined;
  const text = textOf(result);
  const said = text.includes(error.message) ? text : `${text}\n${error.message}`;
  return {
    ...made,
    error,
    text,
    said,
    ...(thrown === undefined ? {} : { thrown }),
    ...(workspaceRoot === undefined ? {} : { workspaceRoot }),
  };
}
