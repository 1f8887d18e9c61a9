import { ToolError, type JsonObject } from "@toolweave/core";
import type { McpProvider, McpProviderChange } from "../src/gateway/index.ts";
import { pixel } from "./server-tools.ts";

/** The resources, prompts and completion that the suite looks for. */
export function suiteProvider(): McpProvider & { changed(change: McpProviderChange): void } {
  const listeners = new Set<(change: McpProviderChange) => void>();
  return {
    id: "suite",
    prefix: false,
    resources: {
      list: () => resources,
      templates: () => [
        {
          uriTemplate: "test://template/{id}/data",
          name: "template",
          description: "Data by id",
          mimeType: "application/json",
        },
      ],
      read: ({ uri }) => ({ contents: [readContents(uri as string)] }),
      subscribe: () => {},
      unsubscribe: () => {},
    },
    prompts: {
      list: () => prompts,
      get: (params) => createPrompt(params),
    },
    complete: () => ({
      completion: { values: ["paris", "park", "party"], total: 3, hasMore: false },
    }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed(change) {
      for (const listener of listeners) listener(change);
    },
  };
}

const resources: readonly JsonObject[] = [
  {
    uri: "test://static-text",
    name: "static-text",
    description: "A text",
    mimeType: "text/plain",
  },
  {
    uri: "test://static-binary",
    name: "static-binary",
    description: "An image",
    mimeType: "image/png",
  },
  {
    uri: "test://watched-resource",
    name: "watched-resource",
    description: "A text that may change",
    mimeType: "text/plain",
  },
];

function readContents(uri: string): JsonObject {
  switch (uri) {
    case "test://static-text":
      return {
        uri,
        mimeType: "text/plain",
        text: "This is the content of the static text resource.",
      };
    case "test://static-binary":
      return { uri, mimeType: "image/png", blob: pixel };
    case "test://watched-resource":
      return { uri, mimeType: "text/plain", text: "It has not changed." };
  }
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id === undefined) throw new ToolError("not_found", "There is no such resource.");
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: "application/json", text: JSON.stringify(data) };
}

const prompts: readonly JsonObject[] = [
  { name: "test_simple_prompt", description: "Without arguments" },
  {
    name: "test_prompt_with_arguments",
    description: "With arguments",
    arguments: [
      { name: "arg1", description: "The first", required: true },
      { name: "arg2", description: "The second", required: true },
    ],
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "With a resource",
    arguments: [{ name: "resourceUri", description: "Its address", required: true }],
  },
  { name: "test_prompt_with_image", description: "With an image" },
  { name: "test_input_required_result_prompt", description: "Asks first" },
];

function createPrompt({ name, arguments: given, inputResponses }: JsonObject): JsonObject {
  const args = (given ?? {}) as JsonObject;
  switch (name) {
    case "test_simple_prompt":
      return messages({ type: "text", text: "This is a simple prompt for testing." });
    case "test_prompt_with_arguments": {
      const { arg1, arg2 } = args;
      const text = `Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`;
      return messages({ type: "text", text });
    }
    case "test_prompt_with_embedded_resource":
      return messages(
        {
          type: "resource",
          resource: {
            uri: String(args["resourceUri"]),
            mimeType: "text/plain",
            text: "Embedded resource content for testing.",
          },
        },
        { type: "text", text: "Please process the embedded resource above." },
      );
    case "test_prompt_with_image":
      return messages(
        { type: "image", data: pixel, mimeType: "image/png" },
        { type: "text", text: "Please analyze the image above." },
      );
    case "test_input_required_result_prompt": {
      const { user_context: answer } = (inputResponses ?? {}) as JsonObject;
      if (answer === undefined) return whichContext;
      const { content } = answer as JsonObject;
      return messages({ type: "text", text: `With ${JSON.stringify(content)}` });
    }
    default:
      throw new ToolError("not_found", "There is no such prompt.");
  }
}

function messages(...blocks: readonly JsonObject[]): JsonObject {
  return { messages: blocks.map((content) => ({ role: "user", content })) };
}

const whichContext: JsonObject = {
  resultType: "input_required",
  inputRequests: {
    user_context: {
      method: "elicitation/create",
      params: {
        message: "What context should the prompt use?",
        requestedSchema: {
          type: "object",
          properties: { context: { type: "string" } },
          required: ["context"],
        },
      },
    },
  },
};
