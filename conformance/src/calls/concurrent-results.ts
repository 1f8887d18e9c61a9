import type { CallOptions, ToolExecutor } from "@toolweave/core";
import { memoizePerRun, type CheckContext } from "../context/check.ts";
import { formatError, notApplicable, type Fault, type Finding } from "../contract/finding.ts";
import type { SampleCall, SucceedingCall } from "../contract/manifest.ts";
import {
  comparableText,
  formatOutcome,
  isDeterministic,
  isRateLimited,
  successfulResult,
  type CallResult,
} from "../execution/call-result.ts";
import { ResultTemplate } from "../execution/result-template.ts";
import { createExecutor, formatCall, runSample } from "../execution/run-sample.ts";
import { checkEach } from "../faults/check-each.ts";
import { drawSubset } from "../schema/generation-settings.ts";

/** The minimum and maximum number of concurrent calls. */
export const minConcurrentCalls = 8;
const maxConcurrentCalls = 40;
/** The number of times that a fault of a read-only call has to be seen: something else may change what it reads. */
const maxTries = 3;

/** A call that was made, and its result. */
export interface MadeCall {
  readonly call: SampleCall;
  readonly label: string;
  readonly callResult: CallResult;
}

/** Repeats the calls at least twice, up to the maximum number of concurrent calls. */
export function repeatCalls<Call extends SampleCall>(calls: readonly Call[]): readonly Call[] {
  const [first] = calls;
  if (first === undefined) return [];
  const count = Math.min(maxConcurrentCalls, Math.max(minConcurrentCalls, 2 * calls.length));
  return Array.from({ length: count }, (_, index) => calls[index % calls.length] ?? first);
}

/** Makes a sample call. Never rejects. */
export async function makeCall(
  context: CheckContext,
  executor: ToolExecutor,
  call: SampleCall,
  id: string,
  options: CallOptions = {},
): Promise<MadeCall> {
  const callResult = await runSample(context, executor, call, options, id).catch(formatError);
  return { call, label: formatCall(call), callResult };
}

/**
 * Compares the results of read-only tools with each other: alone, in two orders, and concurrently.
 * Only calls of these tools are made meanwhile, so that nothing changes what they read.
 *
 * @returns `undefined`: there is no such call.
 */
export async function checkReadOnlyCalls(context: CheckContext): Promise<Finding | undefined> {
  const tools = (await context.createReady()).callableTools();
  const executor = createExecutor(tools);
  const readOnly = new Set(
    tools
      .filter(({ spec }) => spec.annotations?.readOnlyHint === true)
      .map(({ spec }) => spec.name),
  );
  const calls = sampleCalls(context).filter(({ tool }) => readOnly.has(tool));
  if (calls.length === 0) return undefined;
  const findings: Finding[] = [];
  do findings.push(await compareReadOnlyCalls(context, executor, calls));
  while (findings.at(-1)?.status === "failed" && findings.length < maxTries);
  return findings.at(-1);
}

async function compareReadOnlyCalls(
  context: CheckContext,
  executor: ToolExecutor,
  calls: readonly SampleCall[],
): Promise<Finding> {
  const ask = async (call: SampleCall, id: string): Promise<string | undefined> =>
    comparableAnswer(await makeCall(context, executor, call, id));
  // The first calls may fill a cache.
  for (const call of calls) await ask(call, "first");
  const alone = new Map<SampleCall, string[]>(calls.map((call) => [call, []]));
  for (const call of [...calls, ...calls.toReversed()]) {
    const answer = await ask(call, "alone");
    // Other rules check that it succeeds.
    if (answer !== undefined) alone.get(call)?.push(answer);
  }
  const together = await Promise.all(
    repeatCalls(calls).map((call, index) => makeCall(context, executor, call, `call ${index}`)),
  );
  const compared = calls.map((call) => ({ call, label: formatCall(call) }));
  const done = "Made the calls of read-only tools in two orders and concurrently";
  return checkEach(compared, done, ({ call }): Fault | undefined => {
    const answers = alone.get(call) ?? [];
    const template = ResultTemplate.of(answers);
    if (template === undefined) {
      return {
        wrong: `returns another result when it is repeated, although its tool is read-only: if that is meant, add the reason to the sample call as "varies"`,
        seen: answers,
      };
    }
    const other = together
      .filter((made) => made.call === call)
      .map(comparableAnswer)
      .find((answer) => answer !== undefined && !template.matches(answer));
    if (other === undefined || answers.length === 0) return undefined;
    return {
      wrong: "has a different result than alone",
      seen: `${other} instead of ${answers[0]}`,
    };
  });
}

