import { ajvValidator } from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { openApiSource } from "@toolweave/openapi";
import { isFullRun } from "@toolweave/test-support";
import { expect, test } from "vitest";
import { documentNames, specs } from "../../../packages/openapi/corpus/documents.ts";
import { declareTools, type DeclaredTool } from "../src/commands/types/declaration.ts";
import { compileTypes } from "../test/support/compile-types.ts";
import { toTypeText } from "../test/support/type-text.ts";
import { sampleValue } from "./conform/sample-value.ts";

/** The tools of a document. Names are unique among all documents. */
async function readTools(document: string, index: number): Promise<readonly DeclaredTool[]> {
  await using source = openApiSource.fromFile(specs + document);
  await source.ready;
  source.realize();
  return source.tools().map((tool) => {
    const { name, description, outputSchema: output } = tool.spec;
    const input = argumentsSchemaOf(tool);
    return { name: `${name}_${index}`, source: `document-${index}`, description, input, output };
  });
}

/** Code in which arguments that the schemas accept are used as values of the types. */
async function useTypes(tools: readonly DeclaredTool[]): Promise<readonly string[]> {
  const validator = ajvValidator();
  const lines: string[] = [];
  for (const { name, input } of tools) {
    const value = sampleValue(input, input);
    const validate = await validator.compile(input);
    if (validate(value) !== undefined) continue;
    lines.push(
      `export const value${lines.length} = null! as ${toTypeText(value)} satisfies ToolTypes["${name}"]["input"];`,
    );
  }
  return lines;
}

test("types of real documents compile with the strictest options, and accept valid arguments", async () => {
  const tools = (await Promise.all(documentNames().map(readTools))).flat();
  const { text, untyped } = declareTools(tools, "toolweave types");
  expect(untyped).toEqual([]);
  const values = await useTypes(tools);
  expect(values.length).toBeGreaterThan(tools.length / 2);
  const code = ['import type { ToolTypes } from "@toolweave/core";', ...values].join("\n");
  expect(compileTypes(text, code)).toBe("");
});

test.runIf(isFullRun)("definitions of large documents are declared once", async () => {
  const sizes = ["github-api-3.0.json", "stripe-2023-09.yaml"].map(async (document) => {
    const { text } = declareTools(await readTools(document, 0), "toolweave types");
    return text.length;
  });
  for (const size of await Promise.all(sizes)) expect(size).toBeLessThan(2_000_000);
});
