import type { JsonObject, Tool } from "@toolweave/core";
import fc from "fast-check";
import { around, executorOver, knownArguments } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { messageOf, notApplicable, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import { isObject } from "../schema/subschemas.ts";
import { argumentsOf, usableTools, type UsableTool } from "../calling/usable-tool.ts";

/** What no object has, unless somebody writes to its prototype. */
const mark = "toolweave_prototype_mark";

/** So many objects within the arguments of one tool get such a member. */
const maxNested = 4;

/** Members by which a merge that knows no better reaches the prototype of all objects. */
const reaching: readonly string[] = [
  `{"__proto__":{"${mark}":true}}`,
  `{"constructor":{"prototype":{"${mark}":true}}}`,
];

/** What tools make of arguments that are called like what every object has. */
export const prototypeChecks: readonly Check[] = [check("TW-CALL-024", leavesPrototypes)];

async function leavesPrototypes(context: CheckContext): Promise<Finding> {
  const { generatedCalls = [] } = context.manifest;
  const { tools } = await usableTools(
    context,
    ({ name }) => generatedCalls === "all" || generatedCalls.includes(name),
  );
  const calls = tools.map((tool) => ({ ...tool, all: reachingArguments(context, tool) }));
  const looked = calls.filter(({ all }) => all.length > 0);
  if (looked.length === 0) {
    return notApplicable("No tool that may be called takes an argument that it does not name.");
  }
  const own = (await context.fresh()).callable();
  return checkEach(
    looked,
    "Made calls with __proto__ and constructor among the arguments",
    (tool) => changedFault(context, own, tool),
  );
}

async function changedFault(
  { manifest, within }: CheckContext,
  tools: readonly Tool[],
  { spec, label, all }: UsableTool & { readonly all: readonly JsonObject[] },
): Promise<Fault | undefined> {
  let isChanged = false;
  const watched = tools.map((tool) =>
    around(tool, {
      invoke: (args, ctx) => {
        try {
          return tool.invoke(args, ctx);
        } finally {
          // At once: everything else in this process has the same prototype.
          isChanged ||= takeBack();
        }
      },
    }),
  );
  const executor = executorOver(watched);
  const { injected } = manifest;
  for (const args of all) {
    const call = { id: "conformance", name: spec.name, arguments: args };
    const options = injected === undefined ? {} : { injected };
    // What becomes of the call is for other rules to say.
    await within(executor.execute(call, options), label).catch(messageOf);
    isChanged ||= takeBack();
    if (isChanged) {
      const wrong =
        "writes to the prototype of every object when an argument is called like it: define members, or skip such names";
      return { wrong, seen: JSON.stringify(args) };
    }
  }
  return undefined;
}

/** True when every object had the mark; none has it any more. */
function takeBack(): boolean {
  const prototype = Object.prototype as Record<string, unknown>;
  return Object.hasOwn(prototype, mark) && delete prototype[mark];
}

/** The least arguments with such a member, in themselves or in one object among them, where the schema allows it. */
function reachingArguments({ manifest, seed }: CheckContext, tool: UsableTool): JsonObject[] {
  const known = knownArguments(manifest, tool.spec.name);
  const drawn = fc.sample(argumentsOf(tool, known, seed, "least"), { seed, numRuns: 1 });
  return [...drawn, ...known.slice(0, 1)]
    .flatMap((args) => reaching.flatMap((member) => placesFor(args, member)))
    .filter((args) => tool.accepts(args));
}

function placesFor(args: JsonObject, member: string): JsonObject[] {
  const nested = Object.entries(args).filter(([, value]) => isObject(value));
  return [
    withMember(args, member),
    ...nested
      .slice(0, maxNested)
      .map(([name, value]) => ({ ...args, [name]: withMember(value as JsonObject, member) })),
  ];
}

/** A copy with one more member; a spread would take `__proto__` for the prototype. */
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
