import type { JsonValue, ToolExecutor, Toolset } from "@toolweave/core";
import type { ProviderTools } from "@toolweave/providers";
import { Problem } from "../http/problem.ts";
import { estimateTokens, findTool } from "./tool-details.ts";

/** The formats in which tools are given to models. */
export const providerNames = ["openai", "anthropic", "gemini", "bedrock", "mcp"] as const;

/** A format in which tools are given to models. */
export type ProviderFormat = (typeof providerNames)[number];

/** A tool as a model of a provider receives it. */
export interface ProviderView {
  readonly provider: ProviderFormat;
  /** Its name there. */
  readonly name: string;
  /** `null`: the provider accepts no such tool. */
  readonly definition: JsonValue;
  /** Estimated tokens of the definition: a quarter of its characters. */
  readonly tokens: number;
  /** Why the tool is omitted, and the places where the provider gets a weaker schema than the tool's. */
  readonly problems: readonly string[];
  /** No model receives the tool: the policy denies it, or the provider does not accept it. */
  readonly omitted: boolean;
}

/**
 * Converts a tool to the format of a provider.
 *
 * @throws Problem `not_found` for an unknown tool and format, and for `mcp` if that package is not installed.
 */
export async function getProviderView(
  executor: ToolExecutor,
  name: string,
  provider: string,
): Promise<ProviderView> {
  const { tool } = findTool(executor, name);
  if (!isProviderFormat(provider)) {
    throw new Problem("not_found", `There is no such format: use ${providerNames.join(", ")}.`);
  }
  const toolset = executor.registry.toolset({ include: [name] });
  const { definition, problems } =
    provider === "mcp" ? await toMcp(toolset) : await toProvider(provider, toolset);
  const isListed = executor.toolset.entry(name) !== undefined;
  const hidden = isListed
    ? []
    : ["The policy denies every call of the tool: no model receives it."];
  return executor.redact({
    provider,
    name: findName(definition) ?? tool.spec.name,
    definition,
    tokens: definition === null ? 0 : estimateTokens(definition),
    problems: [...hidden, ...problems],
    omitted: !isListed || definition === null,
  });
}

function isProviderFormat(name: string): name is ProviderFormat {
  return (providerNames as readonly string[]).includes(name);
}

interface Converted {
  readonly definition: JsonValue;
  readonly problems: readonly string[];
}

const converters = {
  openai: "openAiResponsesTools",
  anthropic: "anthropicTools",
  gemini: "geminiTools",
  bedrock: "bedrockTools",
} as const;

async function toProvider(
  provider: Exclude<ProviderFormat, "mcp">,
  toolset: Toolset,
): Promise<Converted> {
  const providers = await import("@toolweave/providers");
  const convert: (
    toolset: Toolset,
  ) => Pick<ProviderTools<unknown, never, unknown>, "tools" | "problems" | "simplified"> =
    providers[converters[provider]];
  const { tools, problems, simplified } = convert(toolset);
  return {
    definition: (tools[0] as JsonValue | undefined) ?? null,
    problems: [
      ...problems.map(({ path = "", message }) => `${path} ${message}`.trimStart()),
      ...simplified.map(
        ({ path, rule }) =>
          `${path === "" ? "The whole schema" : path} is weaker than in the tool, because of the rule ${rule} of the provider.`,
      ),
    ],
  };
}

async function toMcp(toolset: Toolset): Promise<Converted> {
  let serve: typeof import("@toolweave/mcp/serve");
  try {
    serve = await import("@toolweave/mcp/serve");
  } catch {
    throw new Problem("not_found", "The package @toolweave/mcp is not installed in this process.");
  }
  const [spec] = toolset.specs();
  if (spec === undefined)
    return { definition: null, problems: ["Its input schema cannot be used."] };
  return { definition: serve.toMcpTool(spec), problems: [] };
}

/** The name in a definition, wherever the provider has it. */
function findName(definition: JsonValue): string | undefined {
  const { name, toolSpec, functionDeclarations } = (definition ?? {}) as {
    readonly name?: string;
    readonly toolSpec?: { readonly name?: string };
    readonly functionDeclarations?: readonly { readonly name?: string }[];
  };
  return name ?? toolSpec?.name ?? functionDeclarations?.[0]?.name;
}
