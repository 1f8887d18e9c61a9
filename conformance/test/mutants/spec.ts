import { type ToolSpec } from "@toolweave/core";
import { ofSpec, ofTools, spare, SpecOfGetters, type Mutant } from "../mutant.ts";

export const specMutants: readonly Mutant[] = [
  ofSpec("TW-SPEC-001", "a lazy schema that cannot be made", () => ({
    get inputSchema(): never {
      throw new Error("cannot convert the type");
    },
  })),
  ofSpec("TW-SPEC-002", "a date in the metadata", () => ({
    metadata: { since: new Date(0) as never },
  })),
  ofTools("TW-SPEC-002", "a spec whose fields come from a class", (tools) => [
    ...tools,
    { ...spare, spec: new SpecOfGetters(spare.spec) },
  ]),
  ofSpec("TW-SPEC-003", "a blank description", () => ({ description: " \n" })),
  ofSpec("TW-SPEC-004", "an input schema without a type", () => ({ inputSchema: {} })),
  ofSpec("TW-SPEC-004", "a list for an input", () => ({
    inputSchema: { type: "array", items: { type: "number" } },
  })),
  ofSpec("TW-SPEC-005", "a type that does not exist", () => ({
    inputSchema: { type: "object", properties: { a: { type: "float" } } },
  })),
  ofSpec("TW-SPEC-005", "required as OpenAPI 2 parameters write it", () => ({
    outputSchema: { type: "object", properties: { a: { type: "string", required: true } } },
  })),
  ofSpec("TW-SPEC-006", "a reference into the document it came from", () => ({
    inputSchema: {
      type: "object",
      properties: { a: { $ref: "#/components/schemas/Number" }, b: { type: "number" } },
    },
  })),
  ofSpec("TW-SPEC-006", "a reference to a file", () => ({
    inputSchema: { type: "object", properties: { a: { $ref: "number.json" } } },
  })),
  ofSpec("TW-SPEC-007", "an injected value among the properties", ({ inputSchema }) => ({
    inputSchema: {
      ...inputSchema,
      properties: { ...(inputSchema["properties"] as object), tenant: { type: "string" } },
    },
    injected: [{ name: "tenant" }],
  })),
  ofSpec("TW-SPEC-007", "an injected value behind a reference", () => ({
    inputSchema: {
      type: "object",
      allOf: [{ $ref: "#/$defs/scope" }],
      $defs: { scope: { properties: { tenant: { type: "string" } } } },
    },
    injected: [{ name: "tenant" }],
  })),
  ofSpec("TW-SPEC-008", "a misspelt hint", () => ({
    annotations: { readonlyHint: true } as ToolSpec["annotations"],
  })),
  ofSpec("TW-SPEC-008", "a hint as a text", () => ({
    annotations: { destructiveHint: "no" as never },
  })),
  ofSpec("TW-SPEC-009", "a schema that is made each time", ({ inputSchema }) => ({
    get inputSchema() {
      return { ...inputSchema };
    },
  })),
];
