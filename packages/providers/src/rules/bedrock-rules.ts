import type { ProviderRules } from "./provider-rules.ts";

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
