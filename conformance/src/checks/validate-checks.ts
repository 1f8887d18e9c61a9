import type { JsonObject, Tool } from "@toolweave/core";
import fc from "fast-check";
import { knownArguments } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { messageOf, notApplicable, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import { isPointer } from "../reading/json-pointer.ts";
import { once } from "../context/once.ts";
import { isObject } from "../schema/subschemas.ts";
import { argumentsOf, usableTools, type UsableTool } from "../calling/usable-tool.ts";

/** What `validate` said of some arguments, and did to them. */
interface Asked {
  readonly args: JsonObject;
  /** What it threw in place of an answer. */
  readonly thrown?: string;
  /** What is wrong with the shape of its answer. */
  readonly misshapen?: Fault;
  readonly first?: unknown;
  readonly second?: unknown;
  /** The arguments afterwards. */
  readonly after?: JsonObject;
}

interface Validating {
  readonly label: string;
  readonly asked: readonly Asked[];
}

const argumentSets = 5;

/** What `validate` does. */
export const validateChecks: readonly Check[] = [
  check("TW-CALL-003", (context) =>
    lookAtValidate(
      context,
      "Asked validate about arguments that the schema accepts",
      ({ thrown, misshapen }) =>
        thrown === undefined ? misshapen : { wrong: "has a validate that throws", seen: thrown },
    ),
  ),

  check("TW-CALL-004", (context) =>
    lookAtValidate(
      context,
      "Asked validate about the same arguments twice",
      sound(({ first, second }) =>
        JSON.stringify(first) === JSON.stringify(second)
          ? undefined
          : { wrong: "has a validate that says now this and now that", seen: [first, second] },
      ),
    ),
  ),

  check("TW-CALL-005", (context) =>
    lookAtValidate(
      context,
      "Compared arguments before and after validate",
      sound(({ args, after }) =>
        JSON.stringify(after) === JSON.stringify(args)
          ? undefined
          : { wrong: "has a validate that changes the arguments", seen: { before: args, after } },
      ),
    ),
  ),
];

type FaultOf = (asked: Asked) => Fault | undefined;

/** What throws or answers in no proper way is for the first of these rules. */
function sound(faultOf: FaultOf): FaultOf {
  return (asked) =>
    asked.thrown === undefined && asked.misshapen === undefined ? faultOf(asked) : undefined;
}

async function lookAtValidate(
  context: CheckContext,
  done: string,
  faultOf: FaultOf,
): Promise<Finding> {
  const all = await once(context, "what validate says", () => askAll(context));
  if (all.length === 0) return notApplicable("No tool has validate.");
  return checkEach(all, done, ({ asked }) => {
    for (const one of asked) {
      const fault = faultOf(one);
      if (fault === undefined) continue;
      return { ...fault, wrong: `${fault.wrong}: ${JSON.stringify(one.args).slice(0, 200)}` };
    }
    return undefined;
  });
}

/** Asks every tool that can be asked, twice about the same arguments. */
async function askAll(context: CheckContext): Promise<readonly Validating[]> {
  const { tools } = await usableTools(context, (_, tool) => tool.validate !== undefined);
  const all: Validating[] = [];
  for (const usable of tools) {
    const asked: Asked[] = [];
    for (const args of inputsOf(context, usable)) asked.push(await ask(context, usable.tool, args));
    all.push({ label: usable.label, asked });
  }
  return all;
}

async function ask(context: CheckContext, tool: Tool, args: JsonObject): Promise<Asked> {
  const answer = async (given: JsonObject): Promise<unknown> =>
    context.within(Promise.resolve(tool.validate?.(given)), "validate");
  try {
    const after = structuredClone(args);
    const first = await answer(after);
    const misshapen = shapeFault(first);
    const second = await answer(structuredClone(args));
    return { args, first, second, after, ...(misshapen === undefined ? {} : { misshapen }) };
  } catch (error) {
    return { args, thrown: messageOf(error) };
  }
}

function inputsOf({ manifest, seed }: CheckContext, usable: UsableTool): readonly JsonObject[] {
  const known = knownArguments(manifest, usable.spec.name);
  const generated = fc.sample(argumentsOf(usable, known, seed), { seed, numRuns: argumentSets });
  const least = fc.sample(argumentsOf(usable, known, seed, "least"), { seed, numRuns: 1 });
  return [...known, ...least, ...generated].filter(usable.accepts);
}

/** What is wrong with what `validate` gave. */
function shapeFault(given: unknown): Fault | undefined {
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) {
    return {
      wrong: "has a validate that gives neither undefined nor a list of problems",
      seen: given,
    };
  }
  for (const problem of given as readonly unknown[]) {
    if (!isObject(problem) || typeof problem["message"] !== "string" || problem["message"] === "") {
      return { wrong: "has a validate that gives a problem without a message", seen: problem };
    }
    if (!isPointer(problem["path"])) {
      return {
        wrong: `has a validate that gives a problem whose path is no JSON pointer, such as "/items/0" or ""`,
        seen: problem,
      };
    }
  }
  return undefined;
}
