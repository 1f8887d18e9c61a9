import {
  defineTool,
  suspend,
  type Answer,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Tool,
  type ToolContext,
} from "@toolweave/core";
import { forwardToClient, type ClientLog } from "../src/gateway/index.ts";

/** A PNG of one red pixel. */
export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** A WAV file without a sample. */
const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const pauseMs = 50;

/** The tools that the suite calls, with the texts that it expects. */
export function suiteTools(changed: (kind: "tools" | "prompts") => void): readonly Tool[] {
  return [
    tool("test_simple_text", () => "This is a simple text response for testing."),
    tool("test_image_content", () =>
      content({ type: "image", data: pixel, mimeType: "image/png" }),
    ),
    tool("test_audio_content", () =>
      content({ type: "audio", data: silence, mimeType: "audio/wav" }),
    ),
    tool("test_embedded_resource", () =>
      content(
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
      ),
    ),
    tool("test_multiple_content_types", () =>
      content(
        { type: "text", text: "Multiple content types test:" },
        { type: "image", data: pixel, mimeType: "image/png" },
        embedded(
          "test://mixed-content-resource",
          "application/json",
          JSON.stringify({ test: "data", value: 123 }),
        ),
      ),
    ),
    tool("test_error_handling", () => {
      throw new Error("This tool intentionally returns an error for testing");
    }),
    tool("test_tool_with_progress", async (_args, ctx) => {
      for (const done of [0, 50, 100]) {
        ctx.progress({ done, total: 100 });
        await pause();
      }
      return "Done, with progress.";
    }),
    tool("test_tool_with_logging", async (_args, ctx) => {
      for (const said of ["Tool execution started", "Tool processing data"]) {
        log(said, ctx);
        await pause();
      }
      log("Tool execution completed", ctx);
      return "Done, with logging.";
    }),
    tool("test_logging_tool", (_args, ctx) => {
      log("This was not requested.", ctx);
      return "Done.";
    }),
    tool("json_schema_2020_12_tool", () => "Done.", schema2020),
    ...asking,
    ...inRounds,
    tool("test_trigger_tool_change", () => {
      changed("tools");
      return "The tools have changed.";
    }),
    tool("test_trigger_prompt_change", () => {
      changed("prompts");
      return "The prompts have changed.";
    }),
  ];
}

const nothing: JsonSchema = { type: "object", properties: {} };

function tool(
  name: string,
  execute: (args: JsonObject, ctx: ToolContext) => unknown,
  input: JsonSchema = nothing,
): Tool {
  return defineTool({
    name,
    description: `A tool of the conformance suite's: ${name}.`,
    input,
    execute: (args, ctx) => execute(args as JsonObject, ctx),
  });
}

function content(...blocks: readonly JsonObject[]): JsonObject {
  return { content: blocks };
}

function embedded(uri: string, mimeType: string, text: string): JsonObject {
  return { type: "resource", resource: { uri, mimeType, text } };
}

function log(data: string, ctx: ToolContext): void {
  const message: ClientLog = { level: "info", data };
  forwardToClient.onLog(message, ctx);
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}

function textField(description: string): JsonSchema {
  return { type: "string", description };
}

function createForm(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: "object", properties, required: Object.keys(properties) };
}

const elicit = async (
  message: string,
  requestedSchema: JsonSchema,
  ctx: ToolContext,
): Promise<string> => {
  const answer = await forwardToClient.onElicitation({ message, requestedSchema }, ctx);
  const given = answer.action === "accept" ? (answer.content ?? {}) : {};
  return `Elicitation completed: action=${answer.action}, content=${JSON.stringify(given)}`;
};

const sample = async (prompt: string, ctx: ToolContext): Promise<string> => {
  const messages = [{ role: "user", content: { type: "text", text: prompt } }];
  const { content: said } = await forwardToClient.onSampling({ messages, maxTokens: 100 }, ctx);
  return `LLM response: ${((said as JsonObject)["text"] as string | undefined) ?? ""}`;
};

