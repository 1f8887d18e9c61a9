import type { JsonObject, Tool } from "@toolweave/core";
import fc from "fast-check";
import { isObject } from "@toolweave/core/adapter";
import { overrideTool, createExecutor, argumentsOfSamples } from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { formatError, notApplicable, type Finding, type Fault } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import { generateArguments, findUsableTools, type UsableTool } from "../../calls/usable-tool.ts";

/** A property that no object has, unless a tool writes to its prototype. */
const mark = "toolweave_prototype_mark";

/** The maximum number of nested objects that get such a member. */
const maxNested = 4;

/** Members with which an unsafe merge writes to the prototype of all objects. */
const unsafeMembers: readonly string[] = [
  `{"__proto__":{"${mark}":true}}`,
  `{"constructor":{"prototype":{"${mark}":true}}}`,
];

/** Checks of arguments that are named like members of every object. */
export const prototypeChecks: readonly Check[] = [defineCheck("TW-CALL-024", checkPrototypes)];

async function checkPrototypes(context: CheckContext): Promise<Finding> {
  const { generatedCalls = [] } = context.manifest;
  const { tools } = await findUsableTools(
    context,
    ({ name }) => generatedCalls === "all" || generatedCalls.includes(name),
  );
  const calls = tools.map((tool) => ({ ...tool, all: createUnsafeArguments(context, tool) }));
  const testable = calls.filter(({ all }) => all.length > 0);
  if (testable.length === 0) {
    return notApplicable(
      "No tool that may be called accepts an argument that its schema does not name.",
    );
  }
  const own = (await context.createReady()).callableTools();
  return checkEach(
    testable,
    "Made calls with __proto__ and constructor among the arguments",
    (tool) => findPrototypeChange(context, own, tool),
  );
}

async function findPrototypeChange(
  { manifest, withDeadline: within }: CheckContext,
  tools: readonly Tool[],
  { spec, label, all }: UsableTool & { readonly all: readonly JsonObject[] },
): Promise<Fault | undefined> {
  let isChanged = false;
  const watched = tools.map((tool) =>
    overrideTool(tool, {
      invoke: (args, ctx) => {
        try {
          return tool.invoke(args, ctx);
        } finally {
          // At once, since all code in this process has the same prototype.
          isChanged ||= removeMark();
        }
      },
    }),
  );
  const executor = createExecutor(watched);
  const { injected } = manifest;
  for (const args of all) {
    const call = { id: "conformance", name: spec.name, arguments: args };
    const options = injected === undefined ? {} : { injected };
    // Other rules check the result.
    await within(executor.execute(call, options), label).catch(formatError);
    isChanged ||= removeMark();
    if (isChanged) {
      const wrong =
        "writes to the prototype of all objects if an argument is named like it: define members, or skip such names";
      return { wrong, seen: JSON.stringify(args) };
    }
  }
  return undefined;
}

/** Removes the mark from the prototype of all objects. True if it was there. */
function removeMark(): boolean {
  const prototype = Object.prototype as Record<string, unknown>;
  return Object.hasOwn(prototype, mark) && delete prototype[mark];
}

/**
 * Required arguments with such a member, at the root or in a nested object, if the schema allows
 * it.
 */
function createUnsafeArguments({ manifest, seed }: CheckContext, tool: UsableTool): JsonObject[] {
  const known = argumentsOfSamples(manifest, tool.spec.name);
  const drawn = fc.sample(generateArguments(tool, known, seed, "least"), { seed, numRuns: 1 });
  return [...drawn, ...known.slice(0, 1)]
    .flatMap((args) => unsafeMembers.flatMap((member) => insertMember(args, member)))
    .filter((args) => tool.accepts(args));
}

function insertMember(args: JsonObject, member: string): JsonObject[] {
  const nested = Object.entries(args).filter(([, value]) => isObject(value));
  return [
    withMember(args, member),
    ...nested
      .slice(0, maxNested)
      .map(([name, value]) => ({ ...args, [name]: withMember(value as JsonObject, member) })),
  ];
}

/** Copies an object with one more member. A spread would set the prototype for `__proto__`. */
function withMember(object: JsonObject, member: string): JsonObject {
  const [name = "", value] = Object.entries(JSON.parse(member) as JsonObject)[0] ?? [];
  const copy = { ...object };
  return Object.defineProperty(copy, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
