import { ToolError, type Tool, type ToolExecutor, type ToolOutcome } from "@toolweave/core";
import { formatOutcome } from "../execution/call-result.ts";
import { formatCall, oneCallPerTool, createExecutor, runSample } from "../execution/run-sample.ts";
import { memoizePerRun, type CheckContext } from "../context/check.ts";
import { formatError } from "../contract/finding.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { readName, type Subject } from "../context/subject.ts";
import { addListener } from "./observed-change.ts";
import { waitForTurns, EscapedErrors, containErrors } from "../context/escaped-errors.ts";

/** The result of a call that was made while the backend was unavailable. */
interface CallDuringOutage {
  readonly label: string;
  /** The timeout message; absent if the call ended. */
  readonly timedOut?: string;
  /** The code of its error; "" for an error result without a code. Absent if there was no error. */
  readonly code?: ToolError["code"] | "";
  /** True if the result has a text. */
  readonly hasText: boolean;
  readonly seen: string;
}

/** The observations of a source while its backend was unavailable. */
export interface ObservedOutage {
  readonly calls: readonly CallDuringOutage[];
  /** Why tools() returned no list; absent if it did. */
  readonly toolsError?: string;
  /** The tools that were listed before the outage, but not during it. */
  readonly missing: readonly string[];
  /** True if the list changed without an announcement. */
  readonly isUnannounced: boolean;
  /** The first error that escaped. */
  readonly escaped?: string;
}

/** Makes the backend of a source unavailable, once for all rules. */
export function observeOutage(context: CheckContext): Promise<ObservedOutage> {
  return memoizePerRun(context, "outage", () => observeOnce(context));
}

async function observeOnce(context: CheckContext): Promise<ObservedOutage> {
  using errors = new EscapedErrors(context.manifest);
  const seen = await errors.run(async () => {
    const subject = await context.createReady();
    const before = subject.source.tools();
    // A host calls the tools that were listed before.
    const executor = createExecutor(subject.callableTools());
    let notified = 0;
    const { stop } = addListener(subject.source, () => (notified += 1));
    return duringOutage(context, async () => {
      const calls: CallDuringOutage[] = [];
      for (const call of oneCallPerTool(context))
        calls.push(await callDuringOutage(context, executor, call));
      await context.waitQuietly();
      const list = readTools(subject);
      stop();
      if (typeof list === "string")
        return { calls, toolsError: list, missing: [], isUnannounced: false };
      const names = new Set(list.map(readName));
      const differs = list.length !== before.length || list.some((tool, at) => tool !== before[at]);
      return {
        calls,
        missing: before.map(readName).filter((name) => !names.has(name)),
        isUnannounced: differs && notified === 0,
      };
    });
  });
  await waitForTurns();
  const [escaped] = errors.caught.map(formatError);
  return { ...seen, ...(escaped === undefined ? {} : { escaped }) };
}

async function callDuringOutage(
  context: CheckContext,
  executor: ToolExecutor,
  call: SampleCall,
): Promise<CallDuringOutage> {
  const label = formatCall(call);
  try {
    const outcome = await runSample(context, executor, call);
    const code = getErrorCode(outcome);
    return {
      label,
      ...(code === undefined ? {} : { code }),
      hasText: hasText(outcome),
      seen: formatOutcome(outcome),
    };
  } catch (error) {
    const late = formatError(error);
    return { label, timedOut: late, hasText: false, seen: late };
  }
}

function readTools({ source }: Subject): readonly Tool[] | string {
  try {
    const tools: readonly Tool[] = source.tools();
    return Array.isArray(tools) ? tools : String(tools);
  } catch (error) {
    return formatError(error);
  }
}

function getErrorCode(outcome: ToolOutcome): ToolError["code"] | "" | undefined {
  if (outcome.status === "interrupted" || !outcome.result.isError) return undefined;
  return outcome.error?.code ?? "";
}

function hasText(outcome: ToolOutcome): boolean {
  if (outcome.status === "interrupted") return true;
  const { content } = outcome.result;
  return content.some((block) => block.type === "text" && block.text.trim() !== "");
}

/**
 * Runs `work` while the backend is unavailable, and makes it available again afterwards in every
 * case. Errors that escape from the source meanwhile are ignored: one rule reports them.
 */
export function duringOutage<T>(context: CheckContext, work: () => Promise<T>): Promise<T> {
  const begin = async (): Promise<void> => context.manifest.outage?.begin();
  return runDuring(context, begin, "outage.begin()", work);
}

/**
 * Runs `work` while calls are carried out and their responses are lost. Otherwise like
 * `duringOutage`.
 */
export function duringLostResponses<T>(context: CheckContext, work: () => Promise<T>): Promise<T> {
  const begin = async (): Promise<void> => context.manifest.outage?.loseAnswers?.();
  return runDuring(context, begin, "outage.loseAnswers()", work);
}

function runDuring<T>(
  context: CheckContext,
  begin: () => Promise<void>,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const { manifest } = context;
  return containErrors(manifest, async () => {
    try {
      await context.withDeadline(begin(), what);
      return await work();
    } finally {
      await context.withDeadline(Promise.resolve(manifest.outage?.end()), "outage.end()");
    }
  });
}

/** The observations of a source that was created while its backend was unavailable. */
interface CreatedDuringOutage {
  /** Why there is no source; absent if there is one. */
  readonly creationError?: string;
  /** The timeout message; absent if ready settled. */
  readonly late?: string;
  /** The error that ready rejected with, if it is no `ToolError`. */
  readonly wrongError?: string;
  /** The first error that escaped while ready was not awaited. */
  readonly escaped?: string;
}

/** Creates a source while its backend is unavailable, once for all rules. */
export function createDuringOutage(context: CheckContext): Promise<CreatedDuringOutage> {
  return memoizePerRun(context, "made while away", async () => {
    using errors = new EscapedErrors(context.manifest);
    return await errors.run(() =>
      duringOutage(context, async (): Promise<CreatedDuringOutage> => {
        let subject: Subject;
        try {
          subject = await context.create();
        } catch (error) {
          return {
            creationError: `create() itself fails while the backend is unavailable: ${formatError(error)}`,
          };
        }
        await context.waitQuietly();
        await waitForTurns();
        const [escaped] = errors.caught.map(formatError);
        const found = escaped === undefined ? {} : { escaped };
        let wrongError: string | undefined;
        const settled = Promise.resolve(subject.source.ready).catch((error: unknown) => {
          if (!ToolError.is(error)) wrongError = formatError(error);
        });
        try {
          await context.withDeadline(settled, "ready");
        } catch (error) {
          return { ...found, late: formatError(error) };
        }
        await waitForTurns();
        return { ...found, ...(wrongError === undefined ? {} : { wrongError }) };
      }),
    );
  });
}
