import type { ProviderRules } from "./provider-rules.ts";

const declaration =
  "https://cloud.google.com/vertex-ai/generative-ai/docs/reference/java/latest/com.google.cloud.vertexai.api.FunctionDeclarationOrBuilder";
// Documented for answers as JSON; `parametersJsonSchema` names no subset of its own.
const jsonSchema = "https://ai.google.dev/api/generate-content";

/** The rules of the Gemini API, and of Gemini on Vertex AI, for `parametersJsonSchema`. */
export const geminiRules: ProviderRules = {
  provider: "gemini",
  toolName: { pattern: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/, source: declaration },
  root: {
    without: ["anyOf", "oneOf"],
    source: "https://ai.google.dev/api/caching#FunctionDeclaration",
  },
  propertyNames: { pattern: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, source: declaration },
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
  required: { source: "https://github.com/iBUHub/AIStudioToAPI/issues/154" },
  enumValues: { types: ["string", "number"], source: jsonSchema },
};