/** Compares the results of concurrent calls with those of the calls alone. */
export async function compareWithAlone(
  context: CheckContext,
  together: (calls: readonly SampleCall[]) => Promise<readonly MadeCall[]>,
): Promise<Finding> {
  const alone = await makeCallsAlone(context);
  if (alone.results.size === 0) {
    return notApplicable(
      alone.varying.length === 0
        ? "No sample call completed: see TW-CALL-002."
        : `Every result is another one each time: ${alone.varying.join(", ")}.`,
    );
  }
  const made = await together([...alone.results.keys()]);
  const staysSame = createDeterminismTest(context);
  const except =
    alone.varying.length === 0 ? "" : `, except for results that vary: ${alone.varying.join(", ")}`;
  const done = `Compared the results of calls alone and concurrently${except}`;
  return checkEach(made, done, async (one) => {
    const { call, callResult } = one;
    const expected = alone.results.get(call);
    if (isRateLimited(callResult) || expected === undefined) return undefined;
    const answer = comparableAnswer(one);
    if (answer !== undefined && expected.template.matches(answer)) return undefined;
    // A result that other calls have changed since does not belong to another call.
    if (answer !== undefined && !(await staysSame(call, expected.template))) return undefined;
    const seen = `${answer ?? formatOutcome(callResult)} instead of ${expected.answer}`;
    return { wrong: "has a different result than alone", seen };
  });
}

interface CallsAlone {
  readonly results: ReadonlyMap<
    SampleCall,
    { readonly answer: string; readonly template: ResultTemplate }
  >;
  /** Calls whose result is another one each time. */
  readonly varying: readonly string[];
}

/** Makes each succeeding call twice, one after the other. */
function makeCallsAlone(context: CheckContext): Promise<CallsAlone> {
  return memoizePerRun(context, "answers alone", async () => {
    const executor = createExecutor((await context.createReady()).callableTools());
    const results = new Map<SampleCall, { answer: string; template: ResultTemplate }>();
    const varying = context
      .samples("succeedingCalls")
      .flatMap((call) =>
        call.varies === undefined ? [] : [`${formatCall(call)} (${call.varies})`],
      );
    for (const call of sampleCalls(context)) {
      const answer = comparableAnswer(await makeCall(context, executor, call, "alone"));
      const again = comparableAnswer(await makeCall(context, executor, call, "again"));
      if (answer === undefined || again === undefined) continue;
      const template = ResultTemplate.of([answer, again]);
      if (template === undefined) varying.push(formatCall(call));
      else results.set(call, { answer, template });
    }
    return { results, varying };
  });
}

/** Some of the succeeding calls whose results can be compared. */
function sampleCalls(context: CheckContext): readonly SucceedingCall[] {
  const comparable = context
    .samples("succeedingCalls")
    .filter(({ varies }) => varies === undefined);
  return drawSubset(comparable, maxConcurrentCalls / 2, context.seed);
}

/**
 * Checks whether a call alone always has the same result; once for each call, and only on demand.
 */
function createDeterminismTest(
  context: CheckContext,
): (call: SampleCall, template: ResultTemplate) => Promise<boolean> {
  const known = new Map<SampleCall, Promise<boolean>>();
  let executor: Promise<ToolExecutor> | undefined;
  const ask = async (call: SampleCall, template: ResultTemplate): Promise<boolean> => {
    executor ??= context.createReady().then((subject) => createExecutor(subject.callableTools()));
    const answer = comparableAnswer(await makeCall(context, await executor, call, "now"));
    return answer !== undefined && template.matches(answer);
  };
  return (call, template) => {
    const same = known.get(call) ?? isDeterministic(true, () => ask(call, template));
    known.set(call, same);
    return same;
  };
}

/** The comparable result; `undefined` if the call did not succeed. */
function comparableAnswer({ callResult }: MadeCall): string | undefined {
  return successfulResult(callResult) === undefined ? undefined : comparableText(callResult);
}
