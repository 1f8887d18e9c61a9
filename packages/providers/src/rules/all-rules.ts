import { anthropicRules } from "./anthropic-rules.ts";
import { bedrockRules } from "./bedrock-rules.ts";
import { geminiRules } from "./gemini-rules.ts";
import { openAiRules, openAiStrictRules } from "./openai-rules.ts";
import type { ProviderName, ProviderRules } from "./provider-rules.ts";

/** The rules of each provider. */
export const providerRules: Readonly<Record<ProviderName, ProviderRules>> = {
  openai: openAiRules,
  "openai-strict": openAiStrictRules,
  anthropic: anthropicRules,
  gemini: geminiRules,
  bedrock: bedrockRules,
};
