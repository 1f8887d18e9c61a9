import type { Tool, ToolError, ToolExecutor, ToolOutcome } from "@toolweave/core";
import { outcomeLabel } from "../execution/outcome.ts";
import { callLabel, distinctCalls, executorOver, runSample } from "../execution/sample-run.ts";
import type { CheckContext } from "../context/check.ts";
import { messageOf } from "../contract/finding.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { once } from "../context/once.ts";
import { nameOf, type Subject } from "../context/subject.ts";
import { listening } from "./observed-change.ts";
import { someTurns, StrayErrors } from "../context/stray-errors.ts";
import { duringOutage } from "./during-outage.ts";

/** What came of a call that was made while the backend was away. */
interface CallWhileAway {
  readonly label: string;
  /** Why it was not waited for any longer; absent: it ended. */
  readonly late?: string;
  /** Its error's code; "" for a result that says itself that it is an error. Absent: no error. */
  readonly code?: ToolError["code"] | "";
  /** It says something. */
  readonly hasWords: boolean;
  readonly seen: string;
}

/** What was seen of a source while its backend was away. */
export interface ObservedOutage {
  readonly calls: readonly CallWhileAway[];
  /** Why tools() gave no list; absent: it did. */
  readonly noList?: string;
  /** The tools that were listed before and are not while it is away. */
  readonly missing: readonly string[];
  /** The list has changed, and nobody was told. */
  readonly isSilent: boolean;
  /** The first error that escaped. */
  readonly escaped?: string;
}

/** Takes a source's backend away once for all rules that look at what comes of it. */
export function observedOutage(context: CheckContext): Promise<ObservedOutage> {
  return once(context, "outage", () => observe(context));
}

async function observe(context: CheckContext): Promise<ObservedOutage> {
  using errors = new StrayErrors(context.manifest);
  const seen = await errors.run(async () => {
    const subject = await context.fresh();
    const before = subject.source.tools();
    // A host calls what it was shown before.
    const executor = executorOver(subject.callable());
    let heard = 0;
    const { stop } = listening(subject.source, () => (heard += 1));
    return duringOutage(context, async () => {
      const calls: CallWhileAway[] = [];
      for (const call of distinctCalls(context))
        calls.push(await callWhileAway(context, executor, call));
      await context.quiet();
      const list = listOf(subject);
      stop();
      if (typeof list === "string") return { calls, noList: list, missing: [], isSilent: false };
      const names = new Set(list.map(nameOf));
      const differs = list.length !== before.length || list.some((tool, at) => tool !== before[at]);
      return {
        calls,
        missing: before.map(nameOf).filter((name) => !names.has(name)),
        isSilent: differs && heard === 0,
      };
    });
  });
  await someTurns();
  const [escaped] = errors.caught.map(messageOf);
  return { ...seen, ...(escaped === undefined ? {} : { escaped }) };
}

async function callWhileAway(
  context: CheckContext,
  executor: ToolExecutor,
  call: SampleCall,
): Promise<CallWhileAway> {
  const label = callLabel(call);
  try {
    const outcome = await runSample(context, executor, call);
    const code = codeOf(outcome);
    return {
      label,
      ...(code === undefined ? {} : { code }),
      hasWords: hasWords(outcome),
      seen: outcomeLabel(outcome),
    };
  } catch (error) {
    const late = messageOf(error);
    return { label, late, hasWords: false, seen: late };
  }
}

function listOf({ source }: Subject): readonly Tool[] | string {
  try {
    const tools: readonly Tool[] = source.tools();
    return Array.isArray(tools) ? tools : String(tools);
  } catch (error) {
    return messageOf(error);
  }
}

function codeOf(outcome: ToolOutcome): ToolError["code"] | "" | undefined {
  if (outcome.status === "interrupted" || !outcome.result.isError) return undefined;
  return outcome.error?.code ?? "";
}

function hasWords(outcome: ToolOutcome): boolean {
  if (outcome.status === "interrupted") return true;
  const { content } = outcome.result;
  return content.some((block) => block.type === "text" && block.text.trim() !== "");
}
