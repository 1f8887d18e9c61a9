import type {
  Caller,
  JsonSchema,
  PolicyEffect,
  Tool,
  ToolExecutor,
  ToolSpec,
} from "@toolweave/core";
import {
  argumentsSchemaOf,
  nearNames,
  specHashOf,
  type RegisteredTool,
} from "@toolweave/core/adapter";
import { Problem } from "../http/problem.ts";
import type { ToolLock, ToolLocks } from "../lock/tool-locks.ts";

/** A tool with its whole definition. */
export interface ToolDetails {
  readonly spec: ToolSpec;
  /** The schema that arguments are validated against, without the parameters that the host supplies. */
  readonly argumentsSchema: JsonSchema;
  /** SHA-256 of the definition. */
  readonly specHash: string;
  /** The id of its source. */
  readonly source: string;
  /** The decision about the tool. Rules may depend on the arguments of a call. */
  readonly effect: PolicyEffect;
  /** Absent: the server has no lock, or cannot read it. */
  readonly lock?: ToolLock;
  /** Estimated tokens of the definition for a model: a quarter of its characters. */
  readonly tokens: number;
}

/** @throws Problem `not_found`, with similar names. */
export function findTool({ registry }: ToolExecutor, name: string): RegisteredTool {
  const entry = registry.toolset().entry(name);
  if (entry !== undefined) return entry;
  const near = nearNames(name, registry.toolset().names());
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(", ")}?`
      : registry.loading
        ? "Sources are still loading: try again."
        : "See GET /api/tools.";
  throw new Problem("not_found", `There is no tool of that name. ${hint}`);
}

/**
 * Reads a tool.
 *
 * @throws Problem `not_found`; `tool_unavailable` if its definition cannot be read.
 */
export async function getTool(
  executor: ToolExecutor,
  name: string,
  caller: Caller,
  locks?: ToolLocks,
): Promise<ToolDetails> {
  const { tool, source } = findTool(executor, name);
  const definition = await readDefinition(tool);
  const { effect } = await executor.explain({ name }, { caller });
  const { spec, argumentsSchema } = executor.redact(definition);
  const { description, inputSchema } = spec;
  const lock = await locks?.get(name);
  return {
    spec,
    argumentsSchema,
    specHash: definition.specHash,
    source: executor.redact(source),
    effect,
    ...(lock === undefined ? {} : { lock }),
    tokens: estimateTokens([name, description, inputSchema]),
  };
}

/** Schemas may be read from a document when they are needed, and may be missing there. */
async function readDefinition(
  tool: Tool,
): Promise<Pick<ToolDetails, "spec" | "argumentsSchema" | "specHash">> {
  try {
    return {
      spec: JSON.parse(JSON.stringify(tool.spec)) as ToolSpec,
      argumentsSchema: JSON.parse(JSON.stringify(argumentsSchemaOf(tool))) as JsonSchema,
      specHash: await specHashOf(tool),
    };
  } catch {
    throw new Problem(
      "tool_unavailable",
      "The definition of this tool cannot be read: see GET /api/problems.",
    );
  }
}

/** Estimated tokens of a definition: a quarter of its characters. */
export function estimateTokens(definition: unknown): number {
  return Math.ceil(JSON.stringify(definition).length / 4);
}
