import {
  ToolError,
  type Awaitable,
  type JsonSchema,
  type Tool,
  type ToolAnnotations,
} from "@toolweave/core";
import {
  isObject,
  checkOptions,
  checks,
  type OptionChecks,
  loadedSource,
  prefixName,
  uniqueNames,
  type LoadedSource,
  type LoadedTools,
  type SourceProblem,
} from "@toolweave/core/adapter";
import { asSchema, type ToolSet } from "ai";
import {
  resolveApproval,
  ownProperty,
  toolApprovalCheck,
  type AiToolApproval,
} from "./resolve-approval.ts";
import { toInputSchema, toOutputSchema, SdkParser } from "./sdk-schema.ts";
import { SdkTool } from "./sdk-tool.ts";

/** The SDK's tools: an object, or what gives one, such as an MCP client's `tools()`. */
export type AiToolsInput = ToolSet | (() => Awaitable<ToolSet>);

/** How the SDK's tools become those of a registry. */
export interface AiSourceOptions {
  /** Names the source among the others. Default: `ai-sdk`. */
  readonly id?: string;
  /** Stands before every name: `prefix__name`. Default: none. */
  readonly prefix?: string;
  /**
   * The effects of the tools, by their names in the SDK, for which you vouch: the SDK has no such hints. A tool without
   * any is assumed to change something.
   */
  readonly annotations?: Readonly<Record<string, ToolAnnotations>>;
  /**
   * The tools are functions of your own, like those of `defineTool`: under `supervised` they run unless they are marked
   * as destructive or need approval. Not for tools of a package or of an MCP client. Default: false.
   */
  readonly ownCode?: boolean;
  /**
   * The value that you would give `generateText` as `toolApproval`. `user-approval` asks, `denied` refuses; `approved`
   * removes the tool's own `needsApproval`, and loosens nothing else.
   */
  readonly toolApproval?: AiToolApproval;
  /** The value that you would give `generateText` as `toolsContext`: the `context` of the tools, by name. */
  readonly toolsContext?: Readonly<Record<string, unknown>>;
}

const optionChecks: OptionChecks<AiSourceOptions> = {
  id: checks.filledText,
  prefix: checks.filledText,
  annotations: checks.record(checks.object),
  ownCode: checks.flag,
  toolApproval: toolApprovalCheck,
  toolsContext: checks.object,
};

/**
 * Makes a source of the AI SDK's tools, for a registry. Their schemas (Zod, Standard Schema, `jsonSchema()`) become
 * JSON Schema, refinements are checked before a call is allowed, and the values that a tool yields before its result
 * are updates. A tool without `execute` waits for a result from the host. Tools that cannot be converted, such as one
 * that runs at its provider, are in `problems`.
 *
 * @param tools a `ToolSet`; or a function that gives one, which `refresh()` calls again.
 * @throws ToolError `invalid_configuration` for an unknown or invalid option.
 * @example
 * ```ts
 * const registry = new ToolRegistry([aiSource({ weather }, { annotations: { weather: { readOnlyHint: true } } })]);
 * ```
 */
export function aiSource(tools: AiToolsInput, options: AiSourceOptions = {}): LoadedSource {
  checkOptions("aiSource", options, optionChecks);
  if (typeof tools !== "function" && !isObject(tools)) {
    throw new ToolError(
      "invalid_configuration",
      "aiSource takes the SDK's tools by name: { weather: tool({ … }) }.",
    );
  }
  const { id = "ai-sdk" } = options;
  return loadedSource({
    id,
    // All annotations are the host's.
    trustAnnotations: true,
    load: async (closing) => {
      const set = typeof tools === "function" ? await tools() : tools;
      return new ToolSetLoader(set, id, options, closing).load();
    },
  });
}

/** Converts one list of the SDK's tools to tools of a registry. */
class ToolSetLoader {
  readonly #set: ToolSet;
  readonly #source: string;
  readonly #options: AiSourceOptions;
  readonly #closing: AbortSignal;
  readonly #problems: SourceProblem[] = [];

  constructor(set: ToolSet, source: string, options: AiSourceOptions, closing: AbortSignal) {
    this.#set = set;
    this.#source = source;
    this.#options = options;
    this.#closing = closing;
  }

  async load(): Promise<LoadedTools> {
    const { prefix, annotations = {} } = this.#options;
    const originals = Object.keys(this.#set);
    const names = uniqueNames(originals);
    const tools: Tool[] = [];
    for (const [index, original] of originals.entries()) {
      const clean = names[index] as string;
      const name = prefix === undefined ? clean : prefixName(prefix, clean);
      try {
        tools.push(await this.#tool(original, name));
      } catch (error) {
        this.#problems.push({ subject: original, message: errorMessage(error) });
      }
    }
    // A misspelt name would leave a tool without its hints.
    for (const subject of Object.keys(annotations)) {
      if (Object.hasOwn(this.#set, subject)) continue;
      this.#warn(subject, "There are annotations for it, but no such tool: correct the name.");
    }
    return { tools, problems: this.#problems };
  }

  async #tool(original: string, name: string): Promise<Tool> {
    const { annotations = {}, ownCode = false, toolApproval, toolsContext = {} } = this.#options;
    const set = this.#set;
    const tool = set[original] as ToolSet[string];
    if (tool.type === "provider") {
      throw new Error(
        `It belongs to its provider (${tool.id}), and ${tool.isProviderExecuted ? "runs there" : "means nothing to other models"}: give it to the model beside the registry's tools.`,
      );
    }
    const context = await validateContext(tool, ownProperty(toolsContext, original));
    return new SdkTool({
      tool,
      name,
      original,
      source: this.#source,
      adapter: ownCode ? "code" : "ai-sdk",
      input: await toInputSchema(tool),
      output: await this.#readOutputSchema(tool, original),
      parser: SdkParser.of(tool),
      annotations: ownProperty(annotations, original) ?? {},
      approval: resolveApproval({ tool, set, original, context, toolApproval, toolsContext }),
      context,
      closing: this.#closing,
    });
  }

  /** An output schema that cannot be converted is only a warning. */
  async #readOutputSchema(
    tool: ToolSet[string],
    original: string,
  ): Promise<JsonSchema | undefined> {
    try {
      return await toOutputSchema(tool);
    } catch (error) {
      this.#warn(original, `Its output schema is left out: ${errorMessage(error)}`);
      return undefined;
    }
  }

  #warn(subject: string, message: string): void {
    this.#problems.push({ subject, message, severity: "warning" });
  }
}

async function validateContext(
  { contextSchema }: ToolSet[string],
  context: unknown,
): Promise<unknown> {
  const validate = contextSchema === undefined ? undefined : asSchema(contextSchema).validate;
  if (validate === undefined) return context;
  const result = await validate(context);
  if (result.success) return result.value;
  throw new Error(`Its context is not what it needs (toolsContext): ${result.error.message}`);
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
