import type { RunnableConfig } from "@langchain/core/runnables";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import {
  ToolError,
  type JsonSchema,
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  type ToolSource,
} from "@toolweave/core";
import {
  checkOptions,
  checks,
  cleanName,
  isStandardSchema,
  standardInput,
  uniqueNames,
  type OptionChecks,
  type SourceProblem,
} from "@toolweave/core/adapter";
import { invokeTool, type LangchainTool } from "./invoke-tool.ts";

/** How LangChain's tools become a source. */
export interface LangchainSourceOptions {
  /** The source's id. Default: `langchain`. */
  readonly name?: string;
  /**
   * The effects of a tool. LangChain's tools do not declare any, so that MCP's defaults apply to absent hints: the
   * default policy asks before each call. The host vouches for these hints, and they loosen decisions.
   */
  readonly annotations?: (tool: LangchainTool) => ToolAnnotations;
  /**
   * The tools are functions of your own, like those of `defineTool`: under `supervised` they run unless they are marked
   * as destructive or need approval. Not for tools of a package or of an MCP server. Default: false.
   */
  readonly ownCode?: boolean;
  /**
   * LangChain's config for a tool, such as `configurable` and `context`. The call's signal and id are added. Default:
   * none.
   */
  readonly config?: (ctx: ToolContext) => RunnableConfig;
}

const optionChecks: OptionChecks<LangchainSourceOptions> = {
  name: checks.filledText,
  annotations: checks.callback,
  ownCode: checks.flag,
  config: checks.callback,
};

/**
 * LangChain's tools for the registry. Names are cleaned if necessary. LangChain validates once more, by the tool's own
 * schema, since only that knows its defaults and transformations. A tool runs outside of the calling graph:
 * `interrupt()` fails in it.
 *
 * @param tools those of `langchain`, of a toolkit, or your own. The list is read once.
 * @throws ToolError `invalid_configuration` for an invalid option, or an entry that is no LangChain tool.
 * @example
 * ```ts
 * const registry = new ToolRegistry([
 *   langchainSource([search], { annotations: () => ({ readOnlyHint: true }) }),
 * ]);
 * ```
 */
export function langchainSource(
  tools: readonly LangchainTool[],
  options: LangchainSourceOptions = {},
): ToolSource {
  checkOptions("langchainSource", options, optionChecks);
  const { name: id = "langchain" } = options;
  checkTools(tools);
  const names = uniqueNames(
    tools.map(({ name }) => name),
    cleanName,
  );
  const problems: SourceProblem[] = [];
  const kept: Tool[] = [];
  const closing = new AbortController();
  const taken = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const name = names[index] as string;
    if (taken.has(name)) {
      problems.push({ subject: tool.name, message: "Another tool of the list has this name." });
      continue;
    }
    try {
      kept.push(toTool(tool, name, id, closing.signal, options));
      taken.add(name);
    } catch (error) {
      const message = error instanceof Error ? error.message : "It cannot be read.";
      problems.push({ subject: tool.name, message });
    }
  }
  return {
    id,
    ready: Promise.resolve(),
    problems,
    // The host gives the hints.
    trustAnnotations: true,
    tools: () => kept,
    onChange: () => () => {},
    close,
    [Symbol.asyncDispose]: close,
  };

  async function close(): Promise<void> {
    closing.abort(new ToolError("unavailable", `The source "${id}" is closed.`));
  }
}

function toTool(
  tool: LangchainTool,
  name: string,
  source: string,
  closing: AbortSignal,
  { annotations: getAnnotations, ownCode = false, config }: LangchainSourceOptions,
): Tool {
  const annotations = getAnnotations?.(tool) ?? {};
  const streams = annotations.streamingHint === true;
  const schema: unknown = tool.schema;
  const input = isStandardSchema(schema) ? standardInput(schema) : undefined;
  return {
    spec: {
      name,
      description: tool.description ?? "",
      inputSchema: toInputSchema(tool.schema),
      annotations,
      provenance: { adapter: ownCode ? "code" : "langchain", source, origin: { tool: tool.name } },
    },
    ...(input === undefined
      ? {}
      : { argumentsValidation: "tool", validate: (args) => input.validate(args) }),
    invoke: (args, ctx) =>
      invokeTool(tool, args, ctx, { closing, streams, config: config?.(ctx) ?? {} }),
  };
}

function checkTools(tools: readonly LangchainTool[]): void {
  if (Array.isArray(tools) && tools.every(isTool)) return;
  throw new ToolError(
    "invalid_configuration",
    "langchainSource takes a list of LangChain's tools.",
  );
}

function isTool(tool: LangchainTool | null | undefined): boolean {
  return typeof tool?.name === "string" && typeof tool.invoke === "function";
}

/**
 * The schema of a model's arguments, as JSON Schema: a property with a default may be absent.
 *
 * @throws Error for a schema that JSON Schema cannot express, and for arguments that are no object.
 */
function toInputSchema(schema: unknown): JsonSchema {
  const given: unknown = toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], {
    io: "input",
  });
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError("Its schema is none.");
  }
  // A copy: properties that JSON cannot represent are lost.
  const plain = JSON.parse(JSON.stringify(given)) as JsonSchema;
  if (plain["type"] === undefined) return { ...plain, type: "object" };
  if (plain["type"] === "object") return plain;
  throw new TypeError("Its arguments are no object.");
}
