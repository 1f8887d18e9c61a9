import type { Toolset } from "@toolweave/core";
import { anthropicTools, bedrockTools, geminiTools, openAiChatTools } from "@toolweave/providers";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { setImmediate } from "node:timers/promises";
import { fitTable } from "../../render/columns.ts";

/** The name of a provider's format. */
export type TokenFormat = "openai" | "anthropic" | "gemini" | "bedrock";

/** Writes tools in the format of a provider. */
const formats: Readonly<Record<TokenFormat, (toolset: Toolset) => readonly unknown[]>> = {
  openai: (toolset) => openAiChatTools(toolset).tools,
  anthropic: (toolset) => anthropicTools(toolset).tools,
  gemini: (toolset) => geminiTools(toolset).tools,
  bedrock: (toolset) => bedrockTools(toolset).tools,
};

/** The names of all formats, the default first. */
export const tokenFormats: readonly TokenFormat[] = Object.keys(formats) as TokenFormat[];

/** The tokens of tools as a provider receives them. */
export interface TokenCounts {
  /** By format: by the name of the tool. A tool that a provider would refuse is absent. */
  readonly tools: Readonly<Record<TokenFormat, Readonly<Record<string, number>>>>;
  /** By format: of all tools. */
  readonly total: Readonly<Record<TokenFormat, number>>;
}

/**
 * Counts the tokens of tools in every format: of their JSON, with the tokenizer of OpenAI's models (o200k_base). No
 * provider documents how it writes tools into a prompt, and the others publish no tokenizer: all counts are estimates.
 */
export async function countToolTokens(toolset: Toolset): Promise<TokenCounts> {
  const tools = {} as Record<TokenFormat, Record<string, number>>;
  const total = {} as Record<TokenFormat, number>;
  for (const format of tokenFormats) {
    const counts: Record<string, number> = {};
    for (const [index, name] of [...toolset.names()].entries()) {
      // The progress line and Ctrl-C have their turn.
      if (index % 50 === 0) await setImmediate();
      const [tool] = formats[format](toolset.select({ include: [name] }));
      if (tool !== undefined) counts[name] = countJsonTokens(tool);
    }
    tools[format] = counts;
    total[format] = Object.values(counts).reduce((sum, count) => sum + count, 0);
  }
  return { tools, total };
}

function countJsonTokens(value: unknown): number {
  // A description may contain the text of a special token.
  return countTokens(JSON.stringify(value), { disallowedSpecial: new Set() });
}

const formatNames: Readonly<Record<TokenFormat, string>> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  gemini: "Gemini",
  bedrock: "Bedrock",
};

/**
 * Lists the totals, one format a line.
 *
 * @param format the one that the list of the tools has.
 */
export function* renderTotals({ total }: TokenCounts, format: TokenFormat): Generator<string> {
  yield `Tokens in the list are for ${formatNames[format]}. Totals (estimates: JSON, counted with o200k_base):`;
  const width = Math.max(...Object.values(total).map((count) => String(count).length));
  const rows = tokenFormats.map((format) => [
    `  ${formatNames[format]}`,
    String(total[format]).padStart(width),
  ]);
  yield* fitTable(rows, {}, undefined);
}
