type JsonObject = Readonly<Record<string, unknown>>;

/** A valid schema that some provider refuses, and with it the whole request. */
export interface RefusedSchema {
  readonly is: string;
  readonly schema: JsonObject;
  /** Arguments as a model writes them for the schema that it is given. */
  readonly written: JsonObject;
  /** The same with the names of the tool. */
  readonly received: JsonObject;
}

/** Schemas as in public reports, each with a call. */
export const refusedSchemas: readonly RefusedSchema[] = [
  {
    // https://github.com/anomalyco/opencode/issues/46628
    is: "a union at the root",
    schema: {
      type: "object",
      anyOf: [
        { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
        { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      ],
    },
    written: { name: "a" },
    received: { name: "a" },
  },
  {
    // https://github.com/langchain-ai/langchain-mcp-adapters/issues/137
    is: "an object without properties",
    schema: { type: "object" },
    written: {},
    received: {},
  },
  {
    // https://github.com/beautyfree/appstore-connect-mcp/issues/2
    is: "a property whose name has brackets",
    schema: {
      type: "object",
      properties: { "filter[state]": { type: "string" } },
      required: ["filter[state]"],
    },
    written: { filter_state: "open" },
    received: { "filter[state]": "open" },
  },
  {
    // https://github.com/hyperdxio/hyperdx/pull/2925
    is: "a list with a schema for each place, as draft-07 writes it",
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { at: { type: "array", items: [{ type: "number" }, { type: "number" }] } },
    },
    written: { at: [1.5, 2] },
    received: { at: [1.5, 2] },
  },
  {
    // https://github.com/sigoden/aichat/pull/1049
    is: "a list without a schema of its items",
    schema: { type: "object", properties: { tags: { type: "array" } } },
    written: { tags: ["a"] },
    received: { tags: ["a"] },
  },
];

/** One tool as the list of each provider's request. */
export function toProviderLists(
  name: string,
  schema: unknown,
): Readonly<Record<"openai" | "anthropic" | "gemini" | "bedrock", readonly object[]>> {
  const description = "Does it.";
  return {
    openai: [{ type: "function", function: { name, description, parameters: schema } }],
    anthropic: [{ name, description, input_schema: schema }],
    gemini: [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }],
    bedrock: [{ toolSpec: { name, description, inputSchema: { json: schema } } }],
  };
}

/** A tool that accepts everything, as `defineTool` takes it. */
export interface AcceptingTool {
  readonly definition: object;
  /** The arguments with which it has run. */
  readonly received: readonly unknown[];
}

/** The definition of a tool `t`. */
export function acceptingTool(input: JsonObject, needsApproval = false): AcceptingTool {
  const received: unknown[] = [];
  const execute = (args: unknown): string => {
    received.push(args);
    return "done";
  };
  const definition = { name: "t", description: "Does it.", input, needsApproval, execute };
  return { definition, received };
}
