import {
  prefix,
  rename,
  ToolExecutor,
  ToolRegistry,
  toolsSource,
  type JsonObject,
  type JsonSchema,
  type Tool,
} from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { describe, expect, test } from "vitest";
import { specHashOf } from "../../src/contract/tool.ts";
import { sameSpec } from "../../src/registry/registry-diff.ts";
import { failed } from "../support/outcomes.ts";

const modelSchema: JsonSchema = {
  type: "object",
  properties: { note: { type: "object", description: "[…]" } },
};
const whole: JsonSchema = {
  type: "object",
  properties: {
    note: {
      type: "object",
      properties: {
        text: { type: "string", maxLength: 3 },
        pin: { type: "string", writeOnly: true },
      },
      required: ["text"],
    },
  },
  additionalProperties: false,
};

function noteTool(argumentsSchema: JsonSchema = whole): Tool {
  return {
    spec: {
      name: "note",
      description: "Keeps a note.",
      inputSchema: modelSchema,
      annotations: {},
      provenance: { adapter: "test" },
    },
    argumentsSchema,
    invoke: () => "kept",
  };
}

function executorOver(tool: Tool, options: object = {}): ToolExecutor {
  const registry = new ToolRegistry([toolsSource("test", [tool])]);
  return new ToolExecutor({ registry, policy: "autonomous", ...options });
}

async function refusal(args: JsonObject, options?: object): Promise<string> {
  const outcome = await executorOver(noteTool(), options).execute({
    id: "1",
    name: "note",
    arguments: args,
  });
  const { error } = failed(outcome);
  expect(error.code).toBe("invalid_arguments");
  return error.message;
}

describe("a tool with parameters that a model does not see", () => {
  test("gives a model its spec's schema, and is validated against the full schema", async () => {
    const executor = executorOver(noteTool());
    expect(executor.startRun().toolset.specs()[0]?.inputSchema).toBe(modelSchema);
    expect(await refusal({ note: { text: "long" } })).toContain("note.text");
    expect(await refusal({ note: {}, more: 1 })).toContain("Known: note.");
    const outcome = await executor.execute({
      id: "2",
      name: "note",
      arguments: { note: { text: "abc" } },
    });
    expect(outcome.status).toBe("completed");
  });

  test("has the secret ones masked, although they are not in the model's schema", async () => {
    const outcome = await executorOver(noteTool(), {
      policy: "supervised",
    }).execute({
      id: "1",
      name: "note",
      arguments: { note: { text: "abc", pin: "zx-4711-zx" } },
    });
    expect(outcome).toMatchObject({ status: "interrupted" });
    expect(JSON.stringify(outcome)).toContain('"text":"abc"');
    expect(JSON.stringify(outcome)).not.toContain("zx-4711");
  });

  test("keeps them under other names", () => {
    for (const source of [
      prefix(toolsSource("test", [noteTool()]), "my"),
      rename(toolsSource("test", [noteTool()]), { note: "memo" }),
    ]) {
      const [tool] = source.tools();
      expect(tool?.spec.name).not.toBe("note");
      expect(tool === undefined ? undefined : argumentsSchemaOf(tool)).toBe(whole);
    }
  });

  test("is a changed tool if its full schema changes, though its spec is the same", async () => {
    const { properties } = whole;
    const open = noteTool({ type: "object", properties: properties as JsonObject });
    expect(await specHashOf(open)).not.toBe(await specHashOf(noteTool()));
    expect(sameSpec(open, noteTool())).toBe(false);
    const { argumentsSchema: _, ...plain } = noteTool();
    expect(await specHashOf(noteTool(modelSchema))).toBe(await specHashOf(plain));
  });
});
