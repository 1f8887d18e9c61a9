import { nextCursor, reference, text } from "../openapi/schema-parts.ts";
import { providerNames } from "./provider-view.ts";

const effect = {
  enum: ["allow", "ask", "deny"],
  description:
    "The decision about the tool: it runs, a person is asked, or it is refused. Rules may depend on the arguments of a call.",
} as const;
const tokens = {
  type: "integer",
  minimum: 0,
  description: "Estimated tokens of the definition: a quarter of its characters.",
} as const;
const list = (items: object): object => ({ type: "array", items });

/** The schemas of the operations on tools. */
export const toolSchemas: Readonly<Record<string, object>> = {
  ToolRow: {
    type: "object",
    required: ["name", "line", "source", "effect"],
    properties: {
      name: { type: "string" },
      title: { type: "string" },
      line: text("The first line of the description."),
      source: text("The id of its source."),
      effect,
      access: {
        enum: ["read", "write", "destructive"],
        description: "What the tool says about itself. Absent: nothing.",
      },
      unavailable: text("The reason why the tool cannot be called now."),
    },
  },
  ToolList: {
    type: "object",
    required: ["items", "version", "total"],
    properties: {
      items: list(reference("ToolRow")),
      nextCursor,
      version: { type: "integer", description: "The version of the registry." },
      total: { type: "integer", description: "The number of tools that match, on all pages." },
    },
  },
  ToolSpec: {
    type: "object",
    description: "The definition of a tool.",
    required: ["name", "description", "inputSchema", "annotations", "provenance"],
    properties: {
      name: { type: "string" },
      title: { type: "string" },
      description: text("For the model."),
      inputSchema: { type: "object", description: "JSON Schema of what a model may choose." },
      outputSchema: { type: "object", description: "JSON Schema of the result's value." },
      annotations: { type: "object", description: "What the tool says about its effects." },
      injected: {
        ...list({
          type: "object",
          required: ["name"],
          properties: {
            name: { type: "string" },
            description: { type: "string" },
            required: { type: "boolean" },
            secret: { type: "boolean" },
          },
        }),
        description: "Values that the host supplies.",
      },
      timeoutMs: { type: "number" },
      retry: { type: "object" },
      visibility: { enum: ["app"] },
      execution: { enum: ["inline", "task"] },
      outputLimit: { type: "object" },
      provenance: {
        type: "object",
        required: ["adapter"],
        properties: {
          adapter: { type: "string" },
          source: { type: "string" },
          origin: { type: "object" },
        },
      },
      metadata: { type: "object" },
    },
  },
  ToolDetails: {
    type: "object",
    required: ["spec", "argumentsSchema", "specHash", "source", "effect", "tokens"],
    properties: {
      spec: reference("ToolSpec"),
      argumentsSchema: {
        type: "object",
        description: "The JSON Schema that arguments are validated against.",
      },
      specHash: text("SHA-256 of the definition."),
      source: text("The id of its source."),
      effect,
      lock: {
        type: "object",
        description: "Absent: the server has no lock, or cannot read it.",
        required: ["state"],
        properties: {
          state: {
            enum: ["locked", "changed", "new"],
            description: "`new`: it is not in the lock.",
          },
          changes: { type: "array", items: reference("LockChange") },
        },
      },
      tokens,
    },
  },
  ProviderView: {
    type: "object",
    required: ["provider", "name", "definition", "tokens", "problems", "omitted"],
    properties: {
      provider: { enum: providerNames },
      name: text("The name of the tool there."),
      definition: {
        type: ["object", "null"],
        description: "The definition as the provider receives it. Null: it accepts no such tool.",
      },
      tokens,
      problems: list({ type: "string" }),
      omitted: { type: "boolean", description: "No model receives the tool." },
    },
  },
  SearchResult: {
    type: "object",
    required: ["items"],
    properties: {
      items: list({
        type: "object",
        required: ["name", "line", "score"],
        properties: {
          name: { type: "string" },
          line: text("The first line of the description."),
          score: { type: "number", description: "Comparable within one search only." },
        },
      }),
    },
  },
  CheckBody: {
    type: "object",
    additionalProperties: false,
    required: ["arguments"],
    properties: { arguments: { description: "As a model would send them: an object." } },
  },
  CheckResult: {
    type: "object",
    required: ["problems", "explanation"],
    properties: {
      problems: list({
        type: "object",
        required: ["pointer", "message"],
        properties: {
          pointer: text("A JSON pointer into the arguments; empty: the whole."),
          message: { type: "string" },
        },
      }),
      arguments: {
        description:
          "If they are valid: as the tool would get them, with a mask in place of secrets.",
        type: ["object", "string"],
      },
      explanation: reference("Explanation"),
    },
  },
};
