import {
  argumentsSchemaOf,
  isToolName,
  ToolRegistry,
  toolsSource,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Tool,
  type ToolSpec,
} from "@toolweave/core";
import fc from "fast-check";
import type { CheckContext } from "../context/check.ts";
import { redactionFault } from "../reading/refused-field.ts";
import { partFault } from "../reading/tool-parts.ts";
import { checkerOf } from "../schema/checker-of.ts";
import { drawn } from "../schema/drawn.ts";
import { References } from "../schema/references.ts";
import { valuesOf } from "../schema/value-arbitrary.ts";
import type { ValueStyle } from "../schema/value-style.ts";

/** A tool whose input schema can be worked with: JSON, an object's, complete, compiled. */
export interface UsableTool {
  readonly tool: Tool;
  readonly label: string;
  readonly spec: ToolSpec;
  readonly accepts: (args: JsonObject) => boolean;
}

/** A rule that generates inputs looks at no more tools than this in one run. */
const maxTools = 40;

const triedForValid = 40;

/**
 * The tools that inputs can be generated for, at most 40 of them: which, the seed decides. What is
 * wrong with the others' schemas is for other rules to say.
 */
export async function usableTools(
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
  for (const { tool, label, spec } of drawn(readable, maxTools, context.seed)) {
    const accepts = await acceptor(argumentsSchemaOf(tool));
    if (accepts !== undefined && isTaken(tool) && isAvailable(tool))
      usable.push({ tool, label, spec, accepts });
  }
  return { tools: usable, of: readable.length };
}

/**
 * Arguments that the tool's schema accepts, as far as they can be generated.
 *
 * @param samples known ones.
 */
export function argumentsOf(
  { tool, accepts }: UsableTool,
  samples: readonly JsonObject[],
  seed: number,
  style: ValueStyle = "any",
): fc.Arbitrary<JsonObject> {
  const schema = argumentsSchemaOf(tool) as JsonObject;
  const values = valuesOf(schema, new References(schema), style) as fc.Arbitrary<JsonObject>;
  let fallback: readonly (JsonObject | undefined)[] | undefined;
  // Most schemas never need it.
  const other = (): JsonObject | undefined => {
    fallback ??= [
      fc.sample(values, { seed, numRuns: triedForValid }).find(accepts) ?? samples.find(accepts),
    ];
    return fallback[0];
  };
  return values.map((args) => (accepts(args) ? args : (other() ?? args)));
}

async function acceptor(schema: JsonSchema): Promise<UsableTool["accepts"] | undefined> {
  if (schema["type"] !== "object") return undefined;
  const problemsOf = await checkerOf(schema as JsonObject);
  return problemsOf && ((args: JsonValue) => problemsOf(args) === undefined);
}

/** False for a tool that no call can reach: other rules say what is wrong with its name and fields. */
function isTaken(tool: Tool): boolean {
  if (partFault(tool) !== undefined) return false;
  try {
    const { name, injected = [] } = tool.spec;
    const registry = new ToolRegistry([toolsSource("conformance", [tool])]);
    const isRegistered = registry.get(name) !== undefined;
    return isRegistered && Array.isArray(injected) && redactionFault(tool.spec) === undefined;
  } catch {
    return false;
  }
}

function isAvailable({ availability }: Tool): boolean {
  return availability?.status !== "unavailable";
}
