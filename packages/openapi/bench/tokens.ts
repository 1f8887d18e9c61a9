// The tokens of a document's tools for a model (o200k): name, description and input schema as
// compact JSON.
//
// node --conditions=@toolweave/source packages/openapi/bench/tokens.ts [document] [short|full]
//
// Documents are read from ../shared/specs.
import { fileURLToPath } from "node:url";
import { ToolExecutor, ToolRegistry, type ToolSpec } from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { toolSearch } from "@toolweave/core/search";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { openApiSource } from "../src/index.ts";

const [document = "github-api-3.0.json", descriptions] = process.argv.slice(2);
if (descriptions !== undefined && descriptions !== "short" && descriptions !== "full") {
  throw new Error("descriptions are short or full");
}
const specs = new URL("../../../../shared/specs/", import.meta.url);
const source = openApiSource.fromFile(fileURLToPath(new URL(document, specs)), {
  ...(descriptions === undefined ? {} : { descriptions }),
});
const registry = new ToolRegistry([source]);
await registry.ready;
const tools = source.tools();
const list = tools.map(({ spec }) => spec);

function tokens(value: unknown): number {
  return countTokens(JSON.stringify(value));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function forModel({ name, description, inputSchema }: ToolSpec): object {
  return { name, description, inputSchema };
}

const sizes = list.map((spec) => ({ name: spec.name, size: tokens(forModel(spec)) }));
const all = sum(sizes.map(({ size }) => size));
console.log(
  `${document}: ${list.length} tools, ${all} tokens, ${Math.round(all / list.length)} each`,
);
for (const part of ["name", "description", "inputSchema"] as const) {
  console.log(`  ${part}: ${sum(list.map((spec) => tokens(spec[part])))}`);
}
console.log(
  `  what arguments are validated against: ${sum(tools.map((tool) => tokens(argumentsSchemaOf(tool))))}`,
);
sizes.sort((a, b) => b.size - a.size);
const largest = sizes.slice(0, 5).map(({ name, size }) => `${name} ${size}`);
console.log(`  largest: ${largest.join(", ")}`);

const executor = new ToolExecutor({ registry });
for (const form of ["growing", "constant"] as const) {
  const run = executor.startRun({ search: toolSearch({ form }) });
  const listed = run.toolset.specs();
  console.log(
    `with tool search, ${form}: ${sum(listed.map((spec) => tokens(forModel(spec))))} tokens in ${listed.length} tools`,
  );
  await run[Symbol.asyncDispose]();
}
await registry.close();
