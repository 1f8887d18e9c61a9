// Real documents, as published: the tools for each provider follow that provider's rules, and the number of
// simplifications is printed.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ToolExecutor, ToolRegistry, type JsonSchema } from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { openApiSource } from "@toolweave/openapi";
import { afterAll, describe, expect, test } from "vitest";
import { inFullRun, isFullRun } from "@toolweave/test-support";
import { providerRules } from "../src/rules/all-rules.ts";
import type { ProviderRules } from "../src/rules/provider-rules.ts";
import { projection } from "../src/schema/projection.ts";
import { Unprojectable } from "../src/schema/projection-errors.ts";
import { sentToEveryProvider, type Sent } from "../test/support/every-provider.ts";
import { schemaViolations } from "../src/schema/schema-violations.ts";

const specs = fileURLToPath(new URL("../../../../shared/specs/", import.meta.url));
const sample = ["netlify-2.0.yml", "figma-3.1.yaml", "redocly-cafe-3.2.yaml"];
const all = [
  ...readdirSync(specs).filter((name) => /\.(?:json|ya?ml)$/.test(name)),
  "digitalocean-multi/DigitalOcean-public.v2.yaml",
  "hey-api-full-2.0/full.yaml",
  "hey-api-full-3.1/full.yaml",
  "oai-petstore-separate-2.0/spec/swagger.json",
];
const documents = inFullRun(all, sample);

const totals = new Map<string, { tools: number; strict: number; rules: Record<string, number> }>();

function count(all: readonly Sent[]): void {
  for (const { provider, tools, strict, simplified } of all) {
    const total = totals.get(provider) ?? { tools: 0, strict: 0, rules: {} };
    total.tools += tools;
    total.strict += strict;
    for (const [rule, places] of Object.entries(simplified)) {
      total.rules[rule] = (total.rules[rule] ?? 0) + places;
    }
    totals.set(provider, total);
  }
}

afterAll(() => {
  for (const [provider, { tools, strict, rules }] of totals) {
    const places = Object.entries(rules).map(([rule, number]) => `${rule} ${number}`);
    const listed = places.length === 0 ? "nothing" : places.join(", ");
    const said = strict > 0 ? ` (${strict} strict)` : "";
    process.stdout.write(`${provider}: ${tools} tools${said}; simplified: ${listed}\n`);
  }
});

/** A projected schema follows the rules, and does not change if it is projected again. */
function expectProjected(schema: JsonSchema, rules: ProviderRules): void {
  const projected = projectedSchema(schema, rules);
  if (projected === undefined) return;
  expect([...schemaViolations(projected, rules)]).toEqual([]);
  expect(projectedSchema(projected, rules)).toEqual(projected);
}

/** Undefined for a schema that a strict function cannot express. */
function projectedSchema(schema: JsonSchema, rules: ProviderRules): JsonSchema | undefined {
  try {
    return projection(schema, rules).schema;
  } catch (error) {
    if (error instanceof Unprojectable && rules.provider === "openai-strict") return undefined;
    throw error;
  }
}

describe.each(documents)("%s", (name) => {
  test("every provider accepts the tools, and their full schemas", async () => {
    const source = openApiSource(specs + name, { baseUrl: "https://api.example" });
    await using registry = new ToolRegistry([source]);
    await registry.ready;
    const sent = sentToEveryProvider(new ToolExecutor({ registry, policy: "autonomous" }).toolset);
    expect(sent).toHaveLength(5);
    count(sent);
    for (const tool of source.tools()) {
      for (const rules of Object.values(providerRules))
        expectProjected(argumentsSchemaOf(tool), rules);
    }
  }, 600_000);
});

test.runIf(isFullRun)("all of them together are 3,230 operations", () => {
  for (const { tools } of totals.values()) expect(tools).toBeGreaterThanOrEqual(3230);
});
