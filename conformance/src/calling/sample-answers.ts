import {
  isContentBlock,
  type ContentBlock,
  type JsonObject,
  type ToolResult,
} from "@toolweave/core";
import type { CheckContext } from "./check.ts";
import { notApplicable, type Finding } from "./finding.ts";
import { lookAt, type Fault } from "./look-at.ts";
import { once } from "./once.ts";
import { around, callLabel, executorOver, runSample } from "./sample-run.ts";
import { isObject } from "./schema/subschemas.ts";

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
export async function lookAtAnswers(
  context: CheckContext,
  done: string,
  faultOf: (answer: Answer) => Fault | undefined | Promise<Fault | undefined>,
  which: { readonly of: (answer: Answer) => boolean; readonly none: string } = {
    of: () => true,
    none: "No sample call completed: see TW-CALL-002.",
  },
): Promise<Finding> {
  const answers = (await sampleAnswers(context)).filter(which.of);
  return answers.length === 0 ? notApplicable(which.none) : lookAt(answers, done, faultOf);
}

/** Looks at each well-formed block that the tools returned, of the types named. */
export async function lookAtBlocks(
  context: CheckContext,
  done: string,
  types: readonly ContentBlock["type"][],
  wrongOf: (block: ContentBlock) => string | undefined,
): Promise<Finding> {
  const blocks = (await sampleAnswers(context))
    .flatMap(blocksOf)
    .filter(({ block }) => types.includes(block.type));
  if (blocks.length === 0) return notApplicable(`No sample call answers with ${types.join(", ")}.`);
  return lookAt(blocks, done, ({ block }) => {
    const wrong = wrongOf(block);
    return wrong === undefined ? undefined : { wrong, seen: block };
  });
}

const outputFields = new Set([
  "content",
  "value",
  "isError",
  "error",
  "artifacts",
  "details",
  "childRunId",
  "provider",
]);

/** The content of what is meant as an output: one malformed block makes it pass for a JSON value. */
export function contentOf(returned: unknown): readonly unknown[] | undefined {
  if (!isObject(returned)) return undefined;
  const content: unknown = returned["content"];
  const meant = Object.keys(returned).every((field) => outputFields.has(field));
  return meant && Array.isArray(content) ? content : undefined;
}

/** The texts that a tool answered with. */
export function textsOf({ returned }: Pick<Answer, "returned">): readonly string[] {
  if (typeof returned === "string") return [returned];
  return wellFormedOf(returned).flatMap((block) => {
    if (block.type === "text") return [block.text];
    const text = block.type === "resource" ? block.resource.text : undefined;
    return text === undefined ? [] : [text];
  });
}

function blocksOf({ label, returned }: Answer): AnsweredBlock[] {
  return wellFormedOf(returned).map((block) => ({ label: `A block of ${label}`, block }));
}

function wellFormedOf(returned: unknown): ContentBlock[] {
  const isList = Array.isArray(returned) && returned.every(isContentBlock);
  return (isList ? returned : (contentOf(returned) ?? [])).filter(isContentBlock);
}

async function gather(context: CheckContext): Promise<readonly Answer[]> {
  let returned: unknown;
  const schemas = new Map<string, JsonObject>();
  const tools = (await context.fresh()).callable().map((tool) => {
    const { name, outputSchema } = tool.spec;
    if (isObject(outputSchema) && tool.outputValidation !== "warning") {
      schemas.set(name, outputSchema);
    }
    return around(tool, {
      invoke: async (args, ctx) => {
        const value = await tool.invoke(args, ctx);
        returned = value;
        return value;
      },
    });
  });
  const executor = executorOver(tools);
  const answers: Answer[] = [];
  for (const call of context.samples("succeedingCalls")) {
    const outcome = await runSample(context, executor, call).catch(() => undefined);
    if (outcome?.status !== "completed" || outcome.result.isError) continue;
    const outputSchema = schemas.get(call.tool);
    answers.push({
      label: callLabel(call),
      returned,
      result: outcome.result,
      ...(outputSchema === undefined ? {} : { outputSchema }),
    });
  }
  return answers;
}
