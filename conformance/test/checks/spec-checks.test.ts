import type { JsonObject, Tool, ToolSpec } from "@toolweave/core";
import { expect, test } from "vitest";
import { runConformance, type RuleResult } from "../../src/index.ts";

const only = ["SPEC", "NAME", "DET"];

function createTool(parts: Partial<ToolSpec>, name = "look_up"): Tool {
  const spec = {
    name,
    description: "Find an entry.",
    inputSchema: { type: "object" },
    annotations: {},
    provenance: { adapter: "fixture" },
    ...parts,
  };
  return { spec, invoke: () => "none" };
}

async function red(create: () => readonly Tool[]): Promise<RuleResult[]> {
  const manifest = { name: "specs", create, without: "only the specs matter" };
  const { rules } = await runConformance(manifest, { seed: 1, only });
  return rules.filter(({ status }) => status === "failed");
}

const input = (schema: JsonObject): Partial<ToolSpec> => ({
  inputSchema: { type: "object", ...schema },
});

test.each<[what: string, parts: Partial<ToolSpec>]>([
  [
    "draft-07, as MCP servers write it",
    input({
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { unit: { enum: ["cm", "in"] } },
      properties: { unit: { $ref: "#/definitions/unit", default: "cm" } },
    }),
  ],
  [
    "a tree that refers to itself",
    input({
      properties: { tree: { $ref: "#/$defs/node" } },
      $defs: {
        node: {
          type: "object",
          properties: {
            name: { type: "string" },
            nodes: { type: "array", items: { $ref: "#/$defs/node" } },
          },
          required: ["name"],
        },
      },
    }),
  ],
  [
    "a choice that only says what is required",
    input({
      properties: {
        place: {
          type: "object",
          properties: { id: { type: "string" }, path: { type: "string" } },
          anyOf: [{ required: ["id"] }, { required: ["path"] }],
        },
      },
    }),
  ],
  [
    "required names that a mixin or a pattern describes",
    input({
      properties: {
        mixed: {
          allOf: [{ properties: { a: { type: "string" } } }, { required: ["a"] }],
        },
        labels: {
          type: "object",
          patternProperties: { "^x-": { type: "string" } },
          required: ["x-id"],
        },
        map: { type: "object", additionalProperties: { type: "number" }, required: ["total"] },
      },
    }),
  ],
  [
    "values with little content, but some",
    input({
      properties: {
        any: { description: "Whatever fits." },
        titled: { title: "Value" },
        never: false,
        map: { additionalProperties: true },
      },
    }),
  ],
  [
    "custom keywords",
    input({
      properties: {
        type: { type: "string", "x-order": 1, nullable: true, example: "a", id: "#kind" },
        MinLength: { type: "integer" },
      },
    }),
  ],
  [
    "an enum of everything that is nullable",
    input({ properties: { order: { type: ["string", "null"], enum: ["asc", "desc", null] } } }),
  ],
  ["bounds with one value between them", input({ properties: { n: { minimum: 1, maximum: 1 } } })],
  ["a default with nothing beside it", input({ properties: { n: { default: null } } })],
  [
    "every field that a spec may have",
    {
      title: "Look up",
      injected: [{ name: "tenant", required: true, secret: true, description: "Whose." }],
      timeoutMs: 0,
      retry: { attempts: 2, initialDelayMs: 0, retryNonIdempotent: true },
      execution: "inline",
      outputLimit: { maxBytes: 1000, onOverflow: "clip" },
      provenance: { adapter: "rest", source: "https://example.com", origin: { path: "/" } },
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        redact: [{ path: "$..token" }, { path: "$['a b'][0]" }],
      },
      metadata: { tags: ["a"] },
    },
  ],
])("no rule fails for %s", async (_, parts) => {
  expect(await red(() => [createTool(parts)])).toEqual([]);
});

test("another address or folder is not a change of the spec", async () => {
  let port = 4000;
  const create = (): readonly Tool[] => {
    port += 1;
    return [
      createTool({
        provenance: { adapter: "rest", source: `http://127.0.0.1:${port}/` },
        annotations: { access: { filesystem: "read", workspaceRoot: `/tmp/${port}` } },
      }),
    ];
  };
  expect(await red(create)).toEqual([]);
});

test("the first faulty tool is named, and the others are counted", async () => {
  const tools = Array.from({ length: 50 }, (_, index) =>
    createTool(index % 10 === 3 ? { title: "" } : {}, `look_up_${index}`),
  );
  expect(await red(() => tools)).toMatchObject([
    {
      id: "TW-SPEC-011",
      message: '"look_up_3" has a blank title: omit it (4 more fail as well).',
    },
  ]);
});

test("a source with a thousand tools is read completely", async () => {
  const tools = Array.from({ length: 1000 }, (_, index) =>
    createTool(index === 999 ? { description: "look-up 999" } : {}, `look_up_${index}`),
  );
  expect(await red(() => tools)).toMatchObject([{ id: "TW-SPEC-041" }]);
});
