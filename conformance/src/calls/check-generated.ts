import type { JsonObject, ToolOutcome } from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import fc from "fast-check";
import { memoizePerRun, type CheckContext } from "../context/check.ts";
import { notApplicable, type Finding, type Fault } from "../contract/finding.ts";
import { checkEach } from "../faults/check-each.ts";
import { generateBoundaries } from "../schema/boundaries.ts";
import { drawSubset } from "../schema/draw-subset.ts";
import { generateArguments, findUsableTools, type UsableTool } from "./usable-tool.ts";
import { GeneratedCalls, type GeneratedAnswer, type InputKind } from "./generated-calls.ts";
import { argumentsOfSamples } from "../execution/run-sample.ts";

/** A tool with the results of its generated calls. */
interface ExploredTool {
  readonly label: string;
  readonly answers: readonly GeneratedAnswer[];
  /** Finds smaller arguments with the same fault, for ordinary arguments. */
  readonly shrink: (answer: GeneratedAnswer, faultOf: FaultOf) => Promise<GeneratedAnswer>;
}

/** Finds a fault in a result; `undefined` if there is none. */
export type FaultOf = (answer: GeneratedAnswer) => Fault | undefined;

/** The maximum number of calls of one run, so that many tools cost no more than a few. */
const maxCalls = 320;
const maxOrdinaryCalls = 6;
const maxEdgeCalls = 24;

/** The time limit for shrinking, which repeats the call many times. */
const shrinkMs = 1000;

const unknownArgumentName = "toolweave_unknown_argument";

/**
 * Checks each tool that may be called with generated arguments. The calls are made once for all
 * rules. The message contains the smallest arguments that were found for the fault.
 *
 * @param kinds the kinds of inputs that the rule is about.
 * @param but finds faults that other rules report; tools with such a fault are skipped.
 */
export async function checkGenerated(
  context: CheckContext,
  done: string,
  kinds: readonly InputKind[],
  faultOf: FaultOf,
  but: FaultOf = () => undefined,
): Promise<Finding> {
  const tools = await memoizePerRun(context, "answers of generated calls", () =>
    exploreTools(context),
  );
  const selected = tools
    .map((tool) => ({ ...tool, answers: tool.answers.filter(({ kind }) => kinds.includes(kind)) }))
    .filter(({ answers }, index) => {
      const all = tools[index]?.answers ?? [];
      return answers.length > 0 && all.every((answer) => but(answer) === undefined);
    });
  if (selected.length === 0)
    return notApplicable("There is no tool for which such calls can be generated.");
  const calls = selected.reduce((sum, { answers }) => sum + answers.length, 0);
  return checkEach(selected, `${done} of ${calls} generated calls, tool by tool`, async (tool) => {
    const broken = tool.answers.find((answer) => faultOf(answer) !== undefined);
    if (broken === undefined) return undefined;
    const shrinkAnswer = await tool.shrink(broken, faultOf);
    const { wrong, seen } = faultOf(shrinkAnswer) as Fault;
    return { wrong: `${wrong}: ${shrinkAnswer.label}`, seen };
  });
}

async function exploreTools(context: CheckContext): Promise<readonly ExploredTool[]> {
  const { manifest, seed } = context;
  const { generatedCalls = [] } = manifest;
  const { tools } = await findUsableTools(
    context,
    ({ name }) => generatedCalls === "all" || generatedCalls.includes(name),
  );
  const calls = new GeneratedCalls(context, (await context.createReady()).callableTools());
  const most = Math.max(4, Math.floor(maxCalls / Math.max(1, tools.length)));
  const explored: ExploredTool[] = [];
  for (const usable of tools) {
    const known = argumentsOfSamples(manifest, usable.spec.name);
    const ordinary = generateArguments(usable, known, seed, "ordinary");
    const answers: GeneratedAnswer[] = [];
    for (const [kind, args] of generateInputs(usable, known, ordinary, most, seed)) {
      const answer = await calls.make(usable, kind, args);
      answers.push(answer);
      if (answer.outcome === undefined || isTimeout(answer.outcome)) break;
    }
    const shrink: ExploredTool["shrink"] = (answer, faultOf) =>
      answer.kind === "ordinary"
        ? smallest(context, usable, ordinary, answer, faultOf)
        : Promise.resolve(answer);
    explored.push({ label: usable.label, answers, shrink });
  }
  return explored;
}

function generateInputs(
  usable: UsableTool,
  known: readonly JsonObject[],
  ordinary: fc.Arbitrary<JsonObject>,
  most: number,
  seed: number,
): (readonly [InputKind, JsonObject])[] {
  const { accepts, spec, tool } = usable;
  const one = (values: fc.Arbitrary<JsonObject>): JsonObject[] =>
    fc.sample(values, { seed, numRuns: 1 });
  const least = one(generateArguments(usable, known, seed, "least")).filter(accepts);
  const everyday = fc
    .sample(ordinary, { seed, numRuns: Math.min(maxOrdinaryCalls, Math.ceil(most / 3)) })
    .filter(accepts);
  const edges = least
    .flatMap((base) => generateBoundaries(argumentsSchemaOf(tool) as JsonObject, base))
    .filter(accepts);
  const injected = new Set((spec.injected ?? []).map(({ name }) => name));
  const unknown = least
    .map((base) => ({ ...base, [unknownArgumentName]: "something else" }))
    .filter((args) => accepts(args) && !injected.has(unknownArgumentName));
  const left = Math.max(1, most - least.length - everyday.length - unknown.length);
  const tried = drawSubset(edges, Math.min(maxEdgeCalls, left), seed);
  return [
    ...least.map((args) => ["least", args] as const),
    ...everyday.map((args) => ["ordinary", args] as const),
    ...tried.map((args) => ["edge", args] as const),
    ...unknown.map((args) => ["stranger", args] as const),
  ];
}

async function smallest(
  context: CheckContext,
  usable: UsableTool,
  arbitrary: fc.Arbitrary<JsonObject>,
  found: GeneratedAnswer,
  faultOf: FaultOf,
): Promise<GeneratedAnswer> {
  const { seed, manifest } = context;
  const subject = await context.createReady();
  const calls = new GeneratedCalls(context, subject.callableTools());
  let least = found;
  const property = fc.asyncProperty(arbitrary, async (args) => {
    const answer = await calls.make(usable, found.kind, args);
    if (faultOf(answer) === undefined) return true;
    if (inputSize(answer) < inputSize(least)) least = answer;
    return false;
  });
  const examples = argumentsOfSamples(manifest, usable.spec.name).map(
    (args) => [args] as [JsonObject],
  );
  await fc.check(property, {
    seed,
    numRuns: maxOrdinaryCalls * 3 + examples.length,
    examples,
    interruptAfterTimeLimit: shrinkMs,
  });
  return least;
}

function inputSize(answer: GeneratedAnswer): number {
  return JSON.stringify(answer.arguments).length;
}

function isTimeout(outcome: ToolOutcome): boolean {
  return outcome.status === "failed" && outcome.error.code === "timeout";
}
