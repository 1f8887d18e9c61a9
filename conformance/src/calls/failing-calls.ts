import type { ToolError, ToolResult } from "@toolweave/core";
import { memoizePerRun, type CheckContext } from "../context/check.ts";
import { formatError, notApplicable, type Finding, type Fault } from "../contract/finding.ts";
import { checkEach } from "../faults/check-each.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { observeAnswers } from "../observation/tool-observer.ts";
import type { CallResult } from "../execution/call-result.ts";
import { formatCall, createExecutor, runSample } from "../execution/run-sample.ts";

/** A sample call that should fail, with its result. */
export interface FailingCall {
  readonly call: SampleCall;
  readonly label: string;
  readonly callResult: CallResult;
}

/** A sample call that failed as it should. */
export interface Failure extends FailingCall {
  readonly error: ToolError;
  /** The text that a model reads. */
  readonly text: string;
  /** The text, followed by the error's message if the text does not contain it. */
  readonly fullText: string;
  /** The value that the tool threw; absent if it did not throw. */
  readonly thrown?: { readonly value: unknown };
  /** The repetition of the call. */
  readonly again: FailingCall;
  /** The workspace folder that the tool declares. */
  readonly workspaceRoot?: string;
}

/** Every sample call that should fail, made once for all the rules. */
export async function makeFailingCalls(
  context: CheckContext,
): Promise<readonly (FailingCall | Failure)[]> {
  return memoizePerRun(context, "failing calls", async () => {
    const made: (FailingCall | Failure)[] = [];
    const tools = (await context.createReady()).callableTools();
    let thrown: Failure["thrown"];
    const executor = createExecutor(
      observeAnswers(tools, (given) => {
        if ("thrown" in given) thrown = { value: given.thrown };
      }),
    );
    const attempt = async (call: SampleCall): Promise<FailingCall> => ({
      call,
      label: formatCall(call),
      callResult: await runSample(context, executor, call).catch(formatError),
    });
    for (const call of context.samples("failingCalls")) {
      thrown = undefined;
      const first = await attempt(call);
      const own = thrown as Failure["thrown"];
      const root = tools.find(({ spec }) => spec.name === call.tool)?.spec.annotations.access;
      const failure = toFailure(first, own, root?.workspaceRoot);
      made.push(failure === undefined ? first : { ...failure, again: await attempt(call) });
    }
    return made;
  });
}

/** Checks each call that failed. TW-ERROR-001 reports calls that did not fail. */
export async function checkFailures(
  context: CheckContext,
  done: string,
  findFault: (failure: Failure) => Fault | undefined,
): Promise<Finding> {
  const failures = (await makeFailingCalls(context)).filter(
    (made): made is Failure => "fullText" in made,
  );
  if (failures.length === 0) return notApplicable("No sample call failed: see TW-ERROR-001.");
  return checkEach(failures, done, findFault);
}

/** Checks the text of each call that failed. TW-ERROR-001 reports blank texts. */
export function checkTexts(
  context: CheckContext,
  done: string,
  findFault: (fullText: string, failure: Failure) => Fault | undefined,
): Promise<Finding> {
  return checkFailures(context, done, (failure) =>
    failure.text.trim() === "" ? undefined : findFault(failure.fullText, failure),
  );
}

/** The text of a result. */
function resultText({ content }: ToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

function toFailure(
  made: FailingCall,
  thrown: Failure["thrown"],
  workspaceRoot: string | undefined,
): Omit<Failure, "again"> | undefined {
  const { callResult } = made;
  if (typeof callResult === "string" || callResult.status === "interrupted") return undefined;
  const { error, result } = callResult;
  if (!result.isError || error === undefined) return undefined;
  const text = resultText(result);
  const fullText = text.includes(error.message) ? text : `${text}\n${error.message}`;
  return {
    ...made,
    error,
    text,
    fullText,
    ...(thrown === undefined ? {} : { thrown }),
    ...(workspaceRoot === undefined ? {} : { workspaceRoot }),
  };
}
