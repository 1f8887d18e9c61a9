import { argumentsSchemaOf, type JsonObject, type ToolOutcome } from "@toolweave/core";
import fc from "fast-check";
import type { CheckContext } from "../context/check.ts";
import { notApplicable, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import { once } from "../context/once.ts";
import { boundariesOf } from "../schema/boundaries.ts";
import { drawn } from "../schema/drawn.ts";
import { argumentsOf, usableTools, type UsableTool } from "./usable-tool.ts";
import { GeneratedCalls, type GeneratedAnswer, type InputKind } from "./generated-calls.ts";
import { knownArguments } from "../execution/sample-run.ts";

/** A tool, and what came of its calls. */
interface ExploredTool {
  readonly label: string;
  readonly answers: readonly GeneratedAnswer[];
  /** Looks for smaller arguments that an ordinary call goes wrong with. */
  readonly shrink: (answer: GeneratedAnswer, faultOf: FaultOf) => Promise<GeneratedAnswer>;
}

/** What is wrong with an answer; `undefined`: nothing. */
export type FaultOf = (answer: GeneratedAnswer) => Fault | undefined;

/** Calls of one run in all, so that many tools cost no more than a few. */
const mostCalls = 320;
const mostOrdinary = 6;
const mostEdges = 24;

/** While it shrinks a call is made again and again. */
const shrinkMs = 1000;

const strangerName = "toolweave_unknown_argument";

/**
 * Looks at each tool that may be called with generated arguments; the calls are made once for all
 * rules. The message shows arguments that the fault can be seen with, as small as they were found.
 *
 * @param kinds of inputs that the rule is about.
 * @param but what other rules say already: a tool that has such a fault is left out.
 */
export async function checkGenerated(
  context: CheckContext,
  done: string,
  kinds: readonly InputKind[],
  faultOf: FaultOf,
  but: FaultOf = () => undefined,
): Promise<Finding> {
  const tools = await once(context, "answers of generated calls", () => explore(context));
  const looked = tools
    .map((tool) => ({ ...tool, answers: tool.answers.filter(({ kind }) => kinds.includes(kind)) }))
    .filter(({ answers }, index) => {
      const all = tools[index]?.answers ?? [];
      return answers.length > 0 && all.every((answer) => but(answer) === undefined);
    });
  if (looked.length === 0) return notApplicable("There is no tool that such calls can be made of.");
  const calls = looked.reduce((sum, { answers }) => sum + answers.length, 0);
  return checkEach(looked, `${done} of ${calls} generated calls, tool by tool`, async (tool) => {
    const broken = tool.answers.find((answer) => faultOf(answer) !== undefined);
    if (broken === undefined) return undefined;
    const smallest = await tool.shrink(broken, faultOf);
    const { wrong, seen } = faultOf(smallest) as Fault;
    return { wrong: `${wrong}: ${smallest.label}`, seen };
  });
}

async function explore(context: CheckContext): Promise<readonly ExploredTool[]> {
  const { manifest, seed } = context;
  const { generatedCalls = [] } = manifest;
  const { tools } = await usableTools(
    context,
    ({ name }) => generatedCalls === "all" || generatedCalls.includes(name),
  );
  const calls = new GeneratedCalls(context, (await context.fresh()).callable());
  const most = Math.max(4, Math.floor(mostCalls / Math.max(1, tools.length)));
  const explored: ExploredTool[] = [];
  for (const usable of tools) {
    const known = knownArguments(manifest, usable.spec.name);
    const ordinary = argumentsOf(usable, known, seed, "ordinary");
    const answers: GeneratedAnswer[] = [];
    for (const [kind, args] of inputsOf(usable, known, ordinary, most, seed)) {
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

function inputsOf(
  usable: UsableTool,
  known: readonly JsonObject[],
  ordinary: fc.Arbitrary<JsonObject>,
  most: number,
  seed: number,
): (readonly [InputKind, JsonObject])[] {
  const { accepts, spec, tool } = usable;
  const one = (values: fc.Arbitrary<JsonObject>): JsonObject[] =>
    fc.sample(values, { seed, numRuns: 1 });
  const least = one(argumentsOf(usable, known, seed, "least")).filter(accepts);
  const everyday = fc
    .sample(ordinary, { seed, numRuns: Math.min(mostOrdinary, Math.ceil(most / 3)) })
    .filter(accepts);
  const edges = least
    .flatMap((base) => boundariesOf(argumentsSchemaOf(tool) as JsonObject, base))
    .filter(accepts);
  const injected = new Set((spec.injected ?? []).map(({ name }) => name));
  const strangers = least
    .map((base) => ({ ...base, [strangerName]: "something else" }))
    .filter((args) => accepts(args) && !injected.has(strangerName));
  const left = Math.max(1, most - least.length - everyday.length - strangers.length);
  const tried = drawn(edges, Math.min(mostEdges, left), seed);
  return [
    ...least.map((args) => ["least", args] as const),
    ...everyday.map((args) => ["ordinary", args] as const),
    ...tried.map((args) => ["edge", args] as const),
    ...strangers.map((args) => ["stranger", args] as const),
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
  const subject = await context.fresh();
  const calls = new GeneratedCalls(context, subject.callable());
  let least = found;
  const property = fc.asyncProperty(arbitrary, async (args) => {
    const answer = await calls.make(usable, found.kind, args);
    if (faultOf(answer) === undefined) return true;
    if (size(answer) < size(least)) least = answer;
    return false;
  });
  const examples = knownArguments(manifest, usable.spec.name).map((args) => [args] as [JsonObject]);
  await fc.check(property, {
    seed,
    numRuns: mostOrdinary * 3 + examples.length,
    examples,
    interruptAfterTimeLimit: shrinkMs,
  });
  return least;
}

function size(answer: GeneratedAnswer): number {
  return JSON.stringify(answer.arguments).length;
}

function isTimeout(outcome: ToolOutcome): boolean {
  return outcome.status === "failed" && outcome.error.code === "timeout";
}
