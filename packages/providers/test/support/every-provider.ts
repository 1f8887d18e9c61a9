import type { Toolset } from "@toolweave/core";
import { expect } from "vitest";
import {
  anthropicTools,
  bedrockTools,
  geminiTools,
  openAiChatTools,
  openAiResponsesTools,
  validateTools,
  type ProviderTools,
  type Simplified,
} from "../../src/index.ts";

/** The result of a snapshot at one provider. */
export interface Sent {
  readonly provider: string;
  readonly tools: number;
  /** Functions with `strict: true`. */
  readonly strict: number;
  /** Places with weaker constraints, by the rule that is the reason. */
  readonly simplified: Readonly<Record<string, number>>;
}

/**
 * Converts a snapshot for every provider. Fails if a tool is omitted, if a list breaks a rule, and
 * if a name is not restored.
 */
export function sentToEveryProvider(toolset: Toolset): readonly Sent[] {
  const chat = openAiChatTools(toolset);
  const strict = openAiResponsesTools(toolset, { strict: true });
  const anthropic = anthropicTools(toolset);
  const gemini = geminiTools(toolset);
  const bedrock = bedrockTools(toolset);
  const functions = gemini.tools.flatMap((tool) => tool.functionDeclarations);
  const callsBack = [
    chat.calls({
      choices: [{ message: { tool_calls: chat.tools.map((tool) => ({ ...tool, id: "1" })) } }],
    }),
    strict.calls({
      output: strict.tools.map(({ name }) => ({ type: "function_call", call_id: "1", name })),
    }),
    anthropic.calls({
      content: anthropic.tools.map(({ name }) => ({ type: "tool_use", id: "1", name, input: {} })),
    }),
    gemini.calls({
      candidates: [
        { content: { parts: functions.map(({ name }) => ({ functionCall: { name } })) } },
      ],
    }),
    bedrock.calls({
      output: {
        message: { content: bedrock.tools.map(({ toolSpec }) => ({ toolUse: toolSpec })) },
      },
    }),
  ];
  for (const calls of callsBack) {
    expect(calls.map(({ name }) => name)).toEqual([...toolset.names()]);
  }
  return [
    sent("OpenAI", "openai", chat, chat.tools.length),
    sent("OpenAI strict", "openai", strict, strict.tools.length),
    sent("Anthropic", "anthropic", anthropic, anthropic.tools.length),
    sent("Gemini", "gemini", gemini, functions.length),
    sent("Bedrock", "bedrock", bedrock, bedrock.tools.length),
  ];
}

function sent<Tool, Response, Message>(
  provider: string,
  rules: Parameters<typeof validateTools>[0],
  { tools, problems, simplified }: ProviderTools<Tool, Response, Message>,
  count: number,
): Sent {
  expect(problems.filter(({ tool }) => tool !== undefined)).toEqual([]);
  const violations = validateTools(rules, tools);
  expect(violations.filter(({ rule }) => rule !== "toolCount")).toEqual([]);
  const strict = tools.filter((tool) => (tool as { readonly strict?: unknown }).strict === true);
  return { provider, tools: count, strict: strict.length, simplified: countedByRule(simplified) };
}

function countedByRule(simplified: readonly Simplified[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { rule } of simplified) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
}
