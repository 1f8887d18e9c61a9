import {
  ToolRegistry,
  toolsSource,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Tool,
  type ToolSpec,
} from "@toolweave/core";
import { argumentsSchemaOf, isToolName } from "@toolweave/core/adapter";
import fc from "fast-check";
import type { CheckContext } from "../context/check.ts";
import { findRedactionFault } from "../faults/field-faults.ts";
import { findMemberFault } from "../faults/read-spec.ts";
import { compileSchema } from "../schema/shared-validator.ts";
import { drawSubset, type ValueStyle } from "../schema/generation-settings.ts";
import { References } from "../schema/references.ts";
import { generateValues } from "../schema/value-arbitrary.ts";

/** A tool whose input schema is complete JSON Schema of an object that compiles. */
export interface UsableTool {
  readonly tool: Tool;
  readonly label: string;
  readonly spec: ToolSpec;
  readonly accepts: (args: JsonObject) => boolean;
}

/** The maximum number of tools for which a rule generates inputs in one run. */
const maxTools = 40;

const maxAttempts = 40;

/**
 * The tools for which inputs can be generated, at most 40, chosen by the seed. Other rules report
 * unusable schemas.
 */
export async function findUsableTools(
  context: CheckContext,
  wanted: (spec: ToolSpec, tool: Tool) => boolean = () => true,
): Promise<{ readonly tools: readonly UsableTool[]; readonly of: number }> {
  const { tools } = await context.subject();
  const readable = tools.flatMap(({ tool, label, spec }) =>
    spec !== undefined && isToolName(spec.name) && wanted(spec, tool)
      ? [{ tool, label, spec }]
      : [],
  );
  const usable: UsableTool[] = [];
  for (const { tool, label, spec } of drawSubset(readable, maxTools, context.seed)) {
    const accepts = await createAcceptor(argumentsSchemaOf(tool));
    if (accepts !== undefined && isRegistrable(tool) && isAvailable(tool))
      usable.push({ tool, label, spec, accepts });
  }
  return { tools: usable, of: readable.length };
}

/**
 * Generates arguments that the tool's schema accepts, as far as possible.
 *
 * @param samples known arguments.
 */
export function generateArguments(
  { tool, accepts }: UsableTool,
  samples: readonly JsonObject[],
  seed: number,
  style: ValueStyle = "any",
): fc.Arbitrary<JsonObject> {
  const schema = argumentsSchemaOf(tool) as JsonObject;
  const values = generateValues(schema, new References(schema), style) as fc.Arbitrary<JsonObject>;
  let fallback: readonly (JsonObject | undefined)[] | undefined;
  // Most schemas do not need it.
  const other = (): JsonObject | undefined => {
    fallback ??= [
      fc.sample(values, { seed, numRuns: maxAttempts }).find(accepts) ?? samples.find(accepts),
    ];
    return fallback[0];
  };
  return values.map((args) => (accepts(args) ? args : (other() ?? args)));
}

async function createAcceptor(schema: JsonSchema): Promise<UsableTool["accepts"] | undefined> {
  if (schema["type"] !== "object") return undefined;
  const findProblems = await compileSchema(schema as JsonObject);
  return findProblems && ((args: JsonValue) => findProblems(args) === undefined);
}

/** False for a tool that a registry does not accept. Other rules report its name and fields. */
function isRegistrable(tool: Tool): boolean {
  if (findMemberFault(tool) !== undefined) return false;
  try {
    const { name, injected = [] } = tool.spec;
    const registry = new ToolRegistry([toolsSource("conformance", [tool])]);
    const isRegistered = registry.get(name) !== undefined;
    return isRegistered && Array.isArray(injected) && findRedactionFault(tool.spec) === undefined;
  } catch {
    return false;
  }
}

function isAvailable({ availability }: Tool): boolean {
  return availability?.status !== "unavailable";
}
