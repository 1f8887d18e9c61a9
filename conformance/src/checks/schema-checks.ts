import { argumentsSchemaOf, type JsonObject } from "@toolweave/core";
import fc from "fast-check";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { messageOf, notApplicable } from "../contract/finding.ts";
import { described, checkEach, type DescribedTool, type Fault } from "../reading/check-each.ts";
import { ownArgumentsSchema } from "../reading/own-arguments-schema.ts";
import { boundariesOf } from "../schema/boundaries.ts";
import { checkerOf } from "../schema/checker-of.ts";
import { drawn } from "../schema/drawn.ts";
import { referencesOf } from "../schema/references.ts";
import { sharedValidator } from "../schema/shared-validator.ts";
import { isObject } from "../schema/subschemas.ts";
import { surfaceNames } from "../schema/surface-names.ts";
import { argumentsOf, usableTools, type UsableTool } from "../calling/usable-tool.ts";
import { inputChecks } from "./input-checks.ts";
import { valueChecks } from "./value-checks.ts";

const schemaFields = ["inputSchema", "outputSchema", "argumentsSchema"] as const;

type SchemaField = (typeof schemaFields)[number];

interface SchemaOf {
  readonly label: string;
  readonly schema: JsonObject;
}

const maxOutputSchemas = 100;

/** Arguments that are made for one tool. */
const argumentSets = 20;

/** What a spec's schemas are. */
export const schemaChecks: readonly Check[] = [
  check("TW-SPEC-004", async (context) => {
    const { tools } = await context.subject();
    return checkEach(described(tools), "Read the type of each input schema", ({ spec, tool }) => {
      for (const schema of [spec.inputSchema, ownArgumentsSchema(tool) ?? spec.inputSchema]) {
        if (isObject(schema) && schema["type"] === "object") continue;
        return { wrong: `has an input schema without type: "object"`, seen: schema };
      }
      return undefined;
    });
  }),

  check("TW-SPEC-005", async (context) => {
    const tools = described((await context.subject()).tools);
    const fields = (field: SchemaField): SchemaOf[] =>
      tools.flatMap((tool) => {
        const schema = schemaOf(tool, field);
        return isObject(schema) ? [{ label: `${tool.label}'s ${field}`, schema }] : [];
      });
    // What large APIs answer takes a validator minutes to compile: the seed decides which this time.
    const schemas = [
      ...fields("inputSchema"),
      ...fields("argumentsSchema"),
      ...drawn(fields("outputSchema"), maxOutputSchemas, context.seed),
    ];
    return checkEach(schemas, "Compiled schemas", async ({ schema }) => {
      // Nothing can be compiled that is not there: that is TW-SPEC-006.
      if (referencesOf(schema).dangling().length > 0) return undefined;
      try {
        await sharedValidator.compile(schema);
        return undefined;
      } catch (error) {
        return { wrong: "is not valid", seen: messageOf(error) };
      }
    });
  }),

  check("TW-SPEC-006", async (context) => {
    const { tools } = await context.subject();
    return checkEach(described(tools), "Resolved each reference of each schema", (tool) => {
      for (const field of schemaFields) {
        const schema = schemaOf(tool, field);
        const [dangling] = isObject(schema) ? referencesOf(schema).dangling() : [];
        if (dangling !== undefined) return { wrong: `refers out of its ${field}`, seen: dangling };
      }
      return undefined;
    });
  }),

  check("TW-SPEC-007", async (context) => {
    const { tools } = await context.subject();
    const injecting = described(tools).filter(({ spec }) => spec.injected?.length);
    if (injecting.length === 0) return notApplicable("No tool has injected values.");
    return checkEach(injecting, "Looked for injected names in each input schema", ({ spec }) => {
      const names = surfaceNames(spec.inputSchema as JsonObject);
      const shown = spec.injected?.find(({ name }) => names.has(name));
      return shown === undefined
        ? undefined
        : { wrong: `shows the injected value "${shown.name}" to the model`, seen: [...names] };
    });
  }),

  check("TW-SPEC-044", async (context) => {
    const { tools } = await usableTools(
      context,
      (_, tool) => ownArgumentsSchema(tool) !== undefined,
    );
    if (tools.length === 0) return notApplicable("Every tool is shown with its whole schema.");
    const done = "Compared what each tool takes with what a model is shown";
    return checkEach(tools, done, (tool) => narrowFault(context, tool));
  }),

  ...inputChecks,
  ...valueChecks,
];

function schemaOf({ spec, tool }: DescribedTool, field: SchemaField): unknown {
  return field === "argumentsSchema" ? ownArgumentsSchema(tool) : spec[field];
}

async function narrowFault(context: CheckContext, usable: UsableTool): Promise<Fault | undefined> {
  const { tool, spec, accepts } = usable;
  const inputSchema = spec.inputSchema as JsonObject;
  const named = surfaceNames(inputSchema);
  const { required = [] } = ownArgumentsSchema(tool) ?? {};
  const injected = new Set((spec.injected ?? []).map(({ name }) => name));
  const hidden = (required as readonly string[]).find(
    (name) => !named.has(name) && !injected.has(name),
  );
  if (hidden !== undefined) {
    return { wrong: `requires "${hidden}", which a model is not shown`, seen: [...named] };
  }
  const problemsOf = await checkerOf(inputSchema);
  const { seed } = context;
  const samples = fc.sample(argumentsOf(usable, [], seed), { seed, numRuns: argumentSets });
  const base = samples.find(accepts);
  // Bounds and choices that differ by a little are rarely drawn.
  const edges = base === undefined ? [] : boundariesOf(argumentsSchemaOf(tool) as JsonObject, base);
  for (const args of [...samples, ...edges]) {
    const problems = accepts(args) ? problemsOf?.(args) : undefined;
    if (problems === undefined) continue;
    const wrong = "takes what the schema that a model is shown refuses";
    return { wrong, seen: { arguments: args, problems } };
  }
  return undefined;
}
