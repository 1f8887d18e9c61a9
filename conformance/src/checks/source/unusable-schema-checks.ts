import type { JsonObject, Tool } from "@toolweave/core";
import {
  oneCallPerTool,
  createExecutor,
  findFailingCall,
  runSample,
} from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { formatError, notApplicable, formatValue, type Fault } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import { readName } from "../../context/subject.ts";

/** Input schemas that cannot be used for validation, as in real documents and servers. */
const unusableSchemas: readonly { readonly label: string; readonly schema: JsonObject }[] = [
  createUnusableSchema("a pattern that takes exponential time", { pattern: "^(a+)+$" }),
  createUnusableSchema("a pattern that is no regular expression", { pattern: "[" }),
  createUnusableSchema("a type that does not exist", { type: "text" }),
  createUnusableSchema("a reference to nothing", { $ref: "#/$defs/nothing" }),
  {
    label: "An argument that is called __proto__",
    schema: JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
    ) as JsonObject,
  },
];

function createUnusableSchema(label: string, one: JsonObject): (typeof unusableSchemas)[number] {
  const schema = { type: "object", properties: { one: { type: "string", ...one } } };
  return { label: label.replace(/^a/, "A"), schema };
}

/** Checks of the other tools if one tool cannot be used. */
export const unusableSchemaChecks: readonly Check[] = [
  defineCheck("TW-LIFE-022", (context) => {
    const { createWithSchema } = context.manifest;
    if (createWithSchema === undefined) {
      return notApplicable("The manifest has no createWithSchema.");
    }
    const done = "Created it with one more tool, each time with another unusable schema";
    return checkEach(unusableSchemas, done, ({ schema }) => findFaultWith(context, schema));
  }),
];

async function findFaultWith(
  context: CheckContext,
  schema: JsonObject,
): Promise<Fault | undefined> {
  const { source: usual } = await context.subject();
  const usualNames = new Set(usual.tools().map(readName));
  const { create, createWithSchema } = context.manifest;
  try {
    const subject = await context.createWith(() => createWithSchema?.(schema) ?? create());
    await context.withDeadline(subject.source.ready, "ready");
    const tools = subject.callableTools();
    const missing = [...usualNames].find((name) => !tools.some((tool) => readName(tool) === name));
    if (missing !== undefined) {
      return { wrong: `removes the tool "${missing}"`, seen: subject.names() };
    }
    const added = tools.filter((tool) => !usualNames.has(readName(tool)));
    const isNamed = subject.source.problems.length > usual.problems.length;
    if (added.length === 0 && !isNamed) {
      const wrong = "drops its tool silently: list it, or name it in problems";
      return { wrong, seen: subject.source.problems };
    }
    const executor = createExecutor(tools);
    // Any result is allowed, as long as the call ends.
    for (const tool of added) await runSample(context, executor, toCall(tool));
    const failing = await findFailingCall(context, executor, oneCallPerTool(context));
    return failing && { wrong: `makes ${failing.label} fail`, seen: failing.seen };
  } catch (error) {
    return {
      wrong: `makes the other tools unusable: ${formatError(error)}`,
      seen: formatValue(schema),
    };
  }
}

function toCall(tool: Tool): { readonly tool: string; readonly arguments: JsonObject } {
  return { tool: readName(tool), arguments: {} };
}
