export { anthropicTools } from "./anthropic/anthropic-tools.ts";
export type {
  AnthropicImageType,
  AnthropicMessage,
  AnthropicResponse,
  AnthropicResultPart,
  AnthropicTool,
  AnthropicToolResult,
  AnthropicTools,
} from "./anthropic/anthropic-tools.ts";
export { bedrockTools } from "./bedrock/bedrock-tools.ts";
export type {
  BedrockDocumentFormat,
  BedrockImageFormat,
  BedrockMessage,
  BedrockResponse,
  BedrockResultPart,
  BedrockTool,
  BedrockToolResult,
  BedrockTools,
} from "./bedrock/bedrock-tools.ts";
export type { DescribedInput, ProviderProblem, Simplified } from "./conversion/exported-tools.ts";
export { toolInputs } from "./conversion/tool-input.ts";
export type { ToolInput, ToolProvider } from "./conversion/tool-input.ts";
export { geminiTools } from "./gemini/gemini-tools.ts";
export type {
  GeminiContent,
  GeminiFilePart,
  GeminiFunction,
  GeminiResponse,
  GeminiResultPart,
  GeminiTool,
  GeminiTools,
} from "./gemini/gemini-tools.ts";
export { openAiChatTools } from "./openai/openai-chat-tools.ts";
export type {
  OpenAiChatMessage,
  OpenAiChatResponse,
  OpenAiChatTool,
  OpenAiChatTools,
  OpenAiOptions,
} from "./openai/openai-chat-tools.ts";
export { openAiResponsesTools } from "./openai/openai-responses-tools.ts";
export type {
  OpenAiOutputItem,
  OpenAiOutputPart,
  OpenAiResponse,
  OpenAiResponsesTool,
  OpenAiResponsesTools,
} from "./openai/openai-responses-tools.ts";
export type { Answered, ProviderTools } from "./conversion/provider-tools.ts";
export type {
  ProviderName,
  ProviderRules,
  RuleName,
  SchemaSize,
  Sourced,
} from "./rules/provider-rules.ts";
export { providerRules } from "./rules/all-rules.ts";
export { isStrictSchema, validateTools } from "./validate/validate-tools.ts";
export type { RuleViolation } from "./validate/validate-tools.ts";
