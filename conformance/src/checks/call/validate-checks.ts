import type { JsonObject, Tool } from "@toolweave/core";
import fc from "fast-check";
import { isObject } from "@toolweave/core/adapter";
import { argumentsOfSamples } from "../../execution/run-sample.ts";
import { defineCheck, memoizePerRun, type Check, type CheckContext } from "../../context/check.ts";
import { formatError, notApplicable, type Finding, type Fault } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import { isPointer } from "../../faults/json-defect.ts";
import { generateArguments, findUsableTools, type UsableTool } from "../../calls/usable-tool.ts";

/** The results of `validate` for some arguments. */
interface ValidateRun {
  readonly args: JsonObject;
  /** The error that it threw. */
  readonly thrown?: string;
  /** The problem with the shape of its result. */
  readonly shapeFault?: Fault;
  readonly first?: unknown;
  readonly second?: unknown;
  /** The arguments after the call. */
  readonly after?: JsonObject;
}

interface ValidatedTool {
  readonly label: string;
  readonly runs: readonly ValidateRun[];
}

const argumentSets = 5;

/** Checks of `validate`. */
export const validateChecks: readonly Check[] = [
  defineCheck("TW-CALL-003", (context) =>
    checkValidate(
      context,
      "Ran validate for arguments that the schema accepts",
      ({ thrown, shapeFault }) =>
        thrown === undefined
          ? shapeFault
          : { wrong: "has a validate function that throws", seen: thrown },
    ),
  ),

  defineCheck("TW-CALL-004", (context) =>
    checkValidate(
      context,
      "Ran validate twice for the same arguments",
      skipFaulty(({ first, second }) =>
        JSON.stringify(first) === JSON.stringify(second)
          ? undefined
          : { wrong: "has a validate function with different results", seen: [first, second] },
      ),
    ),
  ),

  defineCheck("TW-CALL-005", (context) =>
    checkValidate(
      context,
      "Compared arguments before and after validate",
      skipFaulty(({ args, after }) =>
        JSON.stringify(after) === JSON.stringify(args)
          ? undefined
          : {
              wrong: "has a validate function that modifies the arguments",
              seen: { before: args, after },
            },
      ),
    ),
  ),
];

type FindFault = (runs: ValidateRun) => Fault | undefined;

/** Skips results that TW-CALL-003 reports. */
function skipFaulty(findFault: FindFault): FindFault {
  return (runs) =>
    runs.thrown === undefined && runs.shapeFault === undefined ? findFault(runs) : undefined;
}

async function checkValidate(
  context: CheckContext,
  done: string,
  findFault: FindFault,
): Promise<Finding> {
  const all = await memoizePerRun(context, "what validate says", () => validateAll(context));
  if (all.length === 0) return notApplicable("No tool has a validate function.");
  return checkEach(all, done, ({ runs }) => {
    for (const one of runs) {
      const fault = findFault(one);
      if (fault === undefined) continue;
      return { ...fault, wrong: `${fault.wrong}: ${JSON.stringify(one.args).slice(0, 200)}` };
    }
    return undefined;
  });
}

/** Runs `validate` of every tool that has it, twice for the same arguments. */
async function validateAll(context: CheckContext): Promise<readonly ValidatedTool[]> {
  const { tools } = await findUsableTools(context, (_, tool) => tool.validate !== undefined);
  const all: ValidatedTool[] = [];
  for (const usable of tools) {
    const runs: ValidateRun[] = [];
    for (const args of generateInputs(context, usable))
      runs.push(await validateTwice(context, usable.tool, args));
    all.push({ label: usable.label, runs });
  }
  return all;
}

async function validateTwice(
  context: CheckContext,
  tool: Tool,
  args: JsonObject,
): Promise<ValidateRun> {
  const answer = async (given: JsonObject): Promise<unknown> =>
    context.withDeadline(Promise.resolve(tool.validate?.(given)), "validate");
  try {
    const after = structuredClone(args);
    const first = await answer(after);
    const shapeFault = findShapeFault(first);
    const second = await answer(structuredClone(args));
    return { args, first, second, after, ...(shapeFault === undefined ? {} : { shapeFault }) };
  } catch (error) {
    return { args, thrown: formatError(error) };
  }
}

function generateInputs(
  { manifest, seed }: CheckContext,
  usable: UsableTool,
): readonly JsonObject[] {
  const known = argumentsOfSamples(manifest, usable.spec.name);
  const generated = fc.sample(generateArguments(usable, known, seed), {
    seed,
    numRuns: argumentSets,
  });
  const least = fc.sample(generateArguments(usable, known, seed, "least"), { seed, numRuns: 1 });
  return [...known, ...least, ...generated].filter(usable.accepts);
}

/** Finds a problem with what `validate` returned. */
function findShapeFault(given: unknown): Fault | undefined {
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) {
    return {
      wrong: "has a validate function that returns neither undefined nor a list of problems",
      seen: given,
    };
  }
  for (const problem of given as readonly unknown[]) {
    if (!isObject(problem) || typeof problem["message"] !== "string" || problem["message"] === "") {
      return {
        wrong: "has a validate function that returns a problem without a message",
        seen: problem,
      };
    }
    if (!isPointer(problem["path"])) {
      return {
        wrong: `has a validate function that returns a problem whose path is not a JSON pointer, such as "/items/0" or ""`,
        seen: problem,
      };
    }
  }
  return undefined;
}
