import type { JsonObject, JsonValue } from "@toolweave/core";
import fc from "fast-check";
import { isObject, argumentsSchemaOf } from "@toolweave/core/adapter";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { formatError, notApplicable, type Fault } from "../../contract/finding.ts";
import { withReadableSpec, checkEach, type DescribedTool } from "../../faults/check-each.ts";
import { separateArgumentsSchema } from "../../faults/read-spec.ts";
import { generateBoundaries } from "../../schema/boundaries.ts";
import { compileSchema, sharedValidator } from "../../schema/shared-validator.ts";
import { drawSubset } from "../../schema/generation-settings.ts";
import { getReferences, References } from "../../schema/references.ts";
import { generateArguments, findUsableTools, type UsableTool } from "../../calls/usable-tool.ts";
import { inputChecks } from "./input-checks.ts";
import { valueChecks } from "./value-checks.ts";

const schemaFields = ["inputSchema", "outputSchema", "argumentsSchema"] as const;

type SchemaField = (typeof schemaFields)[number];

interface LabelledSchema {
  readonly label: string;
  readonly schema: JsonObject;
}

const maxOutputSchemas = 100;

/** The number of arguments that are generated for one tool. */
const argumentSets = 20;

/** Checks of the schemas of a spec. */
export const schemaChecks: readonly Check[] = [
  defineCheck("TW-SPEC-004", async (context) => {
    const { tools } = await context.subject();
    return checkEach(
      withReadableSpec(tools),
      "Read the type of each input schema",
      ({ spec, tool }) => {
        for (const schema of [
          spec.inputSchema,
          separateArgumentsSchema(tool) ?? spec.inputSchema,
        ]) {
          if (isObject(schema) && schema["type"] === "object") continue;
          return { wrong: `has an input schema without type: "object"`, seen: schema };
        }
        return undefined;
      },
    );
  }),

  defineCheck("TW-SPEC-005", async (context) => {
    const tools = withReadableSpec((await context.subject()).tools);
    const fields = (field: SchemaField): LabelledSchema[] =>
      tools.flatMap((tool) => {
        const schema = getSchema(tool, field);
        return isObject(schema) ? [{ label: `${tool.label}'s ${field}`, schema }] : [];
      });
    // Compiling the output schemas of large APIs takes minutes: the seed selects some.
    const schemas = [
      ...fields("inputSchema"),
      ...fields("argumentsSchema"),
      ...drawSubset(fields("outputSchema"), maxOutputSchemas, context.seed),
    ];
    return checkEach(schemas, "Compiled schemas", async ({ schema }) => {
      // TW-SPEC-006 reports dangling references, with which a schema does not compile.
      if (getReferences(schema).findDangling().length > 0) return undefined;
      try {
        await sharedValidator.compile(schema);
        return undefined;
      } catch (error) {
        return { wrong: "is not valid", seen: formatError(error) };
      }
    });
  }),

  defineCheck("TW-SPEC-006", async (context) => {
    const { tools } = await context.subject();
    return checkEach(withReadableSpec(tools), "Resolved each reference of each schema", (tool) => {
      for (const field of schemaFields) {
        const schema = getSchema(tool, field);
        const [dangling] = isObject(schema) ? getReferences(schema).findDangling() : [];
        if (dangling !== undefined)
          return { wrong: `has a reference without a target in its ${field}`, seen: dangling };
      }
      return undefined;
    });
  }),

  defineCheck("TW-SPEC-007", async (context) => {
    const { tools } = await context.subject();
    const injecting = withReadableSpec(tools).filter(({ spec }) => spec.injected?.length);
    if (injecting.length === 0) return notApplicable("No tool has injected values.");
    return checkEach(injecting, "Looked for injected names in each input schema", ({ spec }) => {
      const names = collectPropertyNames(spec.inputSchema as JsonObject);
      const exposed = spec.injected?.find(({ name }) => names.has(name));
      return exposed === undefined
        ? undefined
        : {
            wrong: `has the injected value "${exposed.name}" in its input schema`,
            seen: [...names],
          };
    });
  }),

  defineCheck("TW-SPEC-044", async (context) => {
    const { tools } = await findUsableTools(
      context,
      (_, tool) => separateArgumentsSchema(tool) !== undefined,
    );
    if (tools.length === 0) return notApplicable("Every tool gives the model its complete schema.");
    const done = "Compared the arguments that each tool accepts with the schema for the model";
    return checkEach(tools, done, (tool) => findNarrowSchema(context, tool));
  }),

  ...inputChecks,
  ...valueChecks,
];

function getSchema({ spec, tool }: DescribedTool, field: SchemaField): unknown {
  return field === "argumentsSchema" ? separateArgumentsSchema(tool) : spec[field];
}

async function findNarrowSchema(
  context: CheckContext,
  usable: UsableTool,
): Promise<Fault | undefined> {
  const { tool, spec, accepts } = usable;
  const inputSchema = spec.inputSchema as JsonObject;
  const named = collectPropertyNames(inputSchema);
  const { required = [] } = separateArgumentsSchema(tool) ?? {};
  const injected = new Set((spec.injected ?? []).map(({ name }) => name));
  const hidden = (required as readonly string[]).find(
    (name) => !named.has(name) && !injected.has(name),
  );
  if (hidden !== undefined) {
    return {
      wrong: `requires "${hidden}", which the schema for the model does not contain`,
      seen: [...named],
    };
  }
  const findProblems = await compileSchema(inputSchema);
  const { seed } = context;
  const samples = fc.sample(generateArguments(usable, [], seed), { seed, numRuns: argumentSets });
  const base = samples.find(accepts);
  // Random values rarely hit bounds and alternatives that differ only slightly.
  const edges =
    base === undefined ? [] : generateBoundaries(argumentsSchemaOf(tool) as JsonObject, base);
  for (const args of [...samples, ...edges]) {
    const problems = accepts(args) ? findProblems?.(args) : undefined;
    if (problems === undefined) continue;
    const wrong = "accepts arguments that the schema for the model rejects";
    return { wrong, seen: { arguments: args, problems } };
  }
  return undefined;
}

/**
 * The property names that a schema describes or requires at its root, also in schemas that apply to
 * the same object.
 */
export function collectPropertyNames(schema: JsonObject): ReadonlySet<string> {
  const references = new References(schema);
  const names = new Set<string>();
  const seen = new Set<JsonObject>();
  const visit = (value: JsonValue | undefined): void => {
    if (!isObject(value) || seen.has(value)) return;
    seen.add(value);
    if (isObject(value["properties"]))
      Object.keys(value["properties"]).forEach((name) => names.add(name));
    if (Array.isArray(value["required"])) {
      value["required"].forEach((name: JsonValue) => typeof name === "string" && names.add(name));
    }
    if (typeof value["$ref"] === "string") visit(references.resolve(value["$ref"]));
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const branches = value[keyword];
      if (Array.isArray(branches)) branches.forEach(visit);
    }
    for (const keyword of ["if", "then", "else"]) visit(value[keyword]);
  };
  visit(schema);
  return names;
}
