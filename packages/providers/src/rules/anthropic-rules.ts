import type { ProviderRules } from "./provider-rules.ts";

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
  dialect: { source: "https://github.com/anthropics/claude-code/issues/63673" },
  propertyNames: {
    pattern: /^[a-zA-Z0-9_.-]{1,64}$/,
    source: "https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes",
  },
};
