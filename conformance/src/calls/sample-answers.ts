import { isObject } from "@toolweave/core/adapter";
import type { ContentBlock, JsonObject, ToolResult } from "@toolweave/core";
import { memoizePerRun, type CheckContext } from "../context/check.ts";
import { formatError, notApplicable, type Finding, type Fault } from "../contract/finding.ts";
import { checkEach } from "../faults/check-each.ts";
import { getValidBlocks } from "../faults/returned-output.ts";
import { observeAnswers } from "../observation/tool-observer.ts";
import { successfulResult } from "../execution/call-result.ts";
import { formatCall, createExecutor, runSample } from "../execution/run-sample.ts";

/** The result of a sample call: what the tool returned, and the result of the executor. */
export interface SampleAnswer {
  readonly label: string;
  readonly returned: unknown;
  readonly result: ToolResult;
  /** The output schema of the tool; absent if a violation is only a warning. */
  readonly outputSchema?: JsonObject;
}

/** A content block of a result. */
interface AnsweredBlock {
  readonly label: string;
  readonly block: ContentBlock;
}

/**
 * The results of the succeeding sample calls that complete without an error. Made once for all
 * rules.
 */
function collectAnswers(context: CheckContext): Promise<readonly SampleAnswer[]> {
  return memoizePerRun(context, "answers of succeeding calls", () => makeSampleCalls(context));
}

/** Checks each result that `which` selects. */
export async function checkAnswers(
  context: CheckContext,
  done: string,
  findFault: (answer: SampleAnswer) => Fault | undefined | Promise<Fault | undefined>,
  which: { readonly of: (answer: SampleAnswer) => boolean; readonly none: string } = {
    of: () => true,
    none: "No sample call succeeded: see TW-CALL-002.",
  },
): Promise<Finding> {
  const answers = (await collectAnswers(context)).filter(which.of);
  return answers.length === 0 ? notApplicable(which.none) : checkEach(answers, done, findFault);
}

/** Checks each well-formed block of the given types. */
export async function checkBlocks(
  context: CheckContext,
  done: string,
  types: readonly ContentBlock["type"][],
  describeFault: (block: ContentBlock) => string | undefined,
): Promise<Finding> {
  const blocks = (await collectAnswers(context))
    .flatMap(toBlocks)
    .filter(({ block }) => types.includes(block.type));
  if (blocks.length === 0) return notApplicable(`No sample call returns ${types.join(", ")}.`);
  return checkEach(blocks, done, ({ block }) => {
    const wrong = describeFault(block);
    return wrong === undefined ? undefined : { wrong, seen: block };
  });
}

function toBlocks({ label, returned }: SampleAnswer): AnsweredBlock[] {
  return getValidBlocks(returned).map((block) => ({ label: `A block of ${label}`, block }));
}

async function makeSampleCalls(context: CheckContext): Promise<readonly SampleAnswer[]> {
  let returned: unknown;
  const schemas = new Map<string, JsonObject>();
  const tools = (await context.createReady()).callableTools();
  for (const { spec, outputValidation } of tools) {
    if (isObject(spec.outputSchema) && outputValidation !== "warning") {
      schemas.set(spec.name, spec.outputSchema);
    }
  }
  const executor = createExecutor(
    observeAnswers(tools, (given) => {
      if ("returned" in given) ({ returned } = given);
    }),
  );
  const answers: SampleAnswer[] = [];
  for (const call of context.samples("succeedingCalls")) {
    const result = successfulResult(await runSample(context, executor, call).catch(formatError));
    if (result === undefined) continue;
    const outputSchema = schemas.get(call.tool);
    answers.push({
      label: formatCall(call),
      returned,
      result,
      ...(outputSchema === undefined ? {} : { outputSchema }),
    });
  }
  return answers;
}
