import type { JsonObject, ToolOutcome, Tool, ToolExecutor } from "@toolweave/core";
import { argumentsSchemaOf, isObject } from "@toolweave/core/adapter";
import fc from "fast-check";
import { memoizePerRun, type CheckContext } from "../context/check.ts";
import { notApplicable, formatError, type Finding, type Fault } from "../contract/finding.ts";
import { checkEach } from "../faults/check-each.ts";
import { generateBoundaries } from "../schema/boundaries.ts";
import { drawSubset } from "../schema/generation-settings.ts";
import { generateArguments, findUsableTools, type UsableTool } from "./usable-tool.ts";
import { argumentsOfSamples, formatCall, createExecutor } from "../execution/run-sample.ts";
import {
  findReturnedProgrammingError,
  findThrownProgrammingError,
} from "../faults/error-faults.ts";
import { compileSchema } from "../schema/shared-validator.ts";
import { observeAnswers } from "../observation/tool-observer.ts";

/** A tool with the results of its generated calls. */
interface ExploredTool {
  readonly label: string;
  readonly answers: readonly GeneratedAnswer[];
  /** Finds smaller arguments with the same fault, for ordinary arguments. */
  readonly shrink: (answer: GeneratedAnswer, findFault: FindFault) => Promise<GeneratedAnswer>;
}

/** Finds a fault in a result; `undefined` if there is none. */
export type FindFault = (answer: GeneratedAnswer) => Fault | undefined;

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
  findFault: FindFault,
  but: FindFault = () => undefined,
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
    const broken = tool.answers.find((answer) => findFault(answer) !== undefined);
    if (broken === undefined) return undefined;
    const shrinkAnswer = await tool.shrink(broken, findFault);
    const { wrong, seen } = findFault(shrinkAnswer) as Fault;
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
    const shrink: ExploredTool["shrink"] = (answer, findFault) =>
      answer.kind === "ordinary"
        ? smallest(context, usable, ordinary, answer, findFault)
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
  findFault: FindFault,
): Promise<GeneratedAnswer> {
  const { seed, manifest } = context;
  const subject = await context.createReady();
  const calls = new GeneratedCalls(context, subject.callableTools());
  let least = found;
  const property = fc.asyncProperty(arbitrary, async (args) => {
    const answer = await calls.make(usable, found.kind, args);
    if (findFault(answer) === undefined) return true;
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

/**
 * A kind of arguments: only the required ones (`least`); ordinary values; a value at a boundary
 * (`edge`); a member that the schema does not name (`stranger`).
 */
export type InputKind = "least" | "ordinary" | "edge" | "stranger";

/** The result of a call with generated arguments. */
interface GeneratedAnswer {
  readonly label: string;
  readonly kind: InputKind;
  readonly arguments: JsonObject;
  readonly returned: unknown;
  /** How the value violates the output schema of the tool, if the tool must match it. */
  readonly schemaViolation?: string;
  /** Absent if the call timed out. */
  readonly outcome?: ToolOutcome;
  /** The message of the programming error, if there was one. */
  readonly programmingError?: string;
}

/** A call that takes longer is assumed to be slow; a broken one fails sooner. */
const timeoutMs = 2000;

/** Makes generated calls, and records what the tools return and throw. */
class GeneratedCalls {
  readonly #context: CheckContext;
  readonly #executor: ToolExecutor;
  #returned: unknown;
  #thrown: unknown;

  constructor(context: CheckContext, tools: readonly Tool[]) {
    this.#context = context;
    this.#executor = createExecutor(
      observeAnswers(tools, (given) => {
        if ("returned" in given) this.#returned = given.returned;
        else this.#thrown = given.thrown;
      }),
    );
  }

  /** Makes one call with a timeout of two seconds. */
  async make(
    { spec, tool }: UsableTool,
    kind: InputKind,
    args: JsonObject,
  ): Promise<GeneratedAnswer> {
    this.#returned = undefined;
    this.#thrown = undefined;
    const { injected } = this.#context.manifest;
    const label = formatCall({ tool: spec.name, arguments: args });
    const answer = { label, kind, arguments: args };
    try {
      const outcome = await this.#context.withDeadline(
        this.#executor.execute(
          { id: "conformance", name: spec.name, arguments: args },
          { timeoutMs, ...(injected === undefined ? {} : { injected }) },
        ),
        label,
      );
      const error = findThrownProgrammingError(this.#thrown) ?? findAnsweredError(outcome);
      const isLenient = tool.outputValidation === "warning" || !isObject(spec.outputSchema);
      const schemaViolation = isLenient
        ? undefined
        : await findSchemaViolation(outcome, spec.outputSchema);
      return {
        ...answer,
        outcome,
        returned: this.#returned,
        ...(error === undefined ? {} : { programmingError: error }),
        ...(schemaViolation === undefined ? {} : { schemaViolation }),
      };
    } catch (late) {
      return { ...answer, returned: formatError(late) };
    }
  }
}

function findAnsweredError(outcome: ToolOutcome): string | undefined {
  if (outcome.status !== "completed" || !outcome.result.isError) return undefined;
  for (const block of outcome.result.content) {
    const message = block.type === "text" ? findReturnedProgrammingError(block.text) : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Finds how the value of a result violates a schema. Errors are not checked. */
async function findSchemaViolation(
  outcome: ToolOutcome,
  schema: JsonObject | undefined,
): Promise<string | undefined> {
  if (outcome.status !== "completed" || outcome.result.isError) return undefined;
  const { value } = outcome.result;
  if (value === undefined) return "there is no value";
  const [problem] = (await compileSchema(schema ?? {}))?.(value) ?? [];
  if (problem === undefined) return undefined;
  return `${problem.path === "" ? "the value" : `"${problem.path}"`} ${problem.message}`;
}
