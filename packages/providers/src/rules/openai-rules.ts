import type { ProviderRules } from "./provider-rules.ts";

const structured =
  "https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas";

const chat = "https://platform.openai.com/docs/api-reference/chat/create";

/** The rules of both the Chat Completions and the Responses API for every function. */
const common = {
  toolName: {
    pattern: /^[a-zA-Z0-9_-]{1,64}$/,
    source: chat,
  },
  toolCount: {
    most: 128,
    source: chat,
  },
  // The page names the root's type; the keywords are those of its error message.
  root: {
    without: ["oneOf", "anyOf", "allOf", "enum", "const", "not"],
    source: "https://github.com/langchain-ai/langchainjs/issues/9804",
  },
  // Undocumented; from the API's own message, also for functions that are not strict.
  patterns: {
    without: /\(\?<?[=!]/,
    source: "https://github.com/vercel/ai/pull/21037",
  },
  arrayItems: { source: "https://github.com/sigoden/aichat/pull/1049" },
} as const satisfies Partial<ProviderRules>;

/** OpenAI's rules for functions with `strict: false`. */
export const openAiRules: ProviderRules = { provider: "openai", ...common };

/** OpenAI's rules for functions with `strict: true`: Structured Outputs. */
export const openAiStrictRules: ProviderRules = {
  provider: "openai-strict",
  ...common,
  keywords: {
    allowed: new Set([
      "$defs",
      "$ref",
      "additionalProperties",
      "anyOf",
      "const",
      "description",
      "enum",
      "exclusiveMaximum",
      "exclusiveMinimum",
      "format",
      "items",
      "maxItems",
      "maximum",
      "minItems",
      "minimum",
      "multipleOf",
      "pattern",
      "properties",
      "required",
      "title",
      "type",
    ]),
    source: structured,
  },
  references: { take: "alone", source: "https://github.com/langchain-ai/langchainjs/issues/11381" },
  formats: {
    allowed: new Set([
      "date",
      "date-time",
      "duration",
      "email",
      "hostname",
      "ipv4",
      "ipv6",
      "time",
      "uuid",
    ]),
    source: structured,
  },
  types: { source: structured },
  closedObjects: { source: structured },
  size: {
    properties: 5000,
    depth: 10,
    enumValues: 1000,
    characters: 120_000,
    longEnumCharacters: 15_000,
    source: structured,
  },
};
