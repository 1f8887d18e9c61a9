import type { JsonObject, Tool } from "@toolweave/core";
import { distinctCalls, executorOver, firstFailing, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { messageOf, notApplicable, show } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import { nameOf } from "../context/subject.ts";

/** Input schemas that nobody can validate by, as documents and servers have them. */
const unusableSchemas: readonly { readonly label: string; readonly schema: JsonObject }[] = [
  unusable("a pattern that takes exponential time", { pattern: "^(a+)+$" }),
  unusable("a pattern that is no regular expression", { pattern: "[" }),
  unusable("a type that does not exist", { type: "text" }),
  unusable("a reference to nothing", { $ref: "#/$defs/nothing" }),
  {
    label: "An argument that is called __proto__",
    schema: JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
    ) as JsonObject,
  },
];

function unusable(label: string, one: JsonObject): (typeof unusableSchemas)[number] {
  const schema = { type: "object", properties: { one: { type: "string", ...one } } };
  return { label: label.replace(/^a/, "A"), schema };
}

/** What one tool that cannot be used does to the others. */
export const unusableSchemaChecks: readonly Check[] = [
  check("TW-LIFE-022", (context) => {
    const { createWithSchema } = context.manifest;
    if (createWithSchema === undefined) {
      return notApplicable("The manifest gives no createWithSchema.");
    }
    const done = "Made it with one more tool, each time with another unusable schema";
    return checkEach(unusableSchemas, done, ({ schema }) => faultWith(context, schema));
  }),
];

async function faultWith(context: CheckContext, schema: JsonObject): Promise<Fault | undefined> {
  const { source: usual } = await context.subject();
  const usualNames = new Set(usual.tools().map(nameOf));
  const { create, createWithSchema } = context.manifest;
  try {
    const subject = await context.createdBy(() => createWithSchema?.(schema) ?? create());
    await context.within(subject.source.ready, "ready");
    const tools = subject.callable();
    const missing = [...usualNames].find((name) => !tools.some((tool) => nameOf(tool) === name));
    if (missing !== undefined) {
      return { wrong: `takes the tool "${missing}" away`, seen: subject.names() };
    }
    const added = tools.filter((tool) => !usualNames.has(nameOf(tool)));
    const isNamed = subject.source.problems.length > usual.problems.length;
    if (added.length === 0 && !isNamed) {
      const wrong = "lets its tool go in silence: name it in problems, or list it";
      return { wrong, seen: subject.source.problems };
    }
    const executor = executorOver(tools);
    // What becomes of it is its own business, as long as it ends.
    for (const tool of added) await runSample(context, executor, callOf(tool));
    const failing = await firstFailing(context, executor, distinctCalls(context));
    return failing && { wrong: `makes ${failing.label} fail`, seen: failing.seen };
  } catch (error) {
    return { wrong: `keeps the others from being used: ${messageOf(error)}`, seen: show(schema) };
  }
}

function callOf(tool: Tool): { readonly tool: string; readonly arguments: JsonObject } {
  return { tool: nameOf(tool), arguments: {} };
}