/** Tools that ask while they run. */
const asking: readonly Tool[] = [
  tool(
    "test_sampling",
    ({ prompt }, ctx) => sample(prompt as string, ctx),
    createForm({ prompt: textField("What the model is asked.") }),
  ),
  tool(
    "test_elicitation",
    ({ message }, ctx) =>
      elicit(
        message as string,
        createForm({
          username: textField("User's response"),
          email: textField("User's email address"),
        }),
        ctx,
      ),
    createForm({ message: textField("What the user is asked.") }),
  ),
  tool("test_elicitation_sep1034_defaults", (_args, ctx) =>
    elicit(
      "Look through these fields",
      {
        type: "object",
        properties: {
          name: { type: "string", default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        },
      },
      ctx,
    ),
  ),
  tool("test_elicitation_sep1330_enums", (_args, ctx) =>
    elicit("Choose", { type: "object", properties: choices }, ctx),
  ),
  tool("test_streaming_elicitation", async (_args, ctx) => {
    ctx.progress({ done: 0, total: 1 });
    return elicit("Anything else?", createForm({ answer: textField("Yes or no") }), ctx);
  }),
  tool("test_missing_capability", (_args, ctx) => sample("Are you there?", ctx)),
  tool("test_input_required_result_sampling", (_args, ctx) =>
    sample("What is the capital of France?", ctx),
  ),
  tool("test_input_required_result_list_roots", async (_args, ctx) =>
    JSON.stringify(await forwardToClient.roots(ctx)),
  ),
  tool("test_input_required_result_capabilities", async (_args, ctx) => {
    const answers = await Promise.all([
      elicit("What is your name?", createForm({ name: { type: "string" } }), ctx),
      sample("Say hello", ctx),
    ]);
    return answers.join("\n");
  }),
  tool("test_input_required_result_multiple_inputs", async (_args, ctx) => {
    const [name, greeting, roots] = await Promise.all([
      elicit("What is your name?", createForm({ name: { type: "string" } }), ctx),
      sample("Generate a greeting", ctx),
      forwardToClient.roots(ctx),
    ]);
    return [name, greeting, JSON.stringify(roots)].join("\n");
  }),
];

const titled = [
  { const: "value1", title: "First Option" },
  { const: "value2", title: "Second Option" },
  { const: "value3", title: "Third Option" },
];
const untitled = ["option1", "option2", "option3"];

const choices: Readonly<Record<string, JsonSchema>> = {
  untitledSingle: { type: "string", enum: untitled },
  titledSingle: { type: "string", oneOf: titled },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { type: "string", enum: untitled } },
  titledMulti: { type: "array", items: { anyOf: titled } },
};

/** Tools that wait for a person, and are resumed. */
const inRounds: readonly Tool[] = [
  tool("test_input_required_result_elicitation", (_args, { resumed }) =>
    resumed === undefined
      ? asked("user_name", "What is your name?", { name: { type: "string" } }, null)
      : `Hello, ${answerIn(resumed.answers, "name")}!`,
  ),
  tool("test_input_required_result_request_state", (_args, { resumed }) =>
    resumed === undefined
      ? asked("confirm", "Please confirm", { ok: { type: "boolean" } }, "begun")
      : `state-ok: ${String(resumed.state)}`,
  ),
  tool("test_input_required_result_tampered_state", (_args, { resumed }) =>
    resumed === undefined
      ? asked("confirm", "Please confirm", { ok: { type: "boolean" } }, "begun")
      : "It is unchanged.",
  ),
  tool("test_input_required_result_multi_round", (_args, { resumed }) => {
    if (resumed === undefined) {
      return asked("step1", "Step 1: What is your name?", { name: { type: "string" } }, {});
    }
    const known = resumed.state as JsonObject;
    if (known["name"] === undefined) {
      const name = answerIn(resumed.answers, "name");
      const color = { color: { type: "string" } } as const;
      return asked("step2", "Step 2: What is your favorite color?", color, { name });
    }
    return `${String(known["name"])} likes ${answerIn(resumed.answers, "color")}.`;
  }),
];

function asked(
  id: string,
  message: string,
  fields: Readonly<Record<string, JsonSchema>>,
  state: JsonValue,
): unknown {
  return suspend([{ id, type: "input", message, schema: createForm(fields) }], state);
}

function answerIn(answers: readonly Answer[], field: string): string {
  const [answer] = answers;
  return answer?.type === "input" ? String((answer.value as JsonObject)[field]) : "no one";
}

const schema2020: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  ...(JSON.parse('{ "then": { "required": ["phone"] } }') as JsonSchema),
  else: { required: ["email"] },
  additionalProperties: false,
};
