import type { ContentBlock, JsonObject, ToolResult } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { messageOf, notApplicable, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import { wellFormedOf } from "../reading/returned-output.ts";
import { once } from "../context/once.ts";
import { isObject } from "../schema/subschemas.ts";
import { watchGiven } from "../watching/given.ts";
import { succeeded } from "../execution/outcome.ts";
import { callLabel, executorOver, runSample } from "../execution/sample-run.ts";

/** What a sample call gave: what the tool returned, and what the executor made of it. */
export interface Answer {
  readonly label: string;
  readonly returned: unknown;
  readonly result: ToolResult;
  /** Of the tool; a warning is all that comes of an answer against it: it is not given then. */
  readonly outputSchema?: JsonObject;
}

/** A block of an answer. */
interface AnsweredBlock {
  readonly label: string;
  readonly block: ContentBlock;
}

/** What the succeeding sample calls gave, those that complete without an error. Made once for all rules. */
function sampleAnswers(context: CheckContext): Promise<readonly Answer[]> {
  return once(context, "answers of succeeding calls", () => gather(context));
}

/** Looks at each answer that has something to look at. */
export async function checkAnswers(
  context: CheckContext,
  done: string,
  faultOf: (answer: Answer) => Fault | undefined | Promise<Fault | undefined>,
  which: { readonly of: (answer: Answer) => boolean; readonly none: string } = {
    of: () => true,
    none: "No sample call completed: see TW-CALL-002.",
  },
): Promise<Finding> {
  const answers = (await sampleAnswers(context)).filter(which.of);
  return answers.length === 0 ? notApplicable(which.none) : checkEach(answers, done, faultOf);
}

/** Looks at each well-formed block that the tools returned, of the types named. */
export async function checkBlocks(
  context: CheckContext,
  done: string,
  types: readonly ContentBlock["type"][],
  wrongOf: (block: ContentBlock) => string | undefined,
): Promise<Finding> {
  const blocks = (await sampleAnswers(context))
    .flatMap(blocksOf)
    .filter(({ block }) => types.includes(block.type));
  if (blocks.length === 0) return notApplicable(`No sample call answers with ${types.join(", ")}.`);
  return checkEach(blocks, done, ({ block }) => {
    const wrong = wrongOf(block);
    return wrong === undefined ? undefined : { wrong, seen: block };
  });
}

function blocksOf({ label, returned }: Answer): AnsweredBlock[] {
  return wellFormedOf(returned).map((block) => ({ label: `A block of ${label}`, block }));
}

async function gather(context: CheckContext): Promise<readonly Answer[]> {
  let returned: unknown;
  const schemas = new Map<string, JsonObject>();
  const tools = (await context.fresh()).callable();
  for (const { spec, outputValidation } of tools) {
    if (isObject(spec.outputSchema) && outputValidation !== "warning") {
      schemas.set(spec.name, spec.outputSchema);
    }
  }
  const executor = executorOver(
    watchGiven(tools, (given) => {
      if ("returned" in given) ({ returned } = given);
    }),
  );
  const answers: Answer[] = [];
  for (const call of context.samples("succeedingCalls")) {
    const result = succeeded(await runSample(context, executor, call).catch(messageOf));
    if (result === undefined) continue;
    const outputSchema = schemas.get(call.tool);
    answers.push({
      label: callLabel(call),
      returned,
      result,
      ...(outputSchema === undefined ? {} : { outputSchema }),
    });
  }
  return answers;
}
