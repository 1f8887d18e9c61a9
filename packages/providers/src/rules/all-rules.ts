import type { ProviderName, ProviderRules } from "./provider-rules.ts";

const dialect = { source: "https://github.com/anthropics/claude-code/issues/63673" };

/** The rules of Anthropic's Messages API for custom tools. Their schemas are JSON Schema 2020-12. */
export const anthropicRules: ProviderRules = {
  provider: "anthropic",
  toolName: {
    pattern: /^[a-zA-Z0-9_-]{1,64}$/,
    source: "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools",
  },
  // According to the self-hosted sandboxes' page, and to the API's own message.
  root: {
    without: ["oneOf", "anyOf", "allOf"],
    source: "https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes",
  },
  dialect,
  propertyNames: {
    pattern: /^[a-zA-Z0-9_.-]{1,64}$/,
    source: "https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes",
  },
};

const specification =
  "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html";

/**
 * The rules of Amazon Bedrock's Converse API. Models differ in what they take; these are the rules of
 * the strictest, so that a list does for all of them.
 */
export const bedrockRules: ProviderRules = {
  provider: "bedrock",
  toolName: { pattern: /^[a-zA-Z0-9_-]{1,64}$/, source: specification },
  description: { source: specification },
  // Amazon Nova refuses everything else there, definitions included.
  root: {
    without: ["oneOf", "anyOf", "allOf"],
    only: ["type", "properties", "required"],
    source: "https://github.com/zed-industries/zed/issues/28521",
  },
  propertyNames: {
    // Claude's, on Bedrock, too.
    pattern: /^[a-zA-Z0-9_.-]{1,64}$/,
    source: "https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes",
  },
  references: { take: "none", source: "https://github.com/zed-industries/zed/issues/28521" },
};

const declaration =
  "https://cloud.google.com/vertex-ai/generative-ai/docs/reference/java/latest/com.google.cloud.vertexai.api.FunctionDeclarationOrBuilder";
// Documented for answers as JSON; `parametersJsonSchema` names no subset of its own.
const jsonSchema = "https://ai.google.dev/api/generate-content";

const plainNames = { pattern: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, source: declaration };
const required = { source: "https://github.com/iBUHub/AIStudioToAPI/issues/154" };

/** The rules of the Gemini API, and of Gemini on Vertex AI, for `parametersJsonSchema`. */
export const geminiRules: ProviderRules = {
  provider: "gemini",
  toolName: { pattern: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/, source: declaration },
  root: {
    without: ["anyOf", "oneOf"],
    source: "https://ai.google.dev/api/caching#FunctionDeclaration",
  },
  propertyNames: plainNames,
  keywords: {
    allowed: new Set([
      "$anchor",
      "$defs",
      "$id",
      "$ref",
      "additionalProperties",
      "anyOf",
      "description",
      "enum",
      "format",
      "items",
      "maxItems",
      "maximum",
      "minItems",
      "minimum",
      "oneOf",
      "prefixItems",
      "properties",
      "propertyOrdering",
      "required",
      "title",
      "type",
    ]),
    source: jsonSchema,
  },
  references: { take: "alone", source: jsonSchema },
  recursion: { source: jsonSchema },
  required,
  enumValues: { types: ["string", "number"], source: jsonSchema },
};

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
  // Undocumented; from the API's own message, for functions without parameters.
  properties: { source: "https://github.com/langchain-ai/langchain-mcp-adapters/issues/137" },
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

/**
 * The rules for a provider that is not known: those by which one provider or another refuses a schema of ordinary tools.
 * Left out are lists of supported keywords, and what only some models of Bedrock refuse: following them would take
 * from every model what most of them read.
 */
export const portableRules: ProviderRules = {
  ...openAiRules,
  propertyNames: plainNames,
  required,
  dialect,
};

/** The rules of each provider. */
export const providerRules: Readonly<Record<ProviderName, ProviderRules>> = {
  openai: openAiRules,
  "openai-strict": openAiStrictRules,
  anthropic: anthropicRules,
  gemini: geminiRules,
  bedrock: bedrockRules,
};
